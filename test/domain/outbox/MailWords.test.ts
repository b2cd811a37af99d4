import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { DonationId, PaymentId } from "../../../src/domain/kernel/Ids.ts"
import type { Language } from "../../../src/domain/kernel/Language.ts"
import { type MailContent, plainText } from "../../../src/domain/kernel/MailContent.ts"
import { PaymentMethod } from "../../../src/domain/kernel/PaymentMethod.ts"
import { Frequency } from "../../../src/domain/kernel/Schedule.ts"
import { cardCodeMail } from "../../../src/domain/outbox/CardCodeMail.ts"
import { paymentFailedMail, paymentProcessingMail } from "../../../src/domain/outbox/PaymentMail.ts"
import {
  paymentSummaryMail,
  type ReceiptFacts,
  receiptMail,
  yearlySummaryMail
} from "../../../src/domain/outbox/ReceiptMail.ts"
import { forEveryWith } from "../../support/Property.ts"

const id = DonationId.make("don_01jqz6x8h4e5vb9m2k7ncw3t5d")
const payment_id = PaymentId.make("rsp_01jqz6x8h4e5vb9m2k7ncw3t5d")
const day = CalendarDate.make("2026-06-30")
const transfer = { account_name: "66", bsb: "062-000", account_number: "12345678", reference: "77" }

/** Names without letters, so that every letter of a mail is of its language; the last one turns the text around. */
const name: fc.Arbitrary<string> = fc.constantFrom("711", "722", "733\u202e\u2069")

const facts = fc.record({
  name,
  donor: fc.option(name),
  fund: fc.option(name),
  abn: fc.option(fc.constant<string>("51824753556")),
  back: fc.constantFrom(0, 2_000, 5_000),
  method: fc.constantFrom(...PaymentMethod.literals),
  frequency: fc.option(fc.constantFrom(...Frequency.literals)),
  failure_code: fc.constantFrom("abandoned", "processor_unreachable", "declined"),
  step: fc.constantFrom("BankTransfer", "Approval", null),
  status: fc.constantFrom("WAITING", "PROCESSING"),
  again_on: fc.option(fc.constant(day)),
  has_ended: fc.boolean(),
  more: fc.constantFrom(0, 1, 2, 7, 40, 100),
  is_sandbox: fc.boolean(),
  is_deductible: fc.boolean(),
  is_correction: fc.boolean(),
  is_disclosed: fc.boolean(),
  is_year_over: fc.boolean()
})
type Facts = typeof facts extends fc.Arbitrary<infer F> ? F : never

const receiptIn = (language: Language, given: Facts): ReceiptFacts => ({
  ...given,
  language,
  organisation: { name: given.name, abn: given.abn, is_sandbox: given.is_sandbox },
  settings: { fund_name: given.fund, fund_abn: given.abn, is_deductible: given.is_deductible },
  gift: {
    id,
    amount_cents: 5_000,
    refunded_amount_cents: given.back,
    currency: "AUD",
    donation_day: day,
    payment_method: given.method
  },
  donor_name: given.donor
})

