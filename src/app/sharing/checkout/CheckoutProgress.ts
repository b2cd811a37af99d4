import { Duration, Effect, Option, Schema, Struct } from "effect"
import * as CheckoutLink from "../../../domain/giving/CheckoutLink.ts"
import type { Donation } from "../../../domain/giving/Donation.ts"
import * as DonationForm from "../../../domain/giving/DonationForm.ts"
import type { SubmittedDonor } from "../../../domain/giving/Donor.ts"
import { receiptAddress } from "../../../domain/giving/GivingSettings.ts"
import type * as PersonalisedLink from "../../../domain/giving/PersonalisedLink.ts"
import {
  CampaignId,
  DonationFormId,
  DonationId,
  type DonorId,
  type OrganisationId,
  PaymentId,
  type SubscriptionId
} from "../../../domain/kernel/Ids.ts"
import { NotFound } from "../../../domain/kernel/Rejection.ts"
import { maskedEmail } from "../../../domain/kernel/Text.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import * as ProgressToken from "../../../domain/payments/ProgressToken.ts"
import * as Checkout from "../../../domain/sharing/Checkout.ts"
import { payerOf } from "../../../domain/sharing/Payment.ts"
import { givingPath } from "../../../domain/sharing/RecommendationSetDraft.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { GivingSettingsStore } from "../../../ports/giving/GivingSettingsStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { PaymentProcessors } from "../../../ports/payments/PaymentProcessors.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { RecommendationSetStore } from "../../../ports/sharing/RecommendationSetStore.ts"
import { makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { makeDonorTokens } from "../../giving/donor/DonorTokens.ts"
import { Attributions } from "../../kernel/reaction/Attributions.ts"
import { makeChargeLoader } from "../../payments/charge/ChargeLoader.ts"

const purpose = "checkout_progress"

/** How long a donor is kept waiting for the processor. What it says later the page finds by asking for the progress. */
export const patience = Duration.seconds(20)

const isDonationId = Schema.is(DonationId)
const isPaymentId = Schema.is(PaymentId)
const isFormId = Schema.is(DonationFormId)
const isCampaignId = Schema.is(CampaignId)

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
  failure_code: Charge.failureOf(charge),
  next_step: Option.getOrNull(step)
})

const services = Effect.all({
  attributions: Attributions,
  charges: ChargeStore,
  donations: DonationStore,
  forms: DonationFormStore,
  integrations: IntegrationStore,
  links: CheckoutLinkStore,
  organisations: OrganisationStore,
  payments: PaymentStore,
  processors: PaymentProcessors,
  sets: RecommendationSetStore,
  settings: GivingSettingsStore,
  subscriptions: SubscriptionStore,
  donors: DonorStore,
  tokens: makeDonorTokens
})

type Services = Effect.Success<typeof services>

/** What was given, and on which page: where a donor may go back to, what it thanks with, and what was typed there. */
interface GivenThrough
  extends Pick<Checkout.Resumption, "allocations" | "code" | "consent" | "donor" | "path" | "slug" | "url_key"> {
  readonly thank_you_message: string | null
  readonly campaign_id: string | null
  /** Who gave, as far as it was typed, and the donor's record; nulls where there is none. */
  readonly giver: { readonly donor_id: DonorId | null; readonly typed: typeof SubmittedDonor.Type | null }
  /** Where a donor's own link led to; null where none can. */
  readonly target: PersonalisedLink.Target | null
}

const nowhere: GivenThrough = {
  path: "/",
  slug: null,
  code: null,
  url_key: null,
  allocations: null,
  donor: null,
  consent: [],
  thank_you_message: null,
  campaign_id: null,
  giver: { donor_id: null, typed: null },
  target: null
}

type Asked = Pick<Donation, "consent_responses" | "submitted_donor">

/** What the donor typed, as a submission has it. */
const typedIn = ({ consent_responses, submitted_donor }: Asked): Pick<GivenThrough, "consent" | "donor"> => ({
  consent: consent_responses.flatMap(({ accepted, prompt_id, text }) =>
    prompt_id === null ? [] : [{ prompt_id, text, accepted }]
  ),
  donor: submitted_donor
})

