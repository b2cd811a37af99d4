import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { openApi } from "../../../src/adapters/http/reference/OpenApi.ts"
import { Cents, Currency, CurrencyInUse, DonationCents } from "../../../src/domain/kernel/Money.ts"
import { forEvery } from "../../support/Property.ts"

const isDonation = Schema.is(DonationCents)
const isCents = Schema.is(Cents)

describe("amounts", () => {
  it("of a donation are 1 to 1,000,000,000 minor units", () => {
    forEvery(fc.oneof(fc.integer(), fc.maxSafeInteger()), (cents) => {
      assert.strictEqual(isDonation(cents), cents >= 1 && cents <= 1_000_000_000)
      assert.strictEqual(isCents(cents), cents >= 0)
    })
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

  it("are given in a currency of ISO 4217, and kept in one that was", () => {
    const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
    const triples = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
    const [isGiven, isKept] = [Schema.is(CurrencyInUse), Schema.is(Currency)]
    assert.isTrue(triples.every(isKept))
    const given = triples.filter(isGiven)
    assert.lengthOf(given, 165)
    // A code for which the host's own tables have no name is no currency, except two that are younger than some tables.
    const names = new Intl.DisplayNames("en", { type: "currency", fallback: "none" })
    const unknown = given.filter((code) => names.of(code) === undefined && !["XAD", "XCG"].includes(code))
    assert.deepStrictEqual(unknown, [])
    for (const code of ["AUD", "NZD", "EUR", "JPY", "KWD", "XOF", "XCG"]) assert.include(given, code)
    for (const code of ["AAA", "XTS", "XAU", "XDR", "DEM", "HRK", "BGN", "ANG", "CUC"]) assert.notInclude(given, code)
    for (const code of ["aud", "AUDX", "", " AUD", "AUD\n"]) assert.isFalse(isGiven(code), code)
    const schemas = Object(openApi({ apiBaseUrl: "http://localhost", version: "1" }).components?.schemas)
    const said = JSON.stringify(schemas.NewCheckoutLink.properties.currency)
    const [, pattern = ""] = /"pattern":"([^"]*)"/.exec(said) ?? []
    assert.deepStrictEqual(
      triples.filter((code) => new RegExp(pattern).test(code)),
      given
    )
  })
})
