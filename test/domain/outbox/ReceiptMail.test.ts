import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { DonationId, PaymentId } from "../../../src/domain/kernel/Ids.ts"
import { type MailContent, plainText } from "../../../src/domain/kernel/MailContent.ts"
import { Frequency } from "../../../src/domain/kernel/Schedule.ts"
import { wordsIn } from "../../../src/domain/outbox/MailWords.ts"
import {
  type PaymentSummaryFacts,
  paymentSummaryMail,
  type ReceiptFacts,
  receiptMail,
  yearlySummaryMail
} from "../../../src/domain/outbox/ReceiptMail.ts"
import { forEvery } from "../../support/Property.ts"

const { amount: amountText } = wordsIn("en-AU")

const typed = fc.string({
  unit: fc.constantFrom("<", "&", "a", "é", " ", "\n", "\r", "\u0007", "\u202e"),
  maxLength: 12
})
const name = typed.map((each) => `Sea ${each}`)
const cents = fc.integer({ min: 1, max: 1_000_000 })

const organisation = fc.record({ name, abn: fc.option(fc.constant("51824753556")), is_sandbox: fc.boolean() })

const receipt: fc.Arbitrary<ReceiptFacts> = fc.record({
  language: fc.constant("en-AU"),
  organisation,
  settings: fc.record({
    fund_name: fc.option(name),
    fund_abn: fc.option(fc.constant("53004085616")),
    is_deductible: fc.boolean()
  }),
  gift: fc.tuple(cents, cents, fc.constantFrom("card", "payto", null)).map(([amount, back, payment_method]) => ({
    id: DonationId.make("don_01jqz6x8h4e5vb9m2k7ncw3t5d"),
    amount_cents: Math.max(amount, back),
    refunded_amount_cents: amount % 3 === 0 ? 0 : Math.min(amount, back),
    currency: "AUD",
    donation_day: CalendarDate.make("2026-06-30"),
    payment_method
  })),
  frequency: fc.option(fc.constantFrom(...Frequency.literals)),
  donor_name: fc.option(typed),
  is_correction: fc.boolean(),
  is_disclosed: fc.boolean(),
  is_year_over: fc.boolean()
})

const shares = fc.array(
  cents.chain((amount_cents) =>
    fc.record({
      recipient_name: name,
      amount_cents: fc.constant(amount_cents),
      refunded_amount_cents: fc.oneof(fc.constantFrom(0, amount_cents), fc.nat(amount_cents))
    })
  ),
  { minLength: 1, maxLength: 4 }
)

const summary: fc.Arbitrary<PaymentSummaryFacts> = fc
  .record({
    language: fc.constant("en-AU" as const),
    organisation,
    day: fc.constant(CalendarDate.make("2026-07-01")),
    donor_name: fc.option(typed),
    shares,
    is_correction: fc.boolean()
  })
  .map((facts) => ({
    ...facts,
    payment: {
      id: PaymentId.make("rsp_01jqz6x8h4e5vb9m2k7ncw3t5d"),
      total_amount_cents: facts.shares.reduce((sum, { amount_cents }) => sum + amount_cents, 0),
      currency: "AUD",
      payment_method_type: "card"
    }
  }))

const isOneLine = (text: string) => assert.notMatch(text, /[\p{Cc}\p{Zl}\p{Zp}\u202e]/u)

/** Names are on one line wherever they stand. */
const isTidy = (content: MailContent) => {
  isOneLine(content.subject)
  for (const part of content.parts) {
    if (typeof part === "string") isOneLine(part)
    else if (part.kind === "facts") for (const cell of part.rows.flat()) isOneLine(cell)
  }
}

