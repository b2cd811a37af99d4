import type { DateTime } from "effect"
import type { Organisation } from "../access/Organisation.ts"
import type { CalendarDate } from "../kernel/CalendarDate.ts"
import { type MailContent, type MailPart, momentText, onOneLine } from "../kernel/MailContent.ts"
import type { Frequency } from "../kernel/Schedule.ts"
import type { Charge } from "../payments/Charge.ts"
import type { NextStep } from "../payments/NextStep.ts"
import { amountText, dayText, rhythms, type Sender } from "./ReceiptMail.ts"

/** What both mails tell of a payment, as its records are when they are sent. */
interface PaymentFacts {
  readonly organisation: Sender & Pick<Organisation, "timezone">
  readonly charge: Pick<Charge, "amount_cents" | "currency" | "method" | "status">
}

/** What the mail of a payment tells that takes longer than its donor looks at the page. */
export interface ProcessingFacts extends PaymentFacts {
  /** What the donor has to do; null where nothing, or where its processor does not say so now. */
  readonly next_step: NextStep | null
  /** The last day on which the donor can do it. */
  readonly last_day: CalendarDate
  /** The page that shows how it goes, and until when. */
  readonly page: { readonly url: string; readonly expires_at: DateTime.Utc }
}

const test = ({ is_sandbox }: Sender): ReadonlyArray<string> =>
  is_sandbox ? ["This is a test of a sandbox: no money is taken."] : []

const transferParts = (
  step: Extract<NextStep, { readonly _tag: "BankTransfer" }>,
  lastDay: string
): ReadonlyArray<MailPart> => [
  "Transfer it from your bank to this account:",
  {
    kind: "facts",
    rows: [
      ["Account name", onOneLine(step.account_name)],
      ["BSB", onOneLine(step.bsb)],
      ["Account number", onOneLine(step.account_number)],
      ["Reference", onOneLine(step.reference)],
      ["Amount", amountText(step.amount_cents, step.currency)]
    ]
  },
  `Write the reference as it stands here: your gift is known by it. It is expected until ${lastDay}.`
]

/** What the donor has to do, if anything. */
const stepParts = ({ charge, last_day, next_step }: ProcessingFacts): ReadonlyArray<MailPart> => {
  const lastDay = dayText(last_day)
  if (charge.status === "PROCESSING")
    return ["You need do nothing: your bank was asked to pay, which may take some days."]
  if (next_step?._tag === "BankTransfer") return transferParts(next_step, lastDay)
  if (next_step?._tag === "Approval") return [`Approve it in the app of your bank, until ${lastDay}.`]
  return [`It waits for you: its page says what is to be done. It is expected until ${lastDay}.`]
}

/** The mail that follows a payment which takes days, or waits for its donor. pages, section 2; docs/decisions/0088. */
export const paymentProcessingMail = (facts: ProcessingFacts): MailContent => {
  const { charge, organisation, page } = facts
  const name = onOneLine(organisation.name)
  const amount = amountText(charge.amount_cents, charge.currency)
  return {
    subject: `Your gift to ${name} is ${charge.status === "PROCESSING" ? "on its way" : "not finished yet"}`,
    parts: [
      ...test(organisation),
      `You give ${amount} to ${name}. Thank you.`,
      ...stepParts(facts),
      "You get a receipt when it has arrived, and a mail if it does not.",
      { kind: "link", label: "See how it goes", url: new URL(page.url) },
      `The page can be opened until ${momentText(page.expires_at, organisation.timezone)}, by whoever has its address.`
    ]
  }
}

/** What happens to a recurring gift of which a payment failed. */
export interface FailedRenewal {
  readonly frequency: Frequency
  /** The day on which it is tried again; null where it is not. */
  readonly again_on: CalendarDate | null
  /** Whether the recurring gift has ended. */
  readonly has_ended: boolean
}

/** What the mail of a payment tells that failed while nobody looked. */
export interface FailedFacts extends PaymentFacts {
  /** The recurring gift that it was one of; null for a gift that is given once. */
  readonly renewal: FailedRenewal | null
  readonly charge: PaymentFacts["charge"] & Pick<Charge, "failure_code">
  /** Where one can give again; null where nowhere. */
  readonly page_url: string | null
}

const refusals = {
  au_becs_debit: "It was refused: your bank may know why.",
  card: "It was refused: the bank of your card may know why.",
  payto: "It was refused. If you did not refuse it in the app of your bank, your bank may know why."
} as const

/** Why no money came, as far as that is known: a bank that was never asked knows nothing of it. */
const whyNone = (failure_code: string | null, method: keyof typeof refusals): string => {
  if (failure_code === "abandoned") return "It waited for you, and was not approved in time."
  return failure_code === "processor_unreachable" ? "It could not be passed on to be paid." : refusals[method]
}

const onceParts = ({ charge }: FailedFacts, name: string): ReadonlyArray<string> =>
  charge.method === "bank_transfer"
    ? [`It was not seen on the account in time, and is expected no more. If you have sent it, tell ${name}.`]
    : [`No money was taken. ${whyNone(charge.failure_code, charge.method)}`]

const renewalParts = ({ again_on, frequency, has_ended }: FailedRenewal, name: string): ReadonlyArray<string> => {
  const given = `It is the gift that you give ${rhythms[frequency]}.`
  if (again_on !== null) return [given, `It is tried again on ${dayText(again_on)}: you need do nothing.`]
  return [
    given,
    has_ended
      ? `It was tried several times. Your gift has ended, and nothing more is taken.`
      : `It is not tried again. Your next gift is taken on its day, unless you have ${name} end it.`
  ]
}

/** The mail of a payment that brought no money, where its donor could not see so. pages, section 2; docs/decisions/0088. */
export const paymentFailedMail = (facts: FailedFacts): MailContent => {
  const { charge, organisation, page_url, renewal } = facts
  const name = onOneLine(organisation.name)
  const amount = amountText(charge.amount_cents, charge.currency)
  return {
    subject: `Your gift to ${name} did not arrive`,
    parts: [
      ...test(organisation),
      `Your gift of ${amount} to ${name} did not arrive.`,
      ...(renewal === null ? onceParts(facts, name) : renewalParts(renewal, name)),
      ...(page_url === null ? [] : [{ kind: "link", label: "Give again", url: new URL(page_url) } as const])
    ]
  }
}