/** Every mail that donors get, in a language. */
const mailsIn = (language: Language, given: Facts): ReadonlyArray<MailContent> => {
  const receipt = receiptIn(language, given)
  const organisation = { ...receipt.organisation, timezone: "Australia/Sydney" }
  const { back, frequency, method, status, step } = given
  const charge = { amount_cents: 5_000, currency: "AUD", method, status } as const
  const share = { recipient_name: given.name, amount_cents: 5_000, refunded_amount_cents: back }
  const sum = { amount_cents: 5_000, refunded_amount_cents: back, gift_count: 1 + given.more }
  return [
    receiptMail(receipt),
    paymentSummaryMail({
      ...receipt,
      payment: { id: payment_id, total_amount_cents: 5_000, currency: "AUD", payment_method_type: method },
      day,
      shares: [share]
    }),
    yearlySummaryMail({
      ...receipt,
      year: { label: "2025-26", starts_on: CalendarDate.make("2025-07-01"), ends_on: day },
      gifts: [receipt.gift],
      sums: ["AUD", "JPY"].map((currency) => ({ ...sum, currency })),
      is_again: given.is_correction
    }),
    cardCodeMail({ language, organisation, code: "012345" }),
    paymentProcessingMail({
      language,
      organisation,
      charge,
      next_step:
        step === "BankTransfer"
          ? { _tag: step, ...transfer, amount_cents: 5_000, currency: "AUD" }
          : step === null
            ? null
            : { _tag: step },
      last_day: day,
      page: { url: "https://1.example/p/1", expires_at: DateTime.makeUnsafe("2026-04-02T09:30:00Z") }
    }),
    paymentFailedMail({
      language,
      organisation,
      charge: { ...charge, failure_code: given.failure_code },
      renewal: frequency === null ? null : { frequency, again_on: given.again_on, has_ended: given.has_ended },
      page_url: given.is_disclosed ? "https://1.example/f/1" : null
    })
  ]
}

const wordsOf = ({ parts, subject }: MailContent): ReadonlyArray<string> => [
  subject,
  ...parts.flatMap((part) => {
    if (typeof part === "string") return [part]
    if (part.kind === "facts") return part.rows.flat()
    return [part.kind === "link" ? part.label : part.text]
  })
]

const isolated = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/\u2068([^\u2068\u2069]*)\u2069/gu), ([, inner = ""]) => inner)