const ofGift = Effect.fnUntraced(function* (services: Services, organisation_id: OrganisationId, id: DonationId) {
  const gift = yield* services.donations.find(organisation_id, id)
  if (Option.isNone(gift)) return nowhere
  const { campaign_id, checkout_link_id, donation_form_id, donor_id, submitted_donor } = gift.value
  const giver = { donor_id, typed: submitted_donor }
  const link = checkout_link_id === null ? Option.none() : yield* services.links.find(organisation_id, checkout_link_id)
  if (Option.isSome(link)) {
    const { code } = link.value
    return { ...nowhere, giver, code, campaign_id, path: CheckoutLink.pagePath({ code }) }
  }
  const form = isFormId(donation_form_id)
    ? yield* services.forms.find(organisation_id, donation_form_id)
    : Option.none()
  if (Option.isNone(form)) return { ...nowhere, giver }
  const { id: form_id, slug, thank_you_message } = form.value
  const target = { kind: "donation_form", id: form_id } as const
  return {
    ...nowhere,
    ...typedIn(gift.value),
    ...{ giver, slug, campaign_id, path: DonationForm.pagePath({ slug }), thank_you_message },
    target
  }
})

const ofPayment = Effect.fnUntraced(function* (
  services: Services,
  organisation_id: OrganisationId,
  payment_id: PaymentId
) {
  const payment = yield* services.payments.find(organisation_id, payment_id)
  const set_id = Option.flatMapNullishOr(payment, ({ recommendation_set_id }) => recommendation_set_id)
  const set = Option.isSome(set_id) ? yield* services.sets.find(organisation_id, set_id.value) : Option.none()
  if (Option.isNone(payment) || Option.isNone(set)) return nowhere
  const { url_key } = set.value
  const amounts = new Map(
    payment.value.allocations.map((each) => [each.recipient_org_account_link_id, each.gross_amount_cents])
  )
  const allocations = set.value.allocations.map(({ id, recipient_org_account_link_id }) => ({
    id,
    amount_cents: amounts.get(recipient_org_account_link_id) ?? 0
  }))
  const { submitted_donor: typed } = payment.value
  const target = { kind: "recommendation_set", id: set.value.id } as const
  return {
    ...nowhere,
    ...typedIn(payment.value),
    ...{ url_key, path: givingPath({ url_key }), allocations, campaign_id: payment.value.campaign_id },
    giver: { donor_id: payerOf(payment.value), typed },
    target
  }
})

const givenThrough = (
  services: Services,
  { organisation_id, subject_id }: Charge.Charge
): Effect.Effect<GivenThrough> => {
  if (isDonationId(subject_id)) return ofGift(services, organisation_id, subject_id)
  return isPaymentId(subject_id) ? ofPayment(services, organisation_id, subject_id) : Effect.succeed(nowhere)
}

const organisationOf = ({ organisations }: Services, { organisation_id }: Charge.Charge) =>
  Effect.map(organisations.find(organisation_id), Option.getOrThrow)

/** How often a gift is repeated; null where it is not. */
const frequencyOf = ({ subscriptions }: Services, organisation_id: OrganisationId, id: SubscriptionId | null) =>
  id === null
    ? Effect.succeed(null)
    : Effect.map(subscriptions.find(organisation_id, id), (found) =>
        Option.getOrNull(Option.map(found, ({ frequency }) => frequency))
      )

/** What the page of a submission shows beside how it goes. */
const surroundings = Effect.fnUntraced(function* (
  services: Services,
  charge: Charge.Charge,
  subscription_id: SubscriptionId | null
) {
  const { giver, path, thank_you_message } = yield* givenThrough(services, charge)
  const { integration_id, organisation_id } = charge
  const organisation = yield* organisationOf(services, charge)
  const integration = yield* services.integrations.find(organisation_id, integration_id)
  const processor = Option.flatMap(integration, (found) => services.processors.find(found.processor))
  const key =
    Option.isSome(integration) && Option.isSome(processor)
      ? yield* processor.value.pageKey(integration.value)
      : Option.none()
  const settings = yield* services.settings.of(organisation_id)
  const donor = giver.donor_id === null ? Option.none() : yield* services.donors.find(organisation_id, giver.donor_id)
  const receipt_email = receiptAddress(settings, giver.typed, Option.getOrNull(donor))
  return {
    ...{ path, thank_you_message },
    organisation: Checkout.organisationShown(organisation, settings),
    receipt_email: receipt_email === null ? null : maskedEmail(receipt_email),
    lapses_at: charge.method === "bank_transfer" ? Charge.lapsesAt(charge) : null,
    processor: Option.match(integration, { onNone: () => null, onSome: (found) => found.processor }),
    processor_key: Option.getOrNull(key),
    frequency: yield* frequencyOf(services, organisation_id, subscription_id),
    expires_at: ProgressToken.endsAt(charge)
  }
})

