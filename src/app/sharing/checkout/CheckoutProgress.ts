import { Duration, Effect, Option, Schema, Struct } from "effect"
import * as CheckoutLink from "../../../domain/giving/CheckoutLink.ts"
import * as DonationForm from "../../../domain/giving/DonationForm.ts"
import {
  DonationFormId,
  DonationId,
  type OrganisationId,
  PaymentId,
  type SubscriptionId
} from "../../../domain/kernel/Ids.ts"
import { NotFound } from "../../../domain/kernel/Rejection.ts"
import type * as Charge from "../../../domain/payments/Charge.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import * as ProgressToken from "../../../domain/payments/ProgressToken.ts"
import * as Checkout from "../../../domain/sharing/Checkout.ts"
import { givingPath } from "../../../domain/sharing/RecommendationSetDraft.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { RecommendationSetStore } from "../../../ports/sharing/RecommendationSetStore.ts"
import { makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { makeChargeLoader } from "../../payments/charge/ChargeLoader.ts"

const purpose = "checkout_progress"

/** How long a donor is kept waiting for the processor. What it says later the page finds by asking for the progress. */
export const patience = Duration.seconds(20)

const isDonationId = Schema.is(DonationId)
const isPaymentId = Schema.is(PaymentId)
const isFormId = Schema.is(DonationFormId)

/** The message repeats nothing of the token: whoever has it sees a donor's payment. */
const unknownToken = () => new NotFound({ record: "checkout", id: "of this token" })

const progressAt = (
  charge: Charge.Charge,
  mandate: Option.Option<Pick<Mandate, "subscription_id">>,
  step: Option.Option<NonNullable<Checkout.Progress["next_step"]>>
): Checkout.Progress => ({
  donation_id: isDonationId(charge.subject_id) ? charge.subject_id : null,
  recommendation_set_payment_id: isPaymentId(charge.subject_id) ? charge.subject_id : null,
  subscription_id: Option.getOrNull(Option.map(mandate, ({ subscription_id }) => subscription_id)),
  status: charge.status,
  amount_cents: charge.amount_cents,
  currency: charge.currency,
  method: charge.method,
  failure_code: Checkout.failureOf(charge),
  next_step: Option.getOrNull(step)
})

const services = Effect.all({
  charges: ChargeStore,
  donations: DonationStore,
  forms: DonationFormStore,
  integrations: IntegrationStore,
  links: CheckoutLinkStore,
  organisations: OrganisationStore,
  payments: PaymentStore,
  sets: RecommendationSetStore,
  subscriptions: SubscriptionStore
})

type Services = Effect.Success<typeof services>

/** The page that a charge was submitted on: where a donor may go back to, and what it thanks with. */
interface GivenThrough {
  readonly path: string
  readonly thank_you_message: string | null
}

const ofGift = Effect.fnUntraced(function* (services: Services, organisation_id: OrganisationId, id: DonationId) {
  const gift = yield* services.donations.find(organisation_id, id)
  const form_id = Option.filter(
    Option.flatMapNullishOr(gift, (found) => found.donation_form_id),
    isFormId
  )
  const link_id = Option.flatMapNullishOr(gift, (found) => found.checkout_link_id)
  const form = Option.isSome(form_id) ? yield* services.forms.find(organisation_id, form_id.value) : Option.none()
  const link = Option.isSome(link_id) ? yield* services.links.find(organisation_id, link_id.value) : Option.none()
  const through: GivenThrough = {
    path: Option.match(form, {
      onNone: () => Option.match(link, { onNone: () => "/", onSome: CheckoutLink.pagePath }),
      onSome: DonationForm.pagePath
    }),
    thank_you_message: Option.match(form, { onNone: () => null, onSome: (found) => found.thank_you_message })
  }
  return through
})

const ofPayment = Effect.fnUntraced(function* (services: Services, organisation_id: OrganisationId, id: PaymentId) {
  const payment = yield* services.payments.find(organisation_id, id)
  const set_id = Option.flatMapNullishOr(payment, ({ recommendation_set_id }) => recommendation_set_id)
  const set = Option.isSome(set_id) ? yield* services.sets.find(organisation_id, set_id.value) : Option.none()
  const through: GivenThrough = {
    path: Option.match(set, { onNone: () => "/", onSome: givingPath }),
    thank_you_message: null
  }
  return through
})

const givenThrough = (services: Services, { organisation_id, subject_id }: Charge.Charge) => {
  if (isDonationId(subject_id)) return ofGift(services, organisation_id, subject_id)
  const none: GivenThrough = { path: "/", thank_you_message: null }
  return isPaymentId(subject_id) ? ofPayment(services, organisation_id, subject_id) : Effect.succeed(none)
}

/** What the page of a submission shows beside how it goes. */
const surroundings = Effect.fnUntraced(function* (
  services: Services,
  charge: Charge.Charge,
  subscription_id: SubscriptionId | null
) {
  const { integration_id, organisation_id } = charge
  const organisation = yield* Effect.map(services.organisations.find(organisation_id), Option.getOrThrow)
  const integration = yield* services.integrations.find(organisation_id, integration_id)
  const subscription =
    subscription_id === null ? Option.none() : yield* services.subscriptions.find(organisation_id, subscription_id)
  return {
    ...(yield* givenThrough(services, charge)),
    organisation: Struct.pick(organisation, ["slug", "name", "timezone"]),
    processor: Option.match(integration, { onNone: () => null, onSome: ({ processor }) => processor }),
    frequency: Option.match(subscription, { onNone: () => null, onSome: ({ frequency }) => frequency }),
    expires_at: ProgressToken.endsAt(charge)
  }
})

/** The progress of submissions. */
export const makeCheckoutProgress = Effect.gen(function* () {
  const around = yield* services
  const { charges } = around
  const loader = yield* makeChargeLoader
  const macs = yield* Macs
  const mandates = yield* MandateStore
  const timeOf = yield* makeOrganisationTime

  const nextStepOf = Effect.fnUntraced(function* (charge: Charge.Charge) {
    const isAsked = (charge.status === "NEW" || charge.status === "WAITING") && charge.reference !== null
    const place = isAsked && charge.ending === null ? yield* loader.placeOf(charge) : Option.none()
    const next = Option.flatMap(place, ({ integration, processor }) =>
      Option.map(processor, ({ nextStep }) => nextStep({ charge, integration }))
    )
    // Where the processor is not reached the page asks again.
    return Option.isNone(next)
      ? Option.none()
      : Option.flatten(Option.flatten(yield* Effect.timeoutOption(Effect.option(next.value), patience)))
  })

  const progressOf = Effect.fnUntraced(function* (charge: Charge.Charge) {
    const step = yield* nextStepOf(charge)
    const { mandate_id, organisation_id } = charge
    const mandate = mandate_id === null ? Option.none() : yield* mandates.find(organisation_id, mandate_id)
    return progressAt(charge, mandate, step)
  })

  const tokenOf = Effect.fnUntraced(function* ({ id: charge_id, organisation_id }: Charge.Charge) {
    const [key_id] = macs.keyIds
    const subject: ProgressToken.Subject = { key_id, organisation_id, charge_id }
    const mac = yield* macs.make(key_id, purpose, ProgressToken.canonicalText(subject))
    return ProgressToken.write({ ...subject, mac: Option.getOrThrow(mac) })
  })

  const submitted = Effect.fnUntraced(function* (charge: Charge.Charge) {
    const answer: Checkout.SubmittedCheckout = {
      progress_token: yield* tokenOf(charge),
      ...(yield* progressOf(charge))
    }
    return answer
  })

  /** The charge of a token, for a day; none for any other token. */
  const chargeOf = Effect.fnUntraced(function* (token: string) {
    const presented = ProgressToken.read(token)
    if (Option.isNone(presented)) return Option.none()
    const { charge_id, key_id, mac, organisation_id } = presented.value
    const isOurs = yield* macs.verify(key_id, purpose, ProgressToken.canonicalText(presented.value), mac)
    const charge = isOurs ? yield* charges.find(organisation_id, charge_id) : Option.none()
    const now = yield* timeOf(organisation_id)(organisationNow)
    return Option.filter(charge, (found) => ProgressToken.isOpenAt(found, now))
  })

  /** The page of a token's submission, for a day. Fails with {@link NotFound} for any other token. */
  const ofToken = Effect.fnUntraced(function* (token: string) {
    const charge = yield* chargeOf(token)
    if (Option.isNone(charge)) return yield* unknownToken()
    const progress = yield* progressOf(charge.value)
    const page: Checkout.ProgressPage = {
      ...progress,
      ...(yield* surroundings(around, charge.value, progress.subscription_id))
    }
    return page
  })

  return { chargeOf, ofToken, submitted } as const
})
