import { DateTime, Effect, Option } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { SubscriptionId } from "../../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { lapsesAt } from "../../../domain/payments/Renewal.ts"
import { lastingRule } from "../../../domain/payments/Subscription.ts"
import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import type { RetryTarget } from "../../payments/subscription/SubscriptionSetup.ts"
import type { CheckoutPage } from "./CheckoutPages.ts"
import { makeCheckoutProgress } from "./CheckoutProgress.ts"

/** The fields by which a try is one of the same recurring gift. */
type Tried = Pick<Checkout.Submission, "amount_cents" | "currency" | "frequency">

/** The recurring gift is not one whose first charge may be tried again now. */
export const retriesOver = () =>
  new InvalidInput({
    param: "retries",
    message:
      "This recurring gift cannot be tried again: it was paid, it ended, a charge of it is under way, or it was another one. Leave retries out to set up a new one."
  })

/** Locks a recurring gift whose first charge may be tried again. money, section 7. */
export const makeRetryTarget = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const invoices = yield* InvoiceStore
  const mandates = yield* MandateStore
  const subscriptions = yield* SubscriptionStore

  /** The recurring gift with the invoice that is not paid, locked; none where it may not be tried again any more. */
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
    const isAwaited = Option.exists(mandate, ({ status }) => status === "PENDING") && underWay.length === 0
    const lapse = invoice === undefined ? null : lapsesAt(invoice)
    const isInTime = lapse !== null && DateTime.isLessThan(yield* DateTime.now, lapse)
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
