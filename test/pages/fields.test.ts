import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { suggestedAddress } from "../../src/adapters/pages/AddressHint.ts"
import { namesOf, readGift } from "../../src/adapters/pages/GiftFields.ts"
import { amountText, moneyText, typedCents } from "../../src/adapters/pages/MoneyText.ts"
import { isForeign } from "../../src/adapters/pages/PageAnswer.ts"
import { Gift } from "../../src/adapters/pages/PageToken.ts"
import { english } from "../../src/adapters/pages/texts/English.ts"
import { languageFor, languages } from "../../src/adapters/pages/texts/Languages.ts"
import { script, totalScript } from "../../src/adapters/pages/views/Script.ts"
import { stripeScript } from "../../src/adapters/pages/views/StripeScript.ts"
import { settingsOf } from "../../src/domain/giving/FormSettings.ts"
import type * as Checkout from "../../src/domain/sharing/Checkout.ts"
import { forEvery } from "../support/Property.ts"

it("runs at most 4 KB of scripts on a page, uncompressed", () => {
  for (const beside of [totalScript, stripeScript]) assert.isAtMost(Buffer.byteLength(script + beside), 4_096)
})

const amounts = fc.integer({ min: 0, max: 1_000_000_000 })
const currencies = fc.constantFrom("AUD", "NZD", "JPY", "EUR")

describe("an amount", () => {
  it("is read again as it is shown, in a field and in each language", () =>
    forEvery(
      amounts,
      currencies,
      fc.constantFrom("en-AU", "en-GB", "ar", "ar-EG", "fr"),
      (cents, currency, language) => {
        assert.strictEqual(typedCents(amountText(cents, currency), currency), cents)
        const plain = new Intl.NumberFormat(language, {
          minimumFractionDigits: currency === "JPY" ? 0 : 2,
          useGrouping: language !== "fr" || cents < 100_000
        }).format(cents / (currency === "JPY" ? 1 : 100))
        assert.strictEqual(typedCents(plain, currency), cents, plain)
        assert.include(moneyText(cents, currency, "en-AU").replaceAll(/[^\d]/g, ""), String(cents).replace(/00$/, ""))
      }
    ))

  it.each([
    ["1,000", 100_000],
    ["$50", 5_000],
    ["50.5", 5_050],
    ["50,5", 5_050],
    ["٥٠", 5_000],
    ["５０", 5_000],
    [" A$ 1 000.00 ", 100_000],
    ["AUD 12.50", 1_250],
    [".5", 50]
  ])("that is typed as %s is %d", (text, cents) => {
    assert.strictEqual(typedCents(text, "AUD"), cents)
  })

  it.each([
    "",
    "abc",
    "1.000",
    "1.2.3",
    "-5",
    "(5)",
    "50 EUR",
    "1e3",
    "12.345",
    "0x10",
    "5 5",
    "5²",
    "½",
    "⑤",
    "∞",
    "5".repeat(41)
  ])("that is typed as %s is none, or could be two", (text) => {
    assert.isNull(typedCents(text, "AUD"))
  })
})

it("is shown with its currency's code in Arabic, where a symbol of letters and a sign would come apart", () => {
  assert.match(moneyText(5_000, "AUD", "ar"), /^\u200f50\sAUD$/u)
  assert.strictEqual(moneyText(5_000, "AUD", "en-AU"), "$50")
})

