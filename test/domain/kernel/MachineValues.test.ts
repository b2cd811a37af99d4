import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result, Schema } from "effect"
import fc from "fast-check"
import * as Donation from "../../../src/domain/giving/Donation.ts"
import * as Machine from "../../../src/domain/kernel/Machine.ts"
import * as Event from "../../../src/domain/outbox/Event.ts"
import { machinesMarkdown, machines as printed } from "../../../src/printing/ReferenceMachines.ts"
import * as Histories from "../../../src/testing/Histories.ts"
import { hostileCommands } from "../../../src/testing/Laws.ts"
import { donations } from "../../../src/testing/subjects/Donations.ts"
import { fieldsOf } from "../../support/Answer.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const { machine } = Donation
const at = DateTime.makeUnsafe("2026-04-02T00:00:00Z")

class Pledge extends Schema.Opaque<Pledge>()(
  Schema.Struct({ id: Schema.String, status: Schema.Literals(["OPEN", "PAID"]), cents: Schema.Int })
) {}
const Command = Schema.TaggedUnion({ RaiseBy: { cents: Schema.Int }, Pay: { at: Schema.DateTimeUtc } })

const pledges = Machine.define({
  name: "Annual pledge",
  state: Pledge,
  command: Command,
  statuses: ["OPEN", "PAID"],
  events: { "pledge.paid": { data: Schema.Struct({ id: Schema.String }), of: ({ id }) => ({ id }) } },
  rule: "handbook",
  births: { made: { by: "a promise", to: "OPEN", emits: [], rule: "handbook" } },
  table: {
    RaiseBy: {
      from: ["OPEN"],
      to: "OPEN",
      ...Machine.requires<Pledge, { readonly cents: number }>(["it becomes more", (_, { cents }) => cents > 0]),
      patch: (self, { cents }) => ({ cents: self.cents + cents })
    },
    Pay: { from: ["OPEN"], to: "PAID", emits: ["pledge.paid"] }
  },
  statusOf: ({ status }) => status,
  enter: (status) => ({ status })
})

const pledge: Pledge = { id: "p", status: "OPEN", cents: 5 }

const failureOf = <A, E>(result: Result.Result<A, E>): E =>
  Result.isFailure(result) ? result.failure : assert.fail("it was not refused")

describe("a machine that is defined", () => {
  it("refuses in plain words where it has none of its own", () => {
    const paid: Pledge = { ...pledge, status: "PAID" }
    assert.strictEqual(
      failureOf(Machine.decide(pledges, paid, { _tag: "Pay", at })).message,
      "An annual pledge can take Pay only while it is OPEN; this one is PAID."
    )
    const { message } = failureOf(Machine.decide(pledges, pledge, { _tag: "RaiseBy", cents: 0 }))
    assert.strictEqual(message, "This is possible only when it becomes more.")
  })

  it("answers state, events with their data, and what happened", () => {
    const decision = Result.getOrThrow(Machine.decide(pledges, pledge, { _tag: "Pay", at }))
    assert.deepStrictEqual(decision, {
      state: { id: "p", status: "PAID", cents: 5 },
      events: [{ type: "pledge.paid", data: { id: "p" } }],
      transition: {
        machine: "Annual pledge",
        row: "Pay",
        at,
        from: "OPEN",
        to: "PAID",
        command: { _tag: "Pay", at },
        changed: { status: "PAID" }
      }
    })
  })

  it("has no instant where the command has none", () => {
    const raised = Result.getOrThrow(Machine.decide(pledges, pledge, { _tag: "RaiseBy", cents: 2 }))
    assert.isNull(raised.transition.at)
    assert.deepStrictEqual(raised.transition.changed, { cents: 7, status: "OPEN" })
  })

  it("is drawn", () => {
    assert.strictEqual(
      Machine.toMermaid(pledges),
      [
        "stateDiagram-v2",
        "  [*] --> OPEN: a promise",
        "  OPEN --> OPEN: RaiseBy",
        "  OPEN --> PAID: Pay",
        "  PAID --> [*]"
      ].join("\n")
    )
    for (const each of printed) assert.include(machinesMarkdown(), `\n${Machine.toMermaid(each)}\n`)
  })
})

describe("a value outside the commands' schemas", () => {
  const refused = (command: unknown) => {
    const gift = fc.sample(donations.states, { numRuns: 1, seed: 1 })[0] ?? assert.fail()
    const failure = failureOf(Machine.decide(machine, gift, command as Donation.Command))
    return failure._tag === "InvalidCommand"
      ? [failure.command, failure.param, failure.message]
      : assert.fail(failure._tag)
  }

  it.each([
    [
      { _tag: "RefundPart", at, amount_cents: -500 },
      ["RefundPart", "amount_cents", "amount_cents must be from 1 to 1000000000."]
    ],
    [{ _tag: "RefundPart", at }, ["RefundPart", "amount_cents", "amount_cents is missing."]],
    [{ _tag: "Lapse", at: "now" }, ["Lapse", "at", "at is of the wrong type."]],
    [
      { _tag: "Settle", at, received_on: "2026-02-30" },
      ["Settle", "received_on", "received_on must be a calendar date, YYYY-MM-DD."]
    ]
  ] as const)("%o is refused by its field", (command, said) => assert.deepStrictEqual(refused(command), [...said]))

  it.each([null, undefined, 7, "Settle", [], {}, { _tag: "Forget", at }, { _tag: Symbol("Settle"), at }])(
    "%o is no command",
    (command) => {
      const [, param, message = ""] = refused(command)
      assert.strictEqual(param, "_tag")
      assert.match(message, /^_tag must be one of EnterNetwork, Settle, .*LoseChargebackPart\.$/)
    }
  )

  it("is refused whatever the status, and before the status is looked at", () =>
    forEvery(donations.states, hostileCommands(machine.command, donations.commands), (gift, command) => {
      const failure = failureOf(Machine.decide(machine, gift, command))
      assert.strictEqual(failure._tag, "InvalidCommand")
      assert.isFalse(Machine.can(machine, gift, command))
    }))
})