describe("mails to donors in each language", () => {
  it("have no sentence that is not in the catalogue", () =>
    forEveryWith({ numRuns: 40 }, facts, (given) => {
      for (const mail of mailsIn("en-XA", given)) {
        assert.strictEqual(mail.language, "en-XA")
        for (const text of wordsOf(mail)) {
          const rest = text.replaceAll(/⟦.*⟧|A\$|JPY|(?:January|July|June) \d+, \d{4}|(?:don|rsp)_\w+/gsu, "")
          assert.notMatch(rest, /\p{L}/u, text)
        }
      }
    }))

  it("leave nothing in English but terms of the law, names of methods, currencies and ids", () =>
    forEveryWith({ numRuns: 40 }, facts, (given) => {
      const terms =
        /\((?:gift|receipt|lodge|tax deductible|electoral commission|ABN)\)|PayTo|BSB|AUD|JPY|(?:don|rsp)_\w+/gu
      for (const text of mailsIn("ar", given).flatMap(wordsOf)) assert.notMatch(text.replaceAll(terms, ""), /[a-z]/iu)
    }))

  it("keep names, amounts, ABNs and years apart from what is written from right to left, and nothing that is copied", () =>
    forEveryWith({ numRuns: 40 }, facts, (given) => {
      for (const mail of mailsIn("ar", given)) {
        for (const text of wordsOf(mail)) {
          assert.notMatch(text, /\u202e/u)
          // Whatever is opened is closed, and nothing within it opens or closes anything.
          assert.notMatch(text.replaceAll(/\u2068[^\u2068\u2069]*\u2069/gu, ""), /[\u2068\u2069]/u)
          const outside = text.replaceAll(/\u2068[^\u2068\u2069]*\u2069/gu, "")
          assert.notMatch(outside, /\b(?:711|722|733|51\u00a0824\u00a0753\u00a0556|2025-26)\b|AUD|JPY/u, text)
        }
      }
      const copied = mailsIn("ar", given).flatMap(({ parts }) =>
        parts.flatMap((part) => (typeof part !== "string" && part.kind === "facts" ? part.rows : []))
      )
      for (const value of copied.map(([, each]) => each)) {
        if (/012345|062-000|12345678|^77$|_/.test(value)) assert.notMatch(value, /[\u2068\u2069]/u)
      }
      for (const mail of mailsIn("en-AU", given)) assert.notMatch(plainText(mail), /[\u2068\u2069]/u)
    }))

  it("tell the same facts of a gift, and claim that it is deductible in the same cases", () =>
    forEveryWith({ numRuns: 40 }, facts, (given) => {
      const [english, arabic] = (["en-AU", "ar"] as const).map((language) => receiptMail(receiptIn(language, given)))
      const [said = "", translated = ""] = [english, arabic].map((mail) => (mail === undefined ? "" : plainText(mail)))
      const factsIn = (text: string) => ({
        numbers: text.match(/\d+\.\d\d|don_\w+|\d\d \d{3} \d{3} \d{3}/g),
        isDeductible: /\btax deductible\b/.test(text),
        hasAbn: /\bABN\b/.test(text),
        isForGift: /\bgift[.)]/.test(text)
      })
      assert.deepStrictEqual(factsIn(translated), factsIn(said))
      assert.isTrue(factsIn(translated).isForGift)
    }))

  it("are read like this in Arabic", () => {
    const [drawn] = fc.sample(facts, { numRuns: 1, seed: 1 })
    if (drawn === undefined) return assert.fail("there are facts")
    const given: Facts = {
      ...drawn,
      name: "Sea Rescue",
      donor: "سارة",
      fund: "Sea Rescue Relief Fund",
      abn: "53004085616",
      back: 2_000,
      method: "card",
      frequency: "MONTHLY",
      is_sandbox: false,
      is_deductible: true,
      is_correction: true,
      is_disclosed: false,
      is_year_over: true
    }
    const mail = receiptMail(receiptIn("ar", given))
    assert.strictEqual(mail.subject, "إيصال مصحح لتبرعك إلى \u2068Sea Rescue\u2069")
    assert.strictEqual(
      plainText(mail).replaceAll(/[\u2068\u2069\u200f]/gu, ""),
      `سارة، شكراً لك على تبرعك إلى Sea Rescue.

يحل هذا الإيصال محل الإيصال الذي تلقيته عن هذا التبرع: رُدّ جزء منه.

إذا كنت قد تلقيت ملخص تبرعاتك للسنة المالية 2025-26، فإن هذا الإيصال يحل أيضاً محل ما ورد فيه عن هذا التبرع.

هذا الإيصال عن تبرع (gift).

رقم الإيصال: don_01jqz6x8h4e5vb9m2k7ncw3t5d
الجهة المتبرَّع لها: Sea Rescue Relief Fund
الرقم التجاري الأسترالي (ABN): 53\u00a0004\u00a0085\u00a0616
المبلغ: 50.00\u00a0AUD
المبلغ المردود: 20.00\u00a0AUD
المتبقي من التبرع: 30.00\u00a0AUD
التاريخ: 30 يونيو 2026
طريقة الدفع: بطاقة
التكرار: كل شهر

التبرعات إلى Sea Rescue Relief Fund قابلة للخصم الضريبي (tax deductible).

يتكرر هذا التبرع كل شهر حتى تنهيه: تنهيه لك منظمة Sea Rescue عندما تطلب ذلك.

`
    )
    assert.includeMembers(
      [...isolated(plainText(mail))],
      ["سارة", "Sea Rescue", "53\u00a0004\u00a0085\u00a0616", "2025-26"]
    )
  })

  it("count in Arabic as Arabic does", () => {
    const [drawn] = fc.sample(facts, { numRuns: 1, seed: 1 })
    if (drawn === undefined) return assert.fail("there are facts")
    const said = [1, 2, 3, 11, 100].map((more) => {
      const receipt = receiptIn("ar", drawn)
      const mail = yearlySummaryMail({
        ...receipt,
        year: { label: "2025-26", starts_on: day, ends_on: day },
        gifts: [],
        sums: [{ currency: "AUD", gift_count: more, amount_cents: 5_000, refunded_amount_cents: 0 }],
        is_again: false
      })
      return /هنا (.*) من هذه السنة/u.exec(plainText(mail))?.[1]
    })
    assert.deepStrictEqual(said, ["تبرع واحد آخر", "تبرعان آخران", "3 تبرعات أخرى", "11 تبرعاً آخر", "100 تبرع آخر"])
  })
})
