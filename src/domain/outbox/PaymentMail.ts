import type { DateTime } from "effect"
import type { Organisation } from "../access/Organisation.ts"
import type { CalendarDate } from "../kernel/CalendarDate.ts"
import type { Language } from "../kernel/Language.ts"
import { type MailContent, type MailPart, onOneLine } from "../kernel/MailContent.ts"
import type { Frequency } from "../kernel/Schedule.ts"
import type { Charge } from "../payments/Charge.ts"
import type { NextStep } from "../payments/NextStep.ts"
import { type MailWords, wordsIn } from "./MailWords.ts"
import type { Sender } from "./ReceiptMail.ts"

/** What both mails tell of a payment, as its records are when they are sent. */
interface PaymentFacts {
  readonly language: Language
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

const test = ({ texts }: MailWords, { is_sandbox }: Sender): ReadonlyArray<string> =>
  is_sandbox ? [texts.gift.noMoneyMoves] : []

/** What is typed at a bank is copied: nothing stands around it that is not seen. */
const transferParts = (
  { amount, name, texts: { gift, processing } }: MailWords,
  step: Extract<NextStep, { readonly _tag: "BankTransfer" }>,
  lastDay: string
): ReadonlyArray<MailPart> => [
  processing.transfer,
  {
    kind: "facts",
    rows: [
      [processing.accountName, name(step.account_name)],
      [processing.bsb, onOneLine(step.bsb)],
      [processing.accountNumber, onOneLine(step.account_number)],
      [processing.reference, onOneLine(step.reference)],
      [gift.amount, amount(step.amount_cents, step.currency)]
    ]
  },
  processing.transferUntil(lastDay)
]

/** What the donor has to do, if anything. */
const stepParts = (words: MailWords, { charge, last_day, next_step }: ProcessingFacts): ReadonlyArray<MailPart> => {
  const { processing } = words.texts
  const lastDay = words.day(last_day)
  if (charge.status === "PROCESSING") return [processing.atBank]
  if (next_step?._tag === "BankTransfer") return transferParts(words, next_step, lastDay)
  return [next_step?._tag === "Approval" ? processing.approve(lastDay) : processing.waits(lastDay)]
}

/** The mail that follows a payment which takes days, or waits for its donor. pages, section 2; docs/decisions/0088. */
export const paymentProcessingMail = (facts: ProcessingFacts): MailContent => {
  const { charge, language, organisation, page } = facts
  const words = wordsIn(language)
  const { processing } = words.texts
  const to = words.name(organisation.name)
  return {
    language,
    subject: charge.status === "PROCESSING" ? processing.onItsWay(to) : processing.unfinished(to),
    parts: [
      ...test(words, organisation),
      processing.gives(words.amount(charge.amount_cents, charge.currency), to),
      ...stepParts(words, facts),
      processing.whatFollows,
      { kind: "link", label: processing.page, url: new URL(page.url) },
      processing.pageUntil(words.moment(page.expires_at, organisation.timezone))
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

/** Why no money came, as far as that is known: a bank that was never asked knows nothing of it. */
const whyNone = (
  { texts: { failed } }: MailWords,
  failure_code: string | null,
  method: keyof typeof failed.refused
): string => {
  if (failure_code === "abandoned") return failed.abandoned
  return failure_code === "processor_unreachable" ? failed.unreachable : failed.refused[method]
}

const onceParts = (words: MailWords, { charge }: FailedFacts, to: string): ReadonlyArray<string> => {
  const { failed } = words.texts
  return charge.method === "bank_transfer"
    ? [failed.notSeen(to)]
    : [`${failed.nothingTaken} ${whyNone(words, charge.failure_code, charge.method)}`]
}

const renewalParts = (
  { day, texts: { failed, gift } }: MailWords,
  { again_on, frequency, has_ended }: FailedRenewal,
  to: string
): ReadonlyArray<string> => [
  failed.isRenewal(gift.every[frequency]),
  again_on === null ? (has_ended ? failed.hasEnded : failed.notAgain(to)) : failed.againOn(day(again_on))
]

/** The mail of a payment that brought no money, where its donor could not see so. pages, section 2; docs/decisions/0088. */
export const paymentFailedMail = (facts: FailedFacts): MailContent => {
  const { charge, language, organisation, page_url, renewal } = facts
  const words = wordsIn(language)
  const { failed } = words.texts
  const to = words.name(organisation.name)
  return {
    language,
    subject: failed.subject(to),
    parts: [
      ...test(words, organisation),
      failed.says(words.amount(charge.amount_cents, charge.currency), to),
      ...(renewal === null ? onceParts(words, facts, to) : renewalParts(words, renewal, to)),
      ...(page_url === null ? [] : [{ kind: "link", label: failed.giveAgain, url: new URL(page_url) } as const])
    ]
  }
}
