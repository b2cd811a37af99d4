import { DateTime, Effect, Option } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { amountRefusal } from "../../../domain/giving/CheckoutAmount.ts"
import { incomplete, missingDetail, submittedOf } from "../../../domain/giving/CheckoutDonor.ts"
import { answersRefusal, type ShownPrompt } from "../../../domain/giving/ConsentPrompt.ts"
import * as Donor from "../../../domain/giving/Donor.ts"
import type { CampaignId, SubscriptionId } from "../../../domain/kernel/Ids.ts"
import { GuardRefused } from "../../../domain/kernel/Machine.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import type { Frequency } from "../../../domain/kernel/Schedule.ts"
import type { Opener } from "../../../domain/payments/CardGuard.ts"
import { lapsesAt } from "../../../domain/payments/Renewal.ts"
import { lastingRule } from "../../../domain/payments/Subscription.ts"
import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import { enteredOf } from "../../../domain/sharing/SetAmounts.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { mandatesOf } from "../../../ports/payments/PaymentProcessors.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import {
  boundsOf,
  methodsOf,
  type Offer,
  type PaymentAccount,
  takesToken
} from "../../payments/account/PaymentAccounts.ts"
import type { RetryTarget } from "../../payments/subscription/SubscriptionSetup.ts"
import type { CheckoutPage, LinkPage, SetPage } from "./CheckoutPages.ts"
import { makeCheckoutProgress } from "./CheckoutProgress.ts"

/** The fields by which a try is one of the same recurring gift. */
type Tried = Pick<Checkout.Submission, "amount_cents" | "currency" | "frequency">

/** The recurring gift is not one whose first charge may be tried again now. */
export const retriesOver = () =>
  new InvalidInput({
    param: "retries",
    message:
      "This recurring gift cannot be tried again: it was paid, it ended, or it was another one. Leave retries out to set up a new one."
  })

/** Another payment is in progress, or the page changes all the time. */
export const busy = (machine: "Checkout link" | "Subscription") =>
  new GuardRefused({
    machine,
    command: "Begin",
    rule: "no gift is in progress",
    message:
      "Another payment here is being made, or is being cancelled and its processor has not answered yet. Try again in a moment."
  })

/** Locks a recurring gift whose first charge may be tried again. money, section 7. */
export const makeRetryTarget = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const invoices = yield* InvoiceStore
  const mandates = yield* MandateStore
  const subscriptions = yield* SubscriptionStore

  /**
   * The recurring gift with the invoice that is not paid, locked; none where it may not be tried again any more. Fails with {@link
   * GuardRefused} while a charge of it is under way, whose money may come.
   */
  return Effect.fnUntraced(function* (tried: Tried, integration: Integration, id: SubscriptionId) {
    const { id: integration_id, organisation_id } = integration
    const held = yield* subscriptions.findForUpdate(organisation_id, id)
    if (Option.isNone(held) || !holds(lastingRule, held.value)) return Option.none()
    const { amount_cents, currency, frequency, mandate_id } = held.value
    const isSame = tried.amount_cents === amount_cents && tried.currency === currency && tried.frequency === frequency
    if (!isSame || held.value.integration_id !== integration_id) return Option.none()
    const mandate = yield* mandates.find(organisation_id, mandate_id)
    const [invoice] = yield* invoices.openOf(organisation_id, id)
    const underWay = yield* charges.unsettledOf(organisation_id, mandate_id)
    if (underWay.some(({ ended_at }) => ended_at === null)) return yield* busy("Subscription")
    const isAwaited = Option.exists(mandate, ({ status }) => status === "PENDING") && underWay.length === 0
    const lapse = invoice === undefined ? null : lapsesAt(invoice)
    const isInTime = lapse !== null && DateTime.isLessThan(yield* organisationNow, lapse)
    if (invoice === undefined || !isAwaited || !isInTime) return Option.none()
    const found: RetryTarget = { subscription: held.value, invoice }
    return Option.some(found)
  })
})