describe("a record's history", () => {
  const born = donations.states
    .filter(({ status }) => status === "PENDING")
    .map((start) => ({ start, birth: Machine.birth(machine, Donation.births.submitted, () => start) }))

  const history = Histories.of(machine, donations)

  const transitionsOf = ({
    birth,
    born: start,
    steps
  }: Histories.History<Donation.Donation, Donation.Status, Donation.Command, Donation.DonationEvent>) => {
    const transitions: Array<Machine.Transition<Donation.Donation, Donation.Status, Donation.Command>> = [
      Machine.birth(machine, birth, () => start).transition
    ]
    let state = start
    for (const { command } of steps) {
      const decision = Result.getOrThrow(Machine.decide(machine, state, command))
      transitions.push(decision.transition)
      state = decision.state
    }
    return transitions
  }

  it("is its transitions: replayed, they are the record", () =>
    forEvery(history, (whole) => {
      assert.deepStrictEqual(Machine.replay(machine, transitionsOf(whole)), Option.some(whole.state))
    }))

  it("is known at every instant: what came later is left out", () =>
    forEvery(history, fc.nat(), (whole, pick) => {
      const transitions = transitionsOf(whole)
      const { at: until } = transitions[pick % transitions.length] ?? assert.fail()
      if (until === null) return
      const known = [
        whole.born,
        ...whole.steps
          .filter(({ command }) => DateTime.isLessThanOrEqualTo(command.at, until))
          .map(({ state }) => state)
      ]
      const expected = DateTime.isGreaterThan(whole.born.created_at, until) ? undefined : known.at(-1)
      assert.deepStrictEqual(Machine.replay(machine, transitions, { until }), Option.fromNullishOr(expected))
    }))

  it("begins with a birth, has one, and is of one machine", () =>
    forEveryWith({ numRuns: 20 }, born, ({ birth, start }) => {
      const { transition } = Result.getOrThrow(
        Machine.decide(machine, start, { _tag: "Fail", at, failure_code: "card_declined" })
      )
      assert.deepStrictEqual(Machine.replay(machine, []), Option.none())
      assert.throws(() => Machine.replay(machine, [transition]), RangeError, /not born yet/)
      assert.throws(() => Machine.replay(machine, [birth.transition, birth.transition]), RangeError, /born already/)
      assert.throws(() => Machine.replay(machine, [birth.transition, transition, transition]), RangeError, /is FAILED/)
      const foreign = { ...transition, machine: "Refund" }
      assert.throws(() => Machine.evolve(machine, start, foreign), RangeError, /of Refund, and not of Donation/)
    }))
})

describe("what a record takes now", () => {
  it("is what deciding says, for every command", () =>
    forEvery(donations.states, fc.array(donations.commands, { maxLength: 6 }), (gift, commands) => {
      const answers = Machine.permittedCommands(machine, gift, commands)
      assert.deepStrictEqual(fieldsOf(answers, "command"), Object.keys(machine.table))
      for (const { answer, command, why } of answers) {
        const { from, guard } = Machine.rowOf<
          Donation.Donation,
          Donation.Status,
          Donation.Command,
          Donation.DonationEvent
        >(machine, donationCommand(command))
        const given = commands.find(({ _tag }) => _tag === command)
        if (given !== undefined) {
          const decision = Machine.decide(machine, gift, given)
          assert.strictEqual(answer, Result.isSuccess(decision) ? "yes" : "no")
          assert.strictEqual(why, Result.isSuccess(decision) ? null : decision.failure.message)
          assert.strictEqual(Machine.can(machine, gift, given), Result.isSuccess(decision))
        } else if (!from.includes(gift.status)) {
          assert.strictEqual(answer, "no")
          assert.include(why ?? "", `this one is ${gift.status}.`)
        } else assert.strictEqual(answer, guard === undefined ? "yes" : "depends")
      }
    }))

  const donationCommand = (tag: string): Donation.Command =>
    fc.sample(
      donations.commands.filter(({ _tag }) => _tag === tag),
      { numRuns: 1 }
    )[0] ?? assert.fail()

  it("is decided in a status that is known, and refused in any other", () =>
    forEvery(donations.states, (gift) => {
      const command = { _tag: "Fail", at, failure_code: "card_declined" } as const
      const decision = Machine.in(machine, "PENDING").decide(gift, command)
      if (gift.status === "PENDING") assert.deepStrictEqual(decision, Machine.decide(machine, gift, command))
      else {
        const failure = failureOf(decision)
        assert.strictEqual(failure._tag, "IllegalTransition")
        assert.include(failure.message, ` only while it is PENDING; this one is ${gift.status}.`)
      }
    }))
})

describe("the events of all machines", () => {
  const catalogued = new Set<string>(Event.eventTypes)

  it("are those of the catalogue", () => {
    for (const { births, table } of printed) {
      const emitted = [...births, ...Object.values(table)].flatMap(({ emits }) => emits)
      for (const type of emitted) assert.isTrue(catalogued.has(type), type)
    }
  })
})
