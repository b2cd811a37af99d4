import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { eventTypes } from "../../../src/domain/outbox/Event.ts"
import { HostEmission, isHostEventType, jsonDataOf } from "../../../src/domain/outbox/HostEvent.ts"
import { character } from "../../../src/testing/Characters.ts"
import { forEvery } from "../../support/Property.ts"
import { broken } from "../../support/Sentences.ts"

const text = fc.string({ unit: character }).filter((each) => !each.includes("\u0000") && each.isWellFormed())

/** Any JSON, as a parser gives it. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4, noNullPrototype: false })
  )
})).value

const object = fc.dictionary(text, json, { maxKeys: 5 })

/** Values that JSON cannot give back. */
const foreign = fc.constantFrom<unknown>(
  new Date(0),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1n,
  Symbol("a"),
  () => 1,
  new Map(),
  new (class Money {
    readonly cents = 1
  })(),
  /a/,
  "\u0000",
  "\ud800"
)

const refusalOf = (given: unknown) => {
  const read = jsonDataOf(given)
  return Result.isFailure(read) ? read.failure : assert.fail("it was taken")
}

/** An object of so many levels. */
const nested = (levels: number): unknown => (levels === 1 ? {} : { a: nested(levels - 1) })

describe("the data of a host's own event", () => {
  it("are any JSON object, and a copy of it", () =>
    forEvery(object, (given) => {
      const before = JSON.stringify(given)
      const read = Result.getOrThrow(jsonDataOf(given))
      assert.strictEqual(JSON.stringify(read), before)
      assert.notStrictEqual(read, given)
    }))

  it("are refused where JSON could not give them back, by the field", () => {
    forEvery(object, text, fc.nat(3), foreign, (given, name, place, value) => {
      fc.pre(name !== "__proto__")
      const before = Array.from({ length: place }, () => 0)
      const refusal = refusalOf({ ...given, [name]: [...before, value] })
      assert.deepInclude(refusal, { _tag: "InvalidInput", param: `data.${name}[${place}]` })
    })
    for (const value of [new Date(0), [1], null, 7, "a", undefined, new Map()]) {
      const refusal = refusalOf(value)
      assert.deepInclude(refusal, { _tag: "InvalidInput", param: "data" })
      assert.isNull(broken(refusal.message), refusal.message)
    }
  })

  it("leave out what is undefined, and keep a field of any name", () => {
    const given = JSON.parse('{"__proto__":{"a":1},"constructor":2}')
    const read = Result.getOrThrow(jsonDataOf({ ...given, none: undefined }))
    assert.deepStrictEqual(Object.keys(read), Object.keys({ ...given }))
    const own = Result.getOrThrow(jsonDataOf(given))
    assert.isTrue(Object.hasOwn(own, "__proto__"))
    assert.strictEqual(JSON.stringify(own), JSON.stringify(given))
  })

  it("have as many bytes and levels as the limits say, and not one more", () => {
    // { "a": "" } has 8 bytes, each é two.
    for (const letter of ["a", "é", "€", "😀", '"']) {
      const bytes = Buffer.byteLength(JSON.stringify(letter)) - 2
      const most = Math.floor((Limits.hostEventBytes - 8) / bytes)
      assert.isTrue(Result.isSuccess(jsonDataOf({ a: letter.repeat(most) })), letter)
      assert.deepInclude(refusalOf({ a: letter.repeat(most + 1) }), { _tag: "InvalidInput", param: "data" })
    }
    assert.isTrue(Result.isSuccess(jsonDataOf(nested(Limits.hostEventDepth))))
    assert.deepInclude(refusalOf(nested(Limits.hostEventDepth + 1)), { param: "data" })
  })

  it("end where they are too large, however they are made", () => {
    const circle: Record<string, unknown> = {}
    circle["a"] = circle
    assert.propertyVal(refusalOf(circle), "_tag", "InvalidInput")
    // Each level names the one below twice: written out, it has no end.
    let wide: unknown = {}
    for (let level = 1; level < Limits.hostEventDepth; level++) wide = { a: wide, b: wide }
    assert.deepInclude(refusalOf(wide), { _tag: "InvalidInput", param: "data" })
    const hostile = new Proxy({}, { ownKeys: () => assert.fail("not to be read") })
    assert.propertyVal(refusalOf({ a: hostile }), "_tag", "MalformedInput")
  })

  it("name what they are about in at most 255 characters", () => {
    for (const field of ["id", "recommendation_set_payment_id"]) {
      assert.isTrue(Result.isSuccess(jsonDataOf({ [field]: "😀".repeat(Limits.identifierCharacters) })))
      const refusal = refusalOf({ [field]: "a".repeat(Limits.identifierCharacters + 1) })
      assert.deepInclude(refusal, { _tag: "InvalidInput", param: `data.${field}` })
      assert.isTrue(Result.isSuccess(jsonDataOf({ a: { [field]: "a".repeat(300) } })))
    }
  })
})

it("a type of a host's own is none of the catalogue, and is read as it is named", () => {
  assert.isEmpty(eventTypes.filter(isHostEventType))
  const isEmission = Schema.is(HostEmission)
  forEvery(fc.oneof(fc.string(), fc.stringMatching(/^x(\.[a-z]\w{0,40}){1,4}$/)), (type) => {
    assert.strictEqual(isEmission({ type, data: {} }), isHostEventType(type), type)
  })
  for (const type of [
    "x.",
    "x",
    "x.1",
    "x.a.",
    "x..a",
    "X.a",
    "x.A",
    "x.a-b",
    " x.a",
    "x.a\n",
    `x.${"a".repeat(99)}`
  ]) {
    assert.isFalse(isHostEventType(type), type)
  }
  for (const type of ["x.a", "x.a_1.b2", `x.${"a".repeat(98)}`]) assert.isTrue(isHostEventType(type), type)
})