/** Finds the recurring gift whose first charge a submission tries again. */
export const makeFirstChargeRetry = Effect.gen(function* () {
  const mandates = yield* MandateStore
  const progressing = yield* makeCheckoutProgress
  const subscriptions = yield* SubscriptionStore

  /** Null where the submission tries none again. Fails with {@link InvalidInput} for one that is not of this form. */
  return Effect.fnUntraced(function* (
    { id: organisation_id }: Organisation,
    page: CheckoutPage,
    { frequency = null, retries = null }: Checkout.Submission
  ) {
    if (retries === null) return null
    const charge = frequency === null ? Option.none() : yield* progressing.chargeOf(retries)
    const mandate_id = Option.match(charge, {
      onNone: () => null,
      onSome: (found) => (found.organisation_id === organisation_id ? found.mandate_id : null)
    })
    if (mandate_id === null) return yield* retriesOver()
    const mandate = yield* mandates.find(organisation_id, mandate_id)
    const subscription = Option.isSome(mandate)
      ? yield* subscriptions.find(organisation_id, mandate.value.subscription_id)
      : Option.none()
    if (Option.isNone(subscription) || subscription.value.donation_form_id !== page.id) return yield* retriesOver()
    return subscription.value.id
  })
})

/** A donor's submission, with everything that was found out about it before anything is written. */
export interface CheckedSubmission<P extends CheckoutPage = CheckoutPage> {
  readonly organisation: Organisation
  readonly page: P
  /** How its page may be paid. */
  readonly offer: Offer
  /** The account that takes its method; the page's own where none does. */
  readonly taking: PaymentAccount
  readonly prompts: ReadonlyArray<ShownPrompt>
  readonly submission: Checkout.Submission
  readonly linked: Option.Option<Donor.Donor>
  readonly campaign_id: CampaignId | null
  /** The recurring gift whose first charge is tried again; null where none is. */
  readonly retried: SubscriptionId | null
  /** What opens closed cards for it; null where nothing does. */
  readonly opened_by: Opener | null
  /** When its card was begun to be tried; null where none was. */
  readonly begun_at: DateTime.Utc | null
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

const takingRefusal = ({ offer, submission, taking }: CheckedSubmission): InvalidInput | null => {
  const { amount_cents, currency, method } = submission
  const expected = taking.integration.settlement_currency
  if (currency !== expected) {
    return invalid("currency", `currency must be ${expected}, in which this page takes gifts.`)
  }
  const methods = methodsOf(offer)
  if (!methods.includes(method)) {
    return invalid("method", `method must be one that this page offers now: ${methods.join(", ")}.`)
  }
  const { maximum_cents, minimum_cents } = boundsOf(taking, method)
  if (amount_cents > maximum_cents) {
    return invalid(
      "amount_cents",
      `amount_cents must be at most ${maximum_cents}, which is the most that is taken at once by ${method}.`
    )
  }
  return minimum_cents !== null && amount_cents < minimum_cents
    ? invalid(
        "amount_cents",
        `amount_cents must be at least ${minimum_cents}, which is the least that is taken in ${currency} by ${method}.`
      )
    : null
}

const tokenRefusal = ({ submission: { method, payment_token }, taking }: CheckedSubmission): InvalidInput | null =>
  takesToken(taking, method) && (payment_token ?? "") === ""
    ? invalid("payment_token", "payment_token must be what the processor's page gave.")
    : null

/** Whether an account takes gifts that repeat: nothing is kept of a bank transfer. */
const repeats = ({ methods, processor }: PaymentAccount): boolean =>
  Option.isSome(mandatesOf(processor)) && methods.some((method) => method !== "bank_transfer")

/** How often gifts may repeat on a page: as its form and its accounts permit. service-spec, Donation form. */
export const frequenciesOn = (page: CheckoutPage, offer: Offer): ReadonlyArray<Frequency> =>
  page.kind === "form" && page.form.allow_recurring && offer.some(repeats) ? page.form.recurring_frequencies : []

const frequencyRefusal = ({ offer, page, submission }: CheckedSubmission): InvalidInput | null => {
  const { frequency, method } = submission
  if (frequency === undefined || frequency === null) return null
  const offered = frequenciesOn(page, offer)
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
