import fc from "fast-check"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import { character } from "../../src/testing/Characters.ts"

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

const oddTexts = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfff",
  "\udc00\ud800",
  "\ufeff",
  "\u202e\u200b",
  "\u0645\u0631\u062d\u0628\u0627",
  "e\u0301",
  "é",
  "ﬁ",
  "İ",
  "ß",
  "😀👨‍👩‍👧",
  "\u{10ffff}",
  "\ufffe\uffff",
  "\u001f\u007f\u0085",
  "\u2028\u2029",
  "'; DROP TABLE donors; --",
  "\\",
  "%s%n",
  "{{7*7}}",
  "<script>",
  "../../etc/passwd",
  "__proto__",
  "x".repeat(256),
  "x".repeat(10_001),
  "😀".repeat(5_000),
  "null",
  "NaN",
  "1e999",
  "-1",
  "infinity",
  "0000-00-00",
  "+275760-09-13T00:00:00Z",
  "9999-12-31T23:59:59.999999Z"
]

/** Text of every kind, lone surrogates included. */
export const text = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: character, maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units))
)

/** Text that some field takes. */
export const soundText = fc.constantFrom(
  "Ada",
  " Ada ",
  "ada@example.org",
  "2026-01-01",
  "2026-06-01T00:00:00Z",
  "2026-06-01T00:00:00+10:00",
  "MONETARY",
  "IN_KIND",
  "GOODS",
  "TRUST",
  "ACTIVE",
  "PAUSED",
  "OPEN",
  "SUGGESTED",
  "REQUIRED",
  "MONTHLY",
  "EMAIL",
  "cash",
  "card",
  "AUD",
  "NZD",
  "Europe/Paris",
  "51824753556",
  "https://hooks.example.org/in"
)

const number = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    -1,
    1,
    1.5,
    72,
    73,
    90,
    91,
    1e9,
    1e9 + 1,
    2 ** 31,
    2 ** 53,
    2 ** 63,
    1e21,
    1e308,
    -1e308,
    5e-324
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true })
)

export const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 4, arbitrary: soundText },
  { weight: 2, arbitrary: number },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [null], [[]], { length: 1 }, nested(2_000)) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom<unknown>(...eventTypes.slice(0, 4), "nope", 1), { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(number, { maxLength: 9 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) }
)

/** Names that no field has, or no field of a request. */
export const oddNames = [
  "",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "id",
  "organisation_id",
  "😀",
  "\u0000",
  "a.b",
  "a[0]",
  "x".repeat(2_000)
]
