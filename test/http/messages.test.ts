import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decoder } from "../../src/app/kernel/decoding/Decoder.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { fieldNamesOf, guardedOperations, soundBody } from "../support/Declaration.ts"
import { broken } from "../support/Sentences.ts"

const taking = guardedOperations.flatMap((operation) =>
  operation.payload === undefined ? [] : [{ operation, payload: operation.payload }]
)

const bad: ReadonlyArray<unknown> = [
  null,
  true,
  7.5,
  -1,
  0,
  1e20,
  Number.POSITIVE_INFINITY,
  "",
  " ",
  "x",
  "\u0000",
  "x".repeat(20_001),
  "2026-02-30",
  [],
  [{}],
  [1, 1],
  ["x", "x"],
  Array.from({ length: 2_000 }, (_, index) => index + 1),
  {},
  { nose: "red" }
]

const refusals = taking.flatMap(({ operation, payload }) => {
  const decode = decoder(payload, operation.record)
  const sound = Object(soundBody(operation))
  const bodies = [
    ...bad,
    ...fieldNamesOf(operation).flatMap((field) => bad.map((value) => ({ ...sound, [field]: value })))
  ]
  const without = fieldNamesOf(operation).map((field) =>
    Object.fromEntries(Object.entries(sound).filter(([name]) => name !== field))
  )
  return [...bodies, ...without].flatMap((body) => {
    const decoded = decode(body)
    return Result.isFailure(decoded) ? [{ name: operation.name, body, failure: decoded.failure }] : []
  })
})

describe("the fault of a body", () => {
  it("is told in sentences, of every operation and field", () => {
    assert.isAbove(refusals.length, 1_000)
    for (const { body, failure, name } of refusals) {
      const about = `${name} ${JSON.stringify(body).slice(0, 200)}: ${failure.message}`
      assert.isNull(broken(failure.message), about)
      // The description of a field says what it is, with a capital; a rule goes on with the sentence.
      assert.notMatch(failure.message, /must be [A-Z]/, about)
      assert.notMatch(failure.message, /RegExp|matching|is not valid|out of range|wrong type/, about)
      if (failure._tag === "InvalidInput") assert.isTrue(failure.message.startsWith(failure.param), about)
    }
  })

  it("names the type that is expected, and the one that is given", () => {
    const said = new Set(refusals.map(({ failure }) => failure.message))
    const expected = [
      "amount_cents must be an integer, not null.",
      "amount_cents must be an integer, not a boolean.",
      "amount_cents must be an integer, not a string.",
      "amount_cents must be an integer, not an array.",
      "amount_cents must be an integer, not a fraction.",
      "first_name must be a string or null, not a number.",
      "allow_recurring must be true, false or null, not a string.",
      "The body must be an object, not an array."
    ]
    for (const each of expected) assert.include([...said], each.replace("true, false", "true or false"))
  })

  it("names both bounds of a range", () => {
    const range = `amount_cents must be from 1 to ${Limits.donationMaximumCents}.`
    const tried = [0, -1, 1e20, Number.POSITIVE_INFINITY]
    const messages = refusals.filter(({ body }) => tried.includes(Object(body).amount_cents))
    assert.isNotEmpty(messages)
    assert.deepStrictEqual([...new Set(messages.map(({ failure }) => failure.message))], [range])
  })

  it("names the most amounts that a form suggests", () => {
    const messages = refusals.flatMap(({ body, failure }) => {
      const given: unknown = Object(body).suggested_amounts_cents
      return Array.isArray(given) && given.length > 2 ? [failure.message] : []
    })
    assert.deepStrictEqual(
      [...new Set(messages)],
      [`suggested_amounts_cents must have at most ${Limits.formSuggestedAmounts} items.`]
    )
  })

  it("names the fields that there are where one is not known", () => {
    const unknown = refusals.filter(({ failure }) => failure.message.startsWith("nose is not a field"))
    assert.isAtLeast(unknown.length, taking.length - 1)
    for (const { failure } of unknown)
      assert.match(failure.message, /^nose is not a field of this operation\. It takes /)
  })
})
