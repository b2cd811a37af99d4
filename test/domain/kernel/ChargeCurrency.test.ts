import { assert, describe, it } from "@effect/vitest"
import { isChargeable } from "../../../src/domain/kernel/ChargeCurrency.ts"
import { currencies } from "../../../src/domain/kernel/Currencies.ts"

/** The digits of a currency's minor unit as the host's locale data have them. */
const digitsOf = (currency: string): number =>
  new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2

describe("a currency of charges", () => {
  it("is none that anybody counts in anything but hundredths, the yen apart", () => {
    // Locale data round some currencies to whole units that ISO 4217 counts in hundredths.
    const rounded = new Set(
      "AFN ALL CUP HUF IDR IRR KPW LAK LBP MMK PKR RSD SLE SOS SYP TWD TZS UZS YER COP CRC HUF NOK SEK CZK AMD KZT MNT GYD MUR STN ZMW".split(
        " "
      )
    )
    for (const currency of currencies) {
      const digits = digitsOf(currency)
      if (digits > 2) assert.isFalse(isChargeable(currency), currency)
      if (digits === 0 && currency !== "JPY" && !rounded.has(currency)) assert.isFalse(isChargeable(currency), currency)
    }
    for (const currency of ["AUD", "NZD", "USD", "EUR", "GBP", "HUF", "JPY"]) assert.isTrue(isChargeable(currency))
    for (const currency of ["KRW", "VND", "KWD", "CLF", "MGA"]) assert.isFalse(isChargeable(currency), currency)
  })

  it("is one of ISO 4217", () => {
    for (const text of ["", "aud", "XAU", "AUDX"]) assert.isFalse(isChargeable(text))
  })
})