describe("a receipt", () => {
  it("says that it is for a gift, its number, amount and day, and what was given back", () =>
    forEvery(receipt, (facts) => {
      const { gift } = facts
      const content = receiptMail(facts)
      isTidy(content)
      const text = plainText(content)
      for (const words of ["This receipt is for a gift.", gift.id, "Date: 30 June 2026"]) assert.include(text, words)
      assert.include(text, `Amount: ${amountText(gift.amount_cents, "AUD")}\n`)
      const back = `Given back: ${amountText(gift.refunded_amount_cents, "AUD")}\n`
      assert.strictEqual(text.includes(back), gift.refunded_amount_cents > 0)
      assert.strictEqual(content.subject.startsWith("Corrected receipt"), facts.is_correction)
      assert.match(content.subject, /^(?:Corrected r|R)eceipt /)
      assert.strictEqual(text.includes("takes the place"), facts.is_correction)
      const isOfSummary = facts.is_correction && facts.is_year_over
      assert.strictEqual(text.includes("the summary of your gifts of 2025-26"), isOfSummary)
      assert.strictEqual(/Given: every/.test(text), facts.frequency !== null)
      assert.strictEqual(text.includes("asks donors, too, to lodge"), facts.is_disclosed)
      assert.strictEqual(text.startsWith("This is a test"), facts.organisation.is_sandbox)
    }))

  it("greets its donor, and by no name that a program of mail makes a link of: whose address it is was typed, too", () => {
    const reaching = ["http://evil.example/win", "www.evil.example", "evil\u200e.example", "Win at evil.example!"]
    const others = ["kim@evil.example", "//evil", "evil\u3002example", "Call 0400 000 000", "Call ٠٤٠٠"]
    const names = ["Ada <b>", "J.R.", "Mary Ann", "St. John", "O’Brien", "سارة", "3M", "Ada/Bea", "Dr.\u2028Kim"]
    return forEvery(
      receipt,
      fc.constantFrom(...reaching, ...others),
      fc.constantFrom(...names),
      (facts, reach, donor_name) => {
        assert.match(
          plainText(receiptMail({ ...facts, donor_name: reach })),
          /^(?:This is a test[^\n]*\n\n)?Thank you for/u
        )
        assert.include(
          plainText(receiptMail({ ...facts, donor_name })),
          `${donor_name.replace("\u2028", " ")}, thank you`
        )
      }
    )
  })

  it("claims that the gift is deductible where that is set alone, and of nothing that was given back whole", () =>
    forEvery(receipt, (facts) => {
      const { amount_cents, refunded_amount_cents } = facts.gift
      const isClaimed = plainText(receiptMail(facts)).includes("deductible")
      assert.strictEqual(isClaimed, facts.settings.is_deductible && refunded_amount_cents < amount_cents)
    }))

  it("names the fund with its own ABN, and never another's", () =>
    forEvery(receipt, (facts) => {
      const { organisation, settings } = facts
      const [, abn = null] = /^ABN: (.*)$/mu.exec(plainText(receiptMail(facts))) ?? []
      const own = settings.fund_name === null ? organisation.abn : null
      assert.strictEqual(abn?.replaceAll("\u00a0", "") ?? null, settings.fund_abn ?? own)
    }))

  it("is read like this", () => {
    const [facts] = fc.sample(receipt, { numRuns: 1, seed: 1 })
    if (facts === undefined) return assert.fail("there are facts")
    const content = receiptMail({
      language: "en-AU",
      organisation: { name: "Sea Rescue", abn: null, is_sandbox: false },
      settings: { fund_name: "Sea Rescue Relief Fund", fund_abn: "53004085616", is_deductible: true },
      gift: { ...facts.gift, amount_cents: 5_000, refunded_amount_cents: 2_000, payment_method: "au_becs_debit" },
      frequency: "MONTHLY",
      donor_name: "Mary",
      is_correction: true,
      is_disclosed: true,
      is_year_over: true
    })
    assert.strictEqual(content.subject, "Corrected receipt for your gift to Sea Rescue")
    assert.strictEqual(
      plainText(content),
      `Mary, thank you for your gift to Sea Rescue.

This receipt takes the place of the one that you had for this gift: part of it was given back.

If you had the summary of your gifts of 2025-26, this receipt takes the place of what it says of this gift, too.

This receipt is for a gift.

Receipt: don_01jqz6x8h4e5vb9m2k7ncw3t5d
Given to: Sea Rescue Relief Fund
ABN: 53\u00a0004\u00a0085\u00a0616
Amount: $50.00
Given back: $20.00
What is left of the gift: $30.00
Date: 30 June 2026
Paid by: Direct debit
Given: every month

Gifts to Sea Rescue Relief Fund are tax deductible.

It is given every month until you end it: Sea Rescue ends it for you when you ask.

Your gifts to Sea Rescue are over a threshold of the law on political gifts. It asks donors, too, to lodge what they gave: the electoral commission says how and until when. This is no legal advice.

`
    )
  })
})

