import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Machine from "../../../src/domain/kernel/Machine.ts"
import * as Rejection from "../../../src/domain/kernel/Rejection.ts"
import { PassphraseLocked } from "../../../src/domain/sharing/Passphrase.ts"
import { broken } from "../../support/Sentences.ts"

const record = "donor"
const id = "dnr_01jqz6x8h4e5vb9m2k7ncw3t5d"
const message = "Something is wrong. Mend it."

const made = {
  AlreadyTaken: () => new Rejection.AlreadyTaken({ record, field: "slug", holder_id: id }),
  Forbidden: () => new Rejection.Forbidden({ operation: "donors.create", message }),
  GuardRefused: () => new Machine.GuardRefused({ machine: "Donor", command: "Merge", rule: "a rule", message }),
  IllegalTransition: () =>
    new Machine.IllegalTransition({ machine: "Donor", command: "Merge", status: "ARCHIVED", message }),
  InvalidCommand: () => new Machine.InvalidCommand({ machine: "Donor", command: "Merge", param: "duplicate", message }),
  InvalidInput: () => new Rejection.InvalidInput({ param: "email", message }),
  KeyRetired: () => new Rejection.KeyRetired({ record, id }),
  LimitReached: () => new Rejection.LimitReached({ message }),
  MalformedInput: () => new Rejection.MalformedInput({ message }),
  NotFound: () => new Rejection.NotFound({ record, id }),
  PassphraseLocked: () => new PassphraseLocked({ retry_after_seconds: 1 }),
  RecordArchived: () => new Rejection.RecordArchived({ record, id }),
  TakesNoPayment: () => new Rejection.TakesNoPayment({ record, id, status: "EXPIRED" })
} as const

const exported: ReadonlyArray<unknown> = [...Object.values(Rejection), ...Object.values(Machine), PassphraseLocked]

const classes = exported.filter((each) => typeof each === "function" && each.prototype instanceof Rejection.Rejection)

describe("rejections", () => {
  it("are all looked at", () => {
    assert.lengthOf(classes, Object.keys(made).length)
  })

  it.each(Object.entries(made))("%s is an error with its name, a sentence and no frames", (tag, make) => {
    const rejection = make()
    assert.instanceOf(rejection, Error)
    assert.instanceOf(rejection, Rejection.Rejection)
    assert.strictEqual(rejection.name, tag)
    assert.strictEqual(rejection._tag, tag)
    assert.isNull(broken(rejection.message), rejection.message)
    assert.strictEqual(rejection.stack, `${tag}: ${rejection.message}`)
    assert.strictEqual(String(rejection), `${tag}: ${rejection.message}`)
  })

  it("leave the errors of others as many frames as they had", () => {
    const before = Error.stackTraceLimit
    made.NotFound()
    assert.throws(() => new Rejection.NotFound({ record, id: JSON.parse("7") }), /id/)
    assert.strictEqual(Error.stackTraceLimit, before)
    assert.isAbove((new Error("with frames").stack ?? "").split("\n").length, 3)
  })

  it("are told apart as schemas", () => {
    assert.isTrue(Schema.is(Rejection.NotFound)(made.NotFound()))
    assert.isFalse(Schema.is(Rejection.NotFound)(made.KeyRetired()))
  })

  it.each([
    [new Rejection.RecordArchived({ record, id }), `The donor ${id} is archived. That is final,`],
    [
      new Rejection.RecordArchived({ record: "API key", id, ending: "revoked" }),
      `The API key ${id} is revoked. That is final,`
    ],
    [
      new Rejection.RecordArchived({ record, id, ending: "disabled", instead: "Enable it." }),
      `The donor ${id} is disabled. Enable it.`
    ]
  ])("say how a record ended", (rejection, said) => {
    assert.include(rejection.message, said)
  })
})