const resumptionOf = Effect.fnUntraced(function* (
  services: Services,
  charge: Charge.Charge,
  subscription_id: SubscriptionId | null,
  token: string
) {
  const { link_claims, organisation_id } = charge
  const { slug: organisation } = yield* organisationOf(services, charge)
  const frequency = yield* frequencyOf(services, organisation_id, subscription_id)
  const { campaign_id, giver: _, target, thank_you_message: __, ...given } = yield* givenThrough(services, charge)
  const dt =
    target === null || link_claims === null
      ? Option.none()
      : yield* services.tokens.presentedAgain({ organisation_id, target }, link_claims)
  const campaign = isCampaignId(campaign_id)
    ? yield* services.attributions.referenceOf(organisation_id, campaign_id)
    : Option.none()
  const resumption: Checkout.Resumption = {
    ...given,
    campaign: Option.getOrNull(campaign),
    dt: Option.getOrNull(dt),
    ...Struct.pick(charge, ["amount_cents", "currency"]),
    organisation,
    frequency,
    retries: frequency === null ? null : token
  }
  return resumption
})

/** The next step of the donor, where the processor tells one in time: where it is not reached the page asks again. */
const nextStepOf = Effect.fnUntraced(function* (
  loader: Effect.Success<typeof makeChargeLoader>,
  charge: Charge.Charge
) {
  const isAsked = (charge.status === "NEW" || charge.status === "WAITING") && charge.reference !== null
  const place = isAsked && charge.ending === null ? yield* loader.placeOf(charge) : Option.none()
  const next = Option.flatMap(place, ({ integration, processor }) =>
    Option.map(processor, (found) => found.nextStep({ charge, integration }))
  )
  return Option.isNone(next)
    ? Option.none()
    : Option.flatten(Option.flatten(yield* Effect.timeoutOption(Effect.option(next.value), patience)))
})

const pageOf = (services: Services, charge: Charge.Charge, progress: Checkout.Progress) =>
  Effect.map(
    surroundings(services, charge, progress.subscription_id),
    (around): Checkout.ProgressPage => ({ ...progress, ...around })
  )

/** The progress of submissions. */
export const makeCheckoutProgress = Effect.gen(function* () {
  const around = yield* services
  const { charges } = around
  const loader = yield* makeChargeLoader
  const macs = yield* Macs
  const mandates = yield* MandateStore
  const timeOf = yield* makeOrganisationTime

  const progressOf = Effect.fnUntraced(function* (charge: Charge.Charge) {
    const step = yield* nextStepOf(loader, charge)
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

  const ofCharge = (charge: Charge.Charge) =>
    Effect.flatMap(progressOf(charge), (progress) => pageOf(around, charge, progress))

  /** The page of a token's submission, for a day. Fails with {@link NotFound} for any other token. */
  const ofToken = Effect.fnUntraced(function* (token: string) {
    const charge = yield* chargeOf(token)
    return Option.isNone(charge) ? yield* unknownToken() : yield* ofCharge(charge.value)
  })

  /** A submission that brought no money, to be taken again. Fails with {@link NotFound} for any other token. */
  const resume = Effect.fnUntraced(function* (token: string) {
    const charge = yield* chargeOf(token)
    const isOver = Option.exists(charge, (found) => Charge.failureOf(found) !== null)
    if (Option.isNone(charge) || !isOver) return yield* unknownToken()
    const { subscription_id } = yield* progressOf(charge.value)
    const { organisation_id } = charge.value
    return yield* timeOf(organisation_id)(resumptionOf(around, charge.value, subscription_id, token))
  })

  /** The path of the page that a charge was given through; `/` where it is not known. */
  const pathOf = (charge: Charge.Charge) => Effect.map(givenThrough(around, charge), ({ path }) => path)

  return { chargeOf, ofCharge, ofToken, pathOf, resume, submitted } as const
})