describe("what is sent as the first screen", () => {
  const page = {
    form: { ...settingsOf({ name: "Appeal", address_visibility: "REQUIRED" }), id: "frm_x", slug: "appeal" },
    link: null,
    set: null,
    donor: null,
    currency: "AUD",
    minimum_gift_cents: null,
    maximum_gift_cents: 1_000_000_000,
    method_bounds: [
      { method: "card", minimum_cents: 50, maximum_cents: 99_999_999 },
      { method: "bank_transfer", minimum_cents: null, maximum_cents: 1_000_000_000 }
    ],
    frequencies: ["MONTHLY"],
    prompts: []
  } as unknown as Checkout.Page
  const sound: Readonly<Record<string, string>> = {
    amount: "5000",
    cadence: "ONE_TIME",
    name: "Ada Lovelace",
    email: "ada@example.org",
    phone: "0",
    address_line1: "1 Long St",
    suburb: "Perth",
    state: "WA",
    postcode: "6000"
  }
  const anything = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 300 }),
    fc.constantFrom("1e3", "5000.5", "-5", "NaN", "0x10", "other", "9".repeat(30), "MONTHLY", "WEEKLY", "")
  )

  it("is a gift that a submission may have, or says what is wrong with its fields", () =>
    forEvery(
      fc.dictionary(fc.constantFrom("amount_other", ...Object.keys(sound)), anything, { maxKeys: 3 }),
      (typed) => {
        const read = readGift(page, new Map(Object.entries({ ...sound, ...typed })), english)
        if ("faults" in read) assert.isNotEmpty(read.faults)
        else assert.deepStrictEqual(Schema.decodeUnknownSync(Gift)(read.gift), read.gift)
      }
    ))

  const faultsOf = (typed: Readonly<Record<string, string>>, on: Partial<Checkout.Page> = {}) => {
    const read = readGift({ ...page, ...on }, new Map(Object.entries({ ...sound, ...typed })), english)
    return "faults" in read ? read.faults.map(({ text }) => text) : read.gift.amount_cents
  }
  const other = (amount_other: string, cadence = "ONE_TIME") => ({ amount: "other", amount_other, cadence })

  it("is as small and as large as any method takes that gives so often", () => {
    assert.strictEqual(faultsOf(other("0.01")), 1)
    assert.strictEqual(faultsOf(other("10,000,000")), 1_000_000_000)
    assert.deepStrictEqual(faultsOf(other("10,000,000.01")), ["The amount must be $10,000,000 or less"])
    assert.strictEqual(faultsOf(other("0.50", "MONTHLY")), 50)
    assert.deepStrictEqual(faultsOf(other("0.49", "MONTHLY")), ["The amount must be $0.50 or more"])
    assert.deepStrictEqual(faultsOf(other("1,000,000", "MONTHLY")), ["The amount must be $999,999.99 or less"])
  })

  it("is never given once where a rhythm was chosen that the form has offered", () => {
    assert.deepStrictEqual(faultsOf({ cadence: "MONTHLY" }, { frequencies: [] }), [english.pageChanged])
    assert.strictEqual(faultsOf({ cadence: "ONE_TIME" }, { frequencies: [] }), 5_000)
  })

  it("has the chosen amount though the field has the one that the page opened with, and asks about any other there", () => {
    const settings = settingsOf({ name: "Appeal", default_amount_cents: 37_50 })
    const form = { ...settings, id: "frm_x", slug: "appeal" } as unknown as NonNullable<Checkout.Page["form"]>
    assert.strictEqual(faultsOf({ amount_other: "37.50" }, { form }), 5_000)
    assert.strictEqual(faultsOf(other("37.50"), { form }), 3_750)
    assert.deepStrictEqual(faultsOf({ amount_other: "38" }, { form }), [english.whichAmount("38")])
  })

  it("says of a set whether its parts are too little together, or too much", () => {
    const parts = ["one", "two"].map((id) => ({ id, amount_cents: 0, recipient_org_name: id }))
    const set = { amount_mode: "OPEN", min_total_cents: 500, allocations: parts } as unknown as Checkout.Page["set"]
    const given = (one: string, two: string) =>
      faultsOf({ "part.one": one, "part.two": two }, { form: null, set, frequencies: [] })
    assert.strictEqual(given("3", "2"), 500)
    assert.deepStrictEqual(given("2", "2.99"), ["All amounts together must be $5 or more"])
    assert.deepStrictEqual(given("10,000,000", "0.01"), ["The amount must be $10,000,000 or less"])
    assert.deepStrictEqual(given("10,000,000", "10,000,000"), ["The amount must be $10,000,000 or less"])
  })

  it("counts the characters of a name as people do", () => {
    assert.strictEqual(faultsOf({ name: "😀".repeat(255) }), 5_000)
    assert.deepStrictEqual(faultsOf({ name: "😀".repeat(256) }), [english.tooLong(255)])
  })

  it("is a gift as it is", () => {
    assert.deepInclude(readGift(page, new Map(Object.entries(sound)), english), {
      gift: {
        amount_cents: 5_000,
        currency: "AUD",
        frequency: null,
        allocations: null,
        consent: [],
        donor: {
          first_name: "Ada",
          last_name: "Lovelace",
          email: "ada@example.org",
          phone: "0",
          address_line1: "1 Long St",
          address_line2: null,
          suburb: "Perth",
          state: "WA",
          postcode: "6000",
          country: null
        }
      }
    })
  })
})

