import { Option } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { amountRefusal } from "../../../domain/giving/CheckoutAmount.ts"
import { incomplete, missingDetail, submittedOf } from "../../../domain/giving/CheckoutDonor.ts"
import { answersRefusal, type ShownPrompt } from "../../../domain/giving/ConsentPrompt.ts"
import * as Donor from "../../../domain/giving/Donor.ts"
import type { CampaignId, SubscriptionId } from "../../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import type { Frequency } from "../../../domain/kernel/Schedule.ts"
import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import { enteredOf } from "../../../domain/sharing/SetAmounts.ts"
import { mandatesOf } from "../../../ports/payments/PaymentProcessors.ts"
import { type PaymentAccount, takesToken } from "../../payments/account/PaymentAccounts.ts"
import type { CheckoutPage, LinkPage, SetPage } from "./CheckoutPages.ts"

/** A donor's submission, with everything that was found out about it before anything is written. */
export interface CheckedSubmission<P extends CheckoutPage = CheckoutPage> {
  readonly organisation: Organisation
  readonly page: P
  readonly taking: PaymentAccount
  readonly prompts: ReadonlyArray<ShownPrompt>
  readonly submission: Checkout.Submission
  readonly linked: Option.Option<Donor.Donor>
  readonly campaign_id: CampaignId | null
  /** The recurring gift whose first charge is tried again; null where none is. */
  readonly retried: SubscriptionId | null
}

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

const linkRefusal = ({ link }: LinkPage, { amount_cents, donor }: Checkout.Submission): InvalidInput | null => {
  if (amount_cents !== link.amount_cents) {
    return invalid("amount_cents", `amount_cents must be ${link.amount_cents}, which is what this link takes now.`)
  }
  return submittedOf(donor ?? {}) === null
    ? null
    : invalid("donor", "A checkout link knows its donor. Leave donor out.")
}

/** A set asks for no more of its donor than it takes to find or make one. */
const plain = { address_visibility: "NONE", phone_visibility: "NONE" } as const

const setRefusal = ({ set }: SetPage, { allocations, amount_cents }: Checkout.Submission): InvalidInput | null =>
  enteredOf(set, allocations, amount_cents).refusal

const detailsRefusal = ({ linked, page, submission: { donor } }: CheckedSubmission): InvalidInput | null => {
  if (page.kind === "link" || linked._tag === "Some") return null
  const typed = donor ?? {}
  if (page.kind === "form") return missingDetail(typed, page.form)
  // The donor is made when the money is there, and must be one by then.
  return missingDetail(typed, plain) ?? incomplete(Donor.profileOf(typed))
}

const amountRefusalOf = ({ page, submission }: CheckedSubmission): InvalidInput | null => {
  if (page.kind !== "set" && (submission.allocations ?? []).length > 0) {
    return invalid("allocations", "Only a recommendation set has recipients. Leave allocations out.")
  }
  switch (page.kind) {
    case "form":
      return amountRefusal(submission.amount_cents, page.form)
    case "link":
      return linkRefusal(page, submission)
    case "set":
      return setRefusal(page, submission)
  }
}

const takingRefusal = ({ submission, taking }: CheckedSubmission): InvalidInput | null => {
  const { amount_cents, currency, method } = submission
  const expected = taking.integration.settlement_currency
  if (currency !== expected) {
    return invalid("currency", `currency must be ${expected}, in which this page takes gifts.`)
  }
  if (!taking.methods.includes(method)) {
    return invalid("method", `method must be one that this page offers now: ${taking.methods.join(", ")}.`)
  }
  const { maximum_cents } = taking.processor.capabilities
  return maximum_cents !== undefined && amount_cents > maximum_cents
    ? invalid("amount_cents", `amount_cents must be at most ${maximum_cents}, which is the most that is taken at once.`)
    : null
}

const tokenRefusal = ({ submission: { method, payment_token }, taking }: CheckedSubmission): InvalidInput | null =>
  takesToken(taking, method) && (payment_token ?? "") === ""
    ? invalid("payment_token", "payment_token must be what the processor's page gave.")
    : null

/** How often gifts may repeat on a page: as its form and its processor permit. service-spec, Donation form. */
export const frequenciesOn = (page: CheckoutPage, { processor }: PaymentAccount): ReadonlyArray<Frequency> =>
  page.kind === "form" && page.form.allow_recurring && Option.isSome(mandatesOf(processor))
    ? page.form.recurring_frequencies
    : []

const frequencyRefusal = ({ page, submission, taking }: CheckedSubmission): InvalidInput | null => {
  const { frequency, method } = submission
  if (frequency === undefined || frequency === null) return null
  const offered = frequenciesOn(page, taking)
  if (offered.length === 0) {
    return invalid("frequency", "This page takes gifts that are given once only. Leave frequency out.")
  }
  if (!offered.includes(frequency)) {
    return invalid("frequency", `frequency must be one that this page offers now: ${offered.join(", ")}.`)
  }
  return method === "bank_transfer"
    ? invalid("method", "A recurring gift cannot be transferred: nothing is kept of a bank transfer.")
    : null
}

/**
 * The refusal of a submission that its page does not take now; null where it takes it. A difference from the page as it
 * was shown is refused, not charged. money, section 4.
 */
export const submissionRefusal = (sound: CheckedSubmission): InvalidInput | null =>
  takingRefusal(sound) ??
  amountRefusalOf(sound) ??
  frequencyRefusal(sound) ??
  detailsRefusal(sound) ??
  answersRefusal(sound.prompts, sound.submission.consent ?? []) ??
  tokenRefusal(sound)
