import { Schema } from "effect"
import type { Organisation } from "../access/Organisation.ts"
import type { Period } from "../compliance/Regime.ts"
import * as Donation from "../giving/Donation.ts"
import type { GivingSettings } from "../giving/GivingSettings.ts"
import type { CalendarDate } from "../kernel/CalendarDate.ts"
import type { Language } from "../kernel/Language.ts"
import type { MailContent } from "../kernel/MailContent.ts"
import { PaymentMethod } from "../kernel/PaymentMethod.ts"
import type { Frequency } from "../kernel/Schedule.ts"
import type { Payment } from "../sharing/Payment.ts"
import type { Extent } from "./EnglishMails.ts"
import { type MailWords, wordsIn } from "./MailWords.ts"
import { type GiftSum, type SummarisedGift, yearOf } from "./YearlySummary.ts"

/** Who sends a mail to a donor. */
export type Sender = Pick<Organisation, "name" | "abn" | "is_sandbox">

/** What a receipt tells of a gift, as its records are when it is sent. */
export interface ReceiptFacts {
  readonly language: Language
  readonly organisation: Sender
  readonly settings: Pick<GivingSettings, "fund_name" | "fund_abn" | "is_deductible">
  readonly gift: Pick<
    Donation.Donation,
    "id" | "amount_cents" | "refunded_amount_cents" | "currency" | "donation_day" | "payment_method"
  >
  /** How often it is given; null for a gift that is given once. */
  readonly frequency: Frequency | null
  /** Who gave; null where no name is known. */
  readonly donor_name: string | null
  /** Whether it takes the place of an earlier one. */
  readonly is_correction: boolean
  /** Whether the gift is one of a sum that the law has disclosed. */
  readonly is_disclosed: boolean
  /** Whether the financial year of the gift was over, so that its donor may have had the summary of that year. */
  readonly is_year_over: boolean
}

const isMethod = Schema.is(PaymentMethod)

/** How a gift was paid. */
const methodText = ({ texts: { gift } }: MailWords, method: string | null): string =>
  isMethod(method) ? gift.method[method] : gift.otherMethod

/** An amount, and what was given back of it. */
interface Amount {
  readonly amount_cents: number
  readonly refunded_amount_cents: number
}

const extentOf = ({ amount_cents, refunded_amount_cents }: Amount): Extent => {
  if (refunded_amount_cents === 0) return "none"
  return refunded_amount_cents < amount_cents ? "part" : "all"
}

/** What of an amount was given back, and what that leaves, which is named. */
const returnedRows = ({ amount, texts: { gift } }: MailWords, given: Amount, currency: string, left: string) =>
  extentOf(given) === "none"
    ? []
    : [
        [gift.givenBack, amount(given.refunded_amount_cents, currency)] as const,
        [left, amount(Donation.refundableCents(given), currency)] as const
      ]

/** To whom gifts are given, as receipts name it: the fund with its own ABN, or the organisation. */
const payee = (
  { abn: abnText, name, texts: { gift } }: MailWords,
  { organisation, settings }: Pick<ReceiptFacts, "organisation" | "settings">
) => {
  const fund = name(settings.fund_name ?? organisation.name)
  const abn = settings.fund_abn ?? (settings.fund_name === null ? organisation.abn : null)
  const rows = [[gift.givenTo, fund] as const, ...(abn === null ? [] : [[gift.abn, abnText(abn)] as const])]
  return { fund, rows }
}

/**
 * The receipt of a gift. It says that gifts are deductible where the organisation said so, and of nothing that was given back
 * whole; and to donors over a threshold that they, too, have to lodge. pages, section 2; law, sections 1 and 4.
 */
export const receiptMail = (facts: ReceiptFacts): MailContent => {
  const { frequency, gift, is_correction, language, organisation, settings } = facts
  const words = wordsIn(language)
  const { amount, day, name, texts } = words
  const { receipt } = texts
  const to = name(organisation.name)
  const { fund, rows } = payee(words, facts)
  const isLeft = Donation.refundableCents(gift) > 0
  const rhythm = frequency === null ? null : texts.gift.every[frequency]
  return {
    language,
    subject: is_correction ? receipt.correctedSubject(to) : receipt.subject(to),
    parts: [
      ...(organisation.is_sandbox ? [receipt.isTest] : []),
      receipt.thanks(words.greeted(facts.donor_name), to),
      ...(is_correction ? [receipt.replaces(extentOf(gift))] : []),
      ...(is_correction && facts.is_year_over ? [receipt.replacesInYear(name(yearOf(gift.donation_day).label))] : []),
      receipt.isForGift,
      {
        kind: "facts",
        rows: [
          [receipt.number, gift.id],
          ...rows,
          [texts.gift.amount, amount(gift.amount_cents, gift.currency)],
          ...returnedRows(words, gift, gift.currency, receipt.left),
          [texts.gift.date, day(gift.donation_day)],
          [texts.gift.paidBy, methodText(words, gift.payment_method)],
          ...(rhythm === null ? [] : [[receipt.given, rhythm] as const])
        ]
      },
      ...(settings.is_deductible && isLeft ? [receipt.isDeductible(fund)] : []),
      ...(rhythm === null ? [] : [receipt.repeats(rhythm, to)]),
      ...(facts.is_disclosed ? [receipt.isDisclosed(to)] : [])
    ]
  }
}