describe("a name", () => {
  const words = fc.array(fc.stringMatching(/^[\p{L}\p{M}'’.-]{1,9}$/u), { minLength: 1, maxLength: 5 })

  it("is kept whole in two fields", () =>
    forEvery(words, fc.constantFrom(" ", "  ", "\u00a0"), (parts, gap) => {
      const { first_name, last_name } = namesOf(` ${parts.join(gap)} `)
      const joined = last_name === null ? first_name : `${first_name} ${last_name}`
      assert.strictEqual(joined, parts.join(" "))
      assert.isNotEmpty(first_name)
      assert.strictEqual(last_name === null, parts.length === 1)
    }))
})

describe("an address that looks mistyped", () => {
  it.each([
    ["kim@gmial.com", "kim@gmail.com"],
    ["kim@gmal.com", "kim@gmail.com"],
    ["kim@gmail.con", "kim@gmail.com"],
    ["kim@hotmaill.com", "kim@hotmail.com"],
    ["kim+tag@BIGPOND.CON", "kim+tag@bigpond.com"]
  ])("%s is asked about", (typed, meant) => {
    assert.strictEqual(suggestedAddress(typed), meant)
  })

  it.each([
    "kim@gmail.com",
    "kim@GMAIL.com",
    "kim@yahoo.com.au",
    "kim@example.org",
    "kim@bücher.example",
    "@gmial.com"
  ])("%s is not", (typed) => {
    assert.isNull(suggestedAddress(typed))
  })
})

describe("a language", () => {
  it.each([
    [undefined, "en-AU"],
    ["", "en-AU"],
    ["de, fr;q=0.9", "en-AU"],
    ["ar", "ar"],
    ["ar-EG,ar;q=0.9,en;q=0.8", "ar"],
    ["en;q=0.5, ar;q=0.9", "ar"],
    ["ar;q=0, en", "en-AU"],
    ["en-GB", "en-AU"],
    ["en-XA", "en-XA"]
  ])("of %s is %s", (header, lang) => {
    assert.strictEqual(languageFor(header).lang, lang)
  })

  it("has every sentence, and each other one than English", () => {
    for (const texts of languages.filter(({ lang }) => lang !== "en-AU")) {
      for (const [key, value] of Object.entries(texts)) {
        if (typeof value !== "string" || ["lang", "bsb"].includes(key)) continue
        assert.notStrictEqual(
          value,
          Object.entries(english).find(([each]) => each === key)?.[1],
          `${texts.lang} ${key}`
        )
      }
    }
  })
})

describe("a form that is sent", () => {
  const sent = (headers: Readonly<Record<string, string>>) =>
    isForeign({
      method: "POST",
      path: "/f/x",
      query: "",
      headers: { host: "sea.example.org", ...headers },
      clientAddress: "127.0.0.1",
      readBody: () => {
        throw new Error("it is not read")
      }
    })

  it("comes from the page itself, as far as the browser tells", () => {
    assert.isFalse(sent({ "sec-fetch-site": "same-origin", origin: "null" }))
    assert.isFalse(sent({ origin: "https://sea.example.org" }))
    assert.isFalse(sent({ origin: "null" }))
    assert.isFalse(sent({}))
    for (const site of ["cross-site", "same-site"]) assert.isTrue(sent({ "sec-fetch-site": site }), site)
    for (const origin of ["https://evil.example", "https://hill.example.org", "x"])
      assert.isTrue(sent({ origin }), origin)
  })
})
