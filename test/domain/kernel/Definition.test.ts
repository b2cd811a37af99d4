import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { define, rowOf } from "../../../src/domain/kernel/Definition.ts"

const Status = Schema.Literals(["OPEN", "PAID"])
const State = Schema.Struct({ status: Status })
type State = typeof State.Type
const Command = Schema.TaggedUnion({ Pay: {}, Reopen: {} })

type Command = typeof Command.Type

const machineOf = (name: string) =>
  define({
    name,
    state: State,
    command: Command,
    statuses: Status.literals,
    rule: "handbook",
    births: {
      made: { by: "a promise", to: "OPEN", emits: [], rule: "handbook" },
      found: { by: "a cheque in the post", to: "PAID", emits: [], rule: "handbook" }
    },
    table: {
      Pay: { from: ["OPEN"], to: "PAID" },
      Reopen: { from: ["PAID"], to: "OPEN" }
    },
    statusOf: ({ status }) => status,
    enter: (status) => ({ status })
  })

describe("a machine without words of its own", () => {
  it.each([
    ["Pledge", "A pledge"],
    ["Yearly pledge", "A yearly pledge"],
    ["Annual pledge", "An annual pledge"],
    ["Envelope", "An envelope"],
    ["Instalment", "An instalment"],
    ["Offering", "An offering"],
    ["Undertaking", "An undertaking"],
    ["appeal", "An appeal"]
  ])("speaks of a %s as %s, and of commands by their names", (name, record) => {
    assert.deepStrictEqual(machineOf(name).wording, {
      record,
      can: { Pay: "take Pay", Reopen: "take Reopen" },
      instead: {},
      unless: {}
    })
  })
})

describe("a machine", () => {
  const machine = machineOf("Pledge")

  it("has its births in the order of their names", () => {
    const bys = machine.births.map(({ by }) => by)
    assert.deepStrictEqual(bys, ["a promise", "a cheque in the post"])
  })

  it("has a row for each of its commands, and says where there is none", () => {
    const row = (command: Command) => rowOf<State, State["status"], Command, never>(machine, command)
    assert.strictEqual(row({ _tag: "Pay" }), machine.table.Pay)
    const forget = { _tag: "Forget" } as unknown as Command
    assert.throws(() => row(forget), RangeError, "Pledge has no row for Forget")
    assert.strictEqual(machine.check(forget)?.message, "_tag must be one of Pay, Reopen.")
  })
})