/** What the summary of a payment that was shared tells whoever paid. */
export interface PaymentSummaryFacts {
  readonly language: Language
  readonly organisation: Sender
  readonly payment: Pick<Payment, "id" | "total_amount_cents" | "currency" | "payment_method_type">
  /** The day on which it was paid, by the calendar of the organisation. */
  readonly day: CalendarDate
  readonly donor_name: string | null
  readonly shares: ReadonlyArray<Amount & { readonly recipient_name: string }>
  /** Whether it takes the place of an earlier one. */
  readonly is_correction: boolean
}

/** An amount with what was given back of it. */
const amountText = ({ amount, texts: { payment } }: MailWords, given: Amount, currency: string): string => {
  const whole = amount(given.amount_cents, currency)
  const returned = extentOf(given)
  if (returned === "none") return whole
  return returned === "all"
    ? payment.allBack(whole)
    : payment.partBack(whole, amount(given.refunded_amount_cents, currency))
}

/** The summary of a gift that was shared among recipients, each of which sends its own receipt. pages, section 2. */
export const paymentSummaryMail = (facts: PaymentSummaryFacts): MailContent => {
  const { day, donor_name, is_correction, language, organisation, payment, shares } = facts
  const words = wordsIn(language)
  const { amount, name, texts } = words
  const through = name(organisation.name)
  const { currency, total_amount_cents: amount_cents } = payment
  const refunded_amount_cents = shares.reduce((sum, each) => sum + each.refunded_amount_cents, 0)
  const paid = { amount_cents, refunded_amount_cents }
  return {
    language,
    subject: is_correction ? texts.payment.correctedSubject(through) : texts.payment.subject(through),
    parts: [
      ...(organisation.is_sandbox ? [texts.payment.isTest] : []),
      texts.payment.thanks(words.greeted(donor_name), through),
      ...(is_correction ? [texts.payment.replaces(extentOf(paid))] : []),
      {
        kind: "facts",
        rows: shares.map((each) => [name(each.recipient_name), amountText(words, each, currency)] as const)
      },
      {
        kind: "facts",
        rows: [
          [texts.payment.number, payment.id],
          [texts.gift.amount, amount(amount_cents, currency)],
          ...returnedRows(words, paid, currency, texts.receipt.left),
          [texts.gift.date, words.day(day)],
          [texts.gift.paidBy, methodText(words, payment.payment_method_type)]
        ]
      },
      texts.payment.isNoReceipt
    ]
  }
}

/** What the summary of a financial year tells a donor, as the records are when it is sent. */
export interface YearlySummaryFacts
  extends Pick<ReceiptFacts, "language" | "organisation" | "settings" | "donor_name"> {
  readonly year: Pick<Period, "label" | "starts_on" | "ends_on">
  /** The first gifts of the year, by day; the sums are of all. */
  readonly gifts: ReadonlyArray<SummarisedGift>
  readonly sums: ReadonlyArray<GiftSum>
  /** Whether the donor had one before. */
  readonly is_again: boolean
}

/**
 * The summary of a donor's gifts of a financial year. It is no receipt, and says how much of them is deductible where the
 * organisation said that they are. pages, section 2; docs/decisions/0083.
 */
export const yearlySummaryMail = (facts: YearlySummaryFacts): MailContent => {
  const { gifts, language, organisation, settings, sums, year } = facts
  const words = wordsIn(language)
  const { amount, day, name, texts } = words
  const to = name(organisation.name)
  const { fund, rows } = payee(words, facts)
  const more = sums.reduce((total, { gift_count }) => total + gift_count, 0) - gifts.length
  const left = sums.filter((sum) => Donation.refundableCents(sum) > 0)
  const leftText = words.all(left.map((sum) => amount(Donation.refundableCents(sum), sum.currency)))
  return {
    language,
    subject: texts.year.subject(to, name(year.label)),
    parts: [
      ...(organisation.is_sandbox ? [texts.year.isTest] : []),
      texts.year.thanks(words.greeted(facts.donor_name), to, day(year.starts_on), day(year.ends_on)),
      ...(facts.is_again ? [texts.year.replaces] : []),
      {
        kind: "facts",
        rows: gifts.map(
          (gift) =>
            [texts.year.giftOn(day(gift.donation_day), gift.id), amountText(words, gift, gift.currency)] as const
        )
      },
      ...(more > 0 ? [texts.year.more(more)] : []),
      {
        kind: "facts",
        rows: [
          ...rows,
          ...sums.flatMap((sum) => [
            [texts.year.count, String(sum.gift_count)] as const,
            [texts.year.sum, amount(sum.amount_cents, sum.currency)] as const,
            ...returnedRows(words, sum, sum.currency, texts.year.left)
          ])
        ]
      },
      ...(settings.is_deductible && left.length > 0 ? [texts.year.areDeductible(fund, leftText)] : []),
      texts.year.isNoReceipt
    ]
  }
}
