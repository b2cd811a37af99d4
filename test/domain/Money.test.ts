import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { Cents, Currency, DonationCents } from "../../src/domain/Money.ts"

const isDonation = Schema.is(DonationCents)
const isCents = Schema.is(Cents)

describe("amounts", () => {
  it("of a donation are 1 to 1,000,000,000 minor units", () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.maxSafeInteger()), (cents) => {
        assert.strictEqual(isDonation(cents), cents >= 1 && cents <= 1_000_000_000)
        assert.strictEqual(isCents(cents), cents >= 0)
      })
    )
    for (const cents of [1, 1_000_000_000]) assert.isTrue(isDonation(cents))
    for (const cents of [-1, 0, 1]) assert.strictEqual(isCents(cents), cents >= 0)
    for (const cents of [0, -1, 1_000_000_001]) assert.isFalse(isDonation(cents))
  })

  it("are whole and exact", () => {
    const others = [0.5, 1.1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null, 1n]
    for (const cents of others) assert.isFalse(isDonation(cents) || isCents(cents), String(cents))
  })

  it("are in a currency of three capital letters", () => {
    const is = Schema.is(Currency)
    for (const code of ["AUD", "USD", "NZD"]) assert.isTrue(is(code))
    for (const code of ["aud", "AU", "AUDX", "", "A1D", " AUD", "AUD\n"]) assert.isFalse(is(code), code)
  })
})
