import { DateTime } from "effect"
import type { Organisation } from "../access/Organisation.ts"
import type { Period } from "../compliance/Regime.ts"
import * as Donation from "../giving/Donation.ts"
import type { GivingSettings } from "../giving/GivingSettings.ts"
import { type CalendarDate, startOfDay } from "../kernel/CalendarDate.ts"
import { type MailContent, onOneLine } from "../kernel/MailContent.ts"
import type { Frequency } from "../kernel/Schedule.ts"
import { minorDigitsOf } from "../payments/Statement.ts"
import type { Payment } from "../sharing/Payment.ts"
import { type GiftSum, type SummarisedGift, yearOf } from "./YearlySummary.ts"

/** Who sends a mail to a donor. */
export type Sender = Pick<Organisation, "name" | "abn" | "is_sandbox">

/** What a receipt tells of a gift, as its records are when it is sent. */
export interface ReceiptFacts {
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

const methods: Readonly<Record<string, string>> = {
  card: "Card",
  au_becs_debit: "Direct debit",
  payto: "PayTo",
  bank_transfer: "Bank transfer"
}

/** How often a gift is given, in the words of a mail. */
export const rhythms: { readonly [F in Frequency]: string } = {
  WEEKLY: "every week",
  FORTNIGHTLY: "every two weeks",
  MONTHLY: "every month",
  QUARTERLY: "every three months",
  ANNUALLY: "every year"
}

/**
 * An amount in the words of a mail.
 * @example
 * ReceiptMail.amountText(5_000, "AUD") // => "$50.00"
 * ReceiptMail.amountText(500, "JPY") // => "JPY 500"
 */
export const amountText = (cents: number, currency: string): string => {
  const style = { style: "currency", currency, currencyDisplay: currency === "AUD" ? "symbol" : "code" } as const
  return new Intl.NumberFormat("en-AU", style).format(cents / 10 ** minorDigitsOf(currency)).replace(/\s/g, " ")
}

/** An ABN in the groups in which it is written. */
const abnText = (abn: string): string => onOneLine(abn).replace(/^(\d\d)(\d{3})(\d{3})(\d{3})$/, "$1 $2 $3 $4")

/** A day in the words of a mail. */
export const dayText = (day: CalendarDate): string =>
  DateTime.formatUtc(startOfDay(day, "UTC"), { locale: "en-AU", dateStyle: "long" })

const test = ({ is_sandbox }: Sender, named: string): ReadonlyArray<string> =>
  is_sandbox ? [`This is a test of a sandbox: nobody gave anything, and this is no ${named}.`] : []

const thanks = (donor_name: string | null, sentence: string): string => {
  const name = onOneLine(donor_name ?? "")
  return name === "" ? `Thank you ${sentence}` : `${name}, thank you ${sentence}`
}

/** An amount, and what was given back of it. */
interface Returned {
  readonly amount_cents: number
  readonly refunded_amount_cents: number
}

/** What of a gift was given back, and what that leaves. */
const returned = (
  { amount_cents, refunded_amount_cents }: Returned,
  currency: string,
  left = "What is left of the gift"
) =>
  refunded_amount_cents === 0
    ? []
    : [
        ["Given back", amountText(refunded_amount_cents, currency)] as const,
        [left, amountText(amount_cents - refunded_amount_cents, currency)] as const
      ]

const correction = ({ amount_cents, refunded_amount_cents }: Returned, named: "receipt" | "summary"): string => {
  const replaces = `This ${named} takes the place of the one that you had for this gift`
  if (refunded_amount_cents === 0) return `${replaces}: nothing of it is given back any more.`
  return `${replaces}: ${refunded_amount_cents < amount_cents ? "part of it" : "all of it"} was given back.`
}

/** To whom gifts are given, as receipts name it: the fund with its own ABN, or the organisation. */
const payee = ({ organisation, settings }: Pick<ReceiptFacts, "organisation" | "settings">) => {
  const fund = onOneLine(settings.fund_name ?? organisation.name)
  const abn = settings.fund_abn ?? (settings.fund_name === null ? organisation.abn : null)
  const rows = [["Given to", fund] as const, ...(abn === null ? [] : [["ABN", abnText(abn)] as const])]
  return { fund, rows }
}

/**
 * The receipt of a gift. It says that gifts are deductible where the organisation said so, and of nothing that was given back
 * whole; and to donors over a threshold that they, too, have to lodge. pages, section 2; law, sections 1 and 4.
 */
export const receiptMail = (facts: ReceiptFacts): MailContent => {
  const { donor_name, frequency, gift, is_correction, is_disclosed, is_year_over, organisation, settings } = facts
  const name = onOneLine(organisation.name)
  const { fund, rows } = payee(facts)
  const isLeft = Donation.refundableCents(gift) > 0
  return {
    subject: `${is_correction ? "Corrected receipt" : "Receipt"} for your gift to ${name}`,
    parts: [
      ...test(organisation, "receipt"),
      thanks(donor_name, `for your gift to ${name}.`),
      ...(is_correction ? [correction(gift, "receipt")] : []),
      ...(is_correction && is_year_over
        ? [
            `If you had the summary of your gifts of ${yearOf(gift.donation_day).label}, this receipt takes the place of what it says of this gift, too.`
          ]
        : []),
      "This receipt is for a gift.",
      {
        kind: "facts",
        rows: [
          ["Receipt", gift.id],
          ...rows,
          ["Amount", amountText(gift.amount_cents, gift.currency)],
          ...returned(gift, gift.currency),
          ["Date", dayText(gift.donation_day)],
          ["Paid by", methods[gift.payment_method ?? ""] ?? "Another way"],
          ...(frequency === null ? [] : [["Given", rhythms[frequency]] as const])
        ]
      },
      ...(settings.is_deductible && isLeft ? [`Gifts to ${fund} are tax deductible.`] : []),
      ...(frequency === null
        ? []
        : [`It is given ${rhythms[frequency]} until you end it: ${name} ends it for you when you ask.`]),
      ...(is_disclosed
        ? [
            `Your gifts to ${name} are over a threshold of the law on political gifts. It asks donors, too, to lodge what they gave: the electoral commission says how and until when. This is no legal advice.`
          ]
        : [])
    ]
  }
}

/** What the summary of a payment that was shared tells whoever paid. */
export interface PaymentSummaryFacts {
  readonly organisation: Sender
  readonly payment: Pick<Payment, "id" | "total_amount_cents" | "currency" | "payment_method_type">
  /** The day on which it was paid, by the calendar of the organisation. */
  readonly day: CalendarDate
  readonly donor_name: string | null
  readonly shares: ReadonlyArray<Returned & { readonly recipient_name: string }>
  /** Whether it takes the place of an earlier one. */
  readonly is_correction: boolean
}

const backOf = ({ amount_cents, refunded_amount_cents }: Returned, currency: string): string => {
  if (refunded_amount_cents === 0) return ""
  return refunded_amount_cents < amount_cents
    ? `, of which ${amountText(refunded_amount_cents, currency)} was given back`
    : ", which was given back"
}

/** The summary of a gift that was shared among recipients, each of which sends its own receipt. pages, section 2. */
export const paymentSummaryMail = ({
  day,
  donor_name,
  is_correction,
  organisation,
  payment,
  shares
}: PaymentSummaryFacts): MailContent => {
  const name = onOneLine(organisation.name)
  const { currency, total_amount_cents: amount_cents } = payment
  const refunded_amount_cents = shares.reduce((sum, each) => sum + each.refunded_amount_cents, 0)
  const paid = { amount_cents, refunded_amount_cents }
  return {
    subject: `${is_correction ? "Corrected summary" : "Summary"} of your gift through ${name}`,
    parts: [
      ...test(organisation, "summary of a gift"),
      thanks(donor_name, `for your gift through ${name}. It was shared like this:`),
      ...(is_correction ? [correction(paid, "summary")] : []),
      {
        kind: "facts",
        rows: shares.map(
          (each) =>
            [
              onOneLine(each.recipient_name),
              `${amountText(each.amount_cents, currency)}${backOf(each, currency)}`
            ] as const
        )
      },
      {
        kind: "facts",
        rows: [
          ["Payment", payment.id],
          ["Amount", amountText(amount_cents, currency)],
          ...returned(paid, currency),
          ["Date", dayText(day)],
          ["Paid by", methods[payment.payment_method_type] ?? "Another way"]
        ]
      },
      "This is no receipt: each of those it was shared among sends you its own."
    ]
  }
}

/** What the summary of a financial year tells a donor, as the records are when it is sent. */
export interface YearlySummaryFacts extends Pick<ReceiptFacts, "organisation" | "settings" | "donor_name"> {
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
  const { donor_name, gifts, is_again, organisation, settings, sums, year } = facts
  const name = onOneLine(organisation.name)
  const { fund, rows } = payee(facts)
  const more = sums.reduce((total, { gift_count }) => total + gift_count, 0) - gifts.length
  const left = sums.filter((sum) => Donation.refundableCents(sum) > 0)
  const leftText = left.map((sum) => amountText(Donation.refundableCents(sum), sum.currency)).join(" and ")
  return {
    subject: `Summary of your gifts to ${name}, ${year.label}`,
    parts: [
      ...test(organisation, "summary of gifts"),
      thanks(donor_name, `for your gifts to ${name} from ${dayText(year.starts_on)} to ${dayText(year.ends_on)}.`),
      ...(is_again ? ["This summary takes the place of any that you had of this year."] : []),
      {
        kind: "facts",
        rows: gifts.map(
          (gift) =>
            [
              `${dayText(gift.donation_day)}, ${gift.id}`,
              `${amountText(gift.amount_cents, gift.currency)}${backOf(gift, gift.currency)}`
            ] as const
        )
      },
      ...(more > 0
        ? [
            more === 1
              ? "1 more gift of the year is not listed. It is in the sum."
              : `${more} more gifts of the year are not listed. They are in the sum.`
          ]
        : []),
      {
        kind: "facts",
        rows: [
          ...rows,
          ...sums.flatMap((sum) => [
            ["Gifts", String(sum.gift_count)] as const,
            ["Sum", amountText(sum.amount_cents, sum.currency)] as const,
            ...returned(sum, sum.currency, "What is left of the sum")
          ])
        ]
      },
      ...(settings.is_deductible && left.length > 0 ? [`Gifts to ${fund} are tax deductible: ${leftText}.`] : []),
      "You have a receipt for each of these gifts. This is a summary of them, and no further receipt: each gift counts once. Gifts that reached us in other ways are not in it."
    ]
  }
}
