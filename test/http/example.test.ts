import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { exampleOf } from "../../src/adapters/http/endpoints/Example.ts"
import { pageOf } from "../../src/app/access/operation/Operation.ts"
import { Instant } from "../../src/domain/kernel/Timestamp.ts"

const Part = Schema.Struct({ weight: Schema.Int, note: Schema.NullOr(Schema.String) })

const Parcel = Schema.Struct({
  id: Schema.String,
  sent_at: Schema.NullOr(Instant),
  label: Schema.optionalKey(Schema.String),
  parts: Schema.Array(Part)
})

describe("an example", () => {
  it("has null where nothing is given and null may stand, in records within records, too", () => {
    const parcel = { parts: [{ weight: 1 }, { note: "Fragile", weight: 2 }], id: "a" }
    const whole = {
      parts: [
        { weight: 1, note: null },
        { note: "Fragile", weight: 2 }
      ],
      id: "a",
      sent_at: null
    }
    assert.deepStrictEqual(exampleOf(Parcel, { answer: parcel }), { answer: whole })
    const page = { data: [parcel], has_more: false }
    const shown = exampleOf(pageOf(Parcel), { request: { id: "a" }, answer: page })
    assert.deepStrictEqual(shown, { request: { id: "a" }, answer: { data: [whole], has_more: false } })
  })

  it("keeps the order and the fields of what is given", () => {
    const answer = { more: { id: 1 }, sent_at: "2026-04-01T00:00:00.000Z", id: "a", parts: [] }
    assert.strictEqual(JSON.stringify(exampleOf(Parcel, { answer })), JSON.stringify({ answer }))
  })

  it("is not given what must be given", () => {
    assert.deepStrictEqual(exampleOf(Parcel, { answer: {} }), { answer: { sent_at: null } })
  })
})