describe("what a receipt and the summaries say of money", () => {
  const sea = { name: "Sea Rescue", abn: null, is_sandbox: false }
  const settings = { fund_name: null, fund_abn: null, is_deductible: true }
  const id = DonationId.make("don_01jqz6x8h4e5vb9m2k7ncw3t5d")
  const donation_day = CalendarDate.make("2026-06-30")
  const rowsIn = ({ parts }: MailContent) =>
    parts.flatMap((part) => (typeof part !== "string" && part.kind === "facts" ? [...part.rows] : []))
  const paidBy = (payment_method: string | null) =>
    new Map(
      rowsIn(
        receiptMail({
          language: "en-AU",
          organisation: sea,
          settings,
          gift: { id, amount_cents: 5_000, refunded_amount_cents: 0, currency: "AUD", donation_day, payment_method },
          frequency: null,
          donor_name: null,
          is_correction: false,
          is_disclosed: false,
          is_year_over: false
        })
      )
    ).get("Paid by")

  it("names each means of payment as people do", () => {
    const named = ["card", "au_becs_debit", "payto", "bank_transfer", "cheque", null].map(paidBy)
    assert.deepStrictEqual(named, ["Card", "Direct debit", "PayTo", "Bank transfer", "Another way", "Another way"])
  })

  const corrected = (refunded_amount_cents: number) =>
    plainText(
      receiptMail({
        language: "en-AU",
        organisation: sea,
        settings,
        gift: { id, amount_cents: 5_000, refunded_amount_cents, currency: "AUD", donation_day, payment_method: "card" },
        frequency: null,
        donor_name: null,
        is_correction: true,
        is_disclosed: false,
        is_year_over: false
      })
    )

  it("says whether nothing, a part or all of a gift was given back, and never that a returned gift is deductible", () => {
    const said = [0, 1, 4_999, 5_000].map((back) => /(nothing|part|all) of it/.exec(corrected(back))?.[1])
    assert.deepStrictEqual(said, ["nothing", "part", "part", "all"])
    const claims = [0, 4_999, 5_000].map((back) => corrected(back).includes("are tax deductible"))
    assert.deepStrictEqual(claims, [true, true, false])
  })

  it("says what was paid for all recipients, when and how, and by its subject what it is", () => {
    const facts = (is_correction: boolean): PaymentSummaryFacts => ({
      language: "en-AU",
      organisation: sea,
      payment: {
        id: PaymentId.make("rsp_01jqz6x8h4e5vb9m2k7ncw3t5d"),
        total_amount_cents: 7_000,
        currency: "AUD",
        payment_method_type: "payto"
      },
      day: donation_day,
      donor_name: null,
      shares: [
        { recipient_name: "One", amount_cents: 5_000, refunded_amount_cents: 0 },
        { recipient_name: "Two", amount_cents: 2_000, refunded_amount_cents: 0 }
      ],
      is_correction
    })
    assert.deepStrictEqual(rowsIn(paymentSummaryMail(facts(false))), [
      ["One", "$50.00"],
      ["Two", "$20.00"],
      ["Payment", "rsp_01jqz6x8h4e5vb9m2k7ncw3t5d"],
      ["Amount", "$70.00"],
      ["Date", "30 June 2026"],
      ["Paid by", "PayTo"]
    ])
    assert.match(paymentSummaryMail(facts(false)).subject, /^Summary of/)
    assert.match(paymentSummaryMail(facts(true)).subject, /^Corrected summary of/)
  })

  it("lists a year's gifts, how many are not listed, and the sums of all by currency", () => {
    const gift = { id, amount_cents: 5_000, refunded_amount_cents: 0, currency: "AUD", donation_day }
    const year = { label: "2025-26", starts_on: CalendarDate.make("2025-07-01"), ends_on: donation_day }
    const mail = (gift_count: number, back: number) =>
      yearlySummaryMail({
        language: "en-AU",
        organisation: sea,
        settings,
        donor_name: null,
        year,
        gifts: [gift],
        sums: [{ currency: "AUD", gift_count, amount_cents: 9_000, refunded_amount_cents: back }],
        is_again: false
      })
    assert.deepStrictEqual(rowsIn(mail(1, 1_000)).slice(0, 1), [
      ["30 June 2026, don_01jqz6x8h4e5vb9m2k7ncw3t5d", "$50.00"]
    ])
    assert.includeDeepMembers(rowsIn(mail(3, 1_000)), [
      ["Gifts", "3"],
      ["Sum", "$90.00"],
      ["Given back", "$10.00"],
      ["What is left of the sum", "$80.00"]
    ])
    const unlisted = [1, 2, 3].map((count) => /(\d+) more gifts?/.exec(plainText(mail(count, 0)))?.[0] ?? null)
    assert.deepStrictEqual(unlisted, [null, "1 more gift", "2 more gifts"])
    assert.match(plainText(mail(1, 1_000)), /are tax deductible: \$80\.00\./)
    assert.match(plainText(mail(1, 8_999)), /are tax deductible: \$0\.01\./)
    assert.notMatch(plainText(mail(1, 9_000)), /deductible/)
  })
})

it("the summary of a shared gift names each share, what was given back of it, and says that it is no receipt", () =>
  forEvery(summary, (facts) => {
    const content = paymentSummaryMail(facts)
    isTidy(content)
    const text = plainText(content)
    for (const words of ["This is no receipt", facts.payment.id, "1 July 2026"]) assert.include(text, words)
    const [shared, paid] = content.parts.flatMap((part) =>
      typeof part === "string" || part.kind !== "facts" ? [] : [part]
    )
    const told = facts.shares.map(({ amount_cents, refunded_amount_cents: back }) => {
      const amount = amountText(amount_cents, "AUD")
      if (back === 0) return amount
      return back === amount_cents
        ? `${amount}, which was given back`
        : `${amount}, of which ${amountText(back, "AUD")} was given back`
    })
    assert.deepStrictEqual(
      shared?.rows.map(([, amount]) => amount),
      told
    )
    const back = facts.shares.reduce((sum, { refunded_amount_cents }) => sum + refunded_amount_cents, 0)
    const given = new Map(paid?.rows ?? []).get("Given back")
    assert.strictEqual(given, back === 0 ? undefined : amountText(back, "AUD"))
    assert.strictEqual(text.includes("takes the place of the one"), facts.is_correction)
  }))
