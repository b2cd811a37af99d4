import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result, Schema } from "effect"
import fc from "fast-check"
import { addTime, readInstant, subtractTime } from "../../../src/domain/kernel/InstantRange.ts"
import { parse, Timestamp } from "../../../src/domain/kernel/Timestamp.ts"
import { character } from "../../../src/testing/Characters.ts"
import { forEvery } from "../../support/Property.ts"

const millis = fc.integer({ min: Date.parse("0001-01-02T00:00:00Z"), max: Date.UTC(9999, 11, 30) })

const pad = (value: number): string => String(value).padStart(2, "0")

/** The same instant as a clock that is `minutes` ahead of UTC writes it. */
const written = (instant: number, minutes: number): string => {
  const local = new Date(instant + minutes * 60_000).toISOString().slice(0, -1)
  const size = Math.abs(minutes)
  return `${local}${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`
}

const read = (text: string): number | undefined =>
  Option.getOrUndefined(Option.map(parse(text), DateTime.toEpochMillis))

const decode = Schema.decodeUnknownResult(Timestamp)

describe("a timestamp", () => {
  it("is the instant that it names, at any offset", () =>
    forEvery(millis, fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }), (instant, minutes) => {
      const text = written(instant, minutes)
      fc.pre(/^\d{4}-/.test(text) && !text.startsWith("0000"))
      assert.strictEqual(read(text), instant, text)
      assert.isTrue(Result.isSuccess(decode(text)))
    }))

  it("is read to the millisecond, finer digits cut off", () => {
    forEvery(millis, fc.stringMatching(/^\d{1,6}$/), (instant, finer) => {
      const text = new Date(instant).toISOString()
      assert.strictEqual(read(text.replace("Z", `${finer}Z`)), instant)
    })
    assert.strictEqual(read("2026-01-01T00:00:00Z"), Date.UTC(2026, 0, 1))
    assert.strictEqual(read("2026-01-01T00:00:00.5Z"), Date.UTC(2026, 0, 1, 0, 0, 0, 500))
  })

  it("is written back in UTC", () =>
    forEvery(millis, fc.constantFrom(0, 600, -210), (instant, minutes) => {
      const value = Result.getOrThrow(decode(written(instant, minutes)))
      assert.strictEqual(Schema.encodeSync(Timestamp)(value), new Date(instant).toISOString())
    }))

  it("is refused in every other form", () => {
    const others = [
      "",
      "2026-01-01 00:00:00Z",
      "2026-01-01T00:00:00Z ",
      "2026-01-01T00:00:00Z\n",
      "Thu, 01 Jan 2026 00:00:00 GMT",
      ...`2026-01-01 2026-01-01T00:00:00 2026-01-01T00:00Z 2026-01-01T24:00:00Z 2026-01-01T00:60:00Z
        2026-01-01T00:00:60Z 2026-02-30T00:00:00Z 2026-13-01T00:00:00Z 2026-01-01T00:00:00.Z
        2026-01-01T00:00:00.1234567890Z 2026-01-01T00:00:00+1000 2026-01-01T00:00:00+24:00
        2026-01-01T00:00:00+10:60 0000-01-01T00:00:00Z +002026-01-01T00:00:00Z 1767225600`.split(/\s+/)
    ]
    for (const text of others) {
      assert.isUndefined(read(text), text)
      assert.isTrue(Result.isFailure(decode(text)), text)
    }
  })

  it("stays in the years 1 to 9999, offset included", () => {
    assert.isDefined(read("0001-01-01T00:00:00Z"))
    assert.isDefined(read("9999-12-31T23:59:59.999Z"))
    assert.isUndefined(read("0001-01-01T00:00:00+00:01"))
    assert.isUndefined(read("9999-12-31T23:59:59-00:01"))
    const [first, last] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")]
    const offset = fc.integer({ min: 1, max: 23 * 60 + 59 })
    forEvery(fc.integer({ min: -3, max: 3 }), offset, (millis, minutes) => {
      assert.strictEqual(read(written(first + millis, minutes)), millis < 0 ? undefined : first + millis)
      assert.strictEqual(read(written(last + millis, -minutes)), millis > 0 ? undefined : last + millis)
    })
  })

  it("is read or refused without an exception, whatever the text", () =>
    forEvery(fc.string({ unit: character }), (text) => assert.isUndefined(read(text))))
})

it("the sum of an instant and a duration is exact within the years 1 to 9999, and there is none outside", () => {
  const [first, last] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")]
  const span = fc.oneof(
    fc.integer({ min: 0, max: 2 * last }),
    fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER, 1e300, Number.POSITIVE_INFINITY, Number.NaN)
  )
  forEvery(fc.oneof(millis, fc.constantFrom(first, last)), span, (from, milliseconds) => {
    const at = DateTime.makeUnsafe(from)
    for (const [move, sum] of [
      [addTime, from + milliseconds],
      [subtractTime, from - milliseconds]
    ] as const) {
      // What is not a number of milliseconds is no time at all to Effect.
      const expected = Number.isNaN(milliseconds) ? from : sum
      if (expected >= first && expected <= last) assert.strictEqual(move(at, milliseconds).epochMilliseconds, expected)
      else assert.throws(() => move(at, milliseconds), RangeError)
    }
  })
  forEvery(fc.oneof(fc.double(), millis), (at) =>
    assert.strictEqual(Option.isSome(readInstant(at)), Math.trunc(at) >= first && Math.trunc(at) <= last, String(at))
  )
})
