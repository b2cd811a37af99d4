import { Duration, Effect, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import * as CheckoutLink from "../../../domain/giving/CheckoutLink.ts"
import * as DonationForm from "../../../domain/giving/DonationForm.ts"
import type * as PersonalisedLink from "../../../domain/giving/PersonalisedLink.ts"
import { DonationId, PaymentId } from "../../../domain/kernel/Ids.ts"
import { type ListQuery, type ListSpec, parse, within } from "../../../domain/kernel/Listing.ts"
import { InvalidInput, NotFound } from "../../../domain/kernel/Rejection.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import * as ProgressToken from "../../../domain/payments/ProgressToken.ts"
import * as Checkout from "../../../domain/sharing/Checkout.ts"
import * as RecommendationSet from "../../../domain/sharing/RecommendationSet.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { ConsentPromptStore } from "../../../ports/giving/ConsentPromptStore.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { type LinkedSet, RecommendationSetStore } from "../../../ports/sharing/RecommendationSetStore.ts"
import { makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { makeDonorTokens } from "../../giving/donor/DonorTokens.ts"
import type { Payable } from "../../payments/account/PaymentAccounts.ts"
import { makeChargeLoader } from "../../payments/charge/ChargeLoader.ts"

interface Common {
  readonly id: string
  /** The record's name and status, for a refusal. */
  readonly record: string
  readonly status: string
  /** Why it takes no gift by itself; null where it does. */
  readonly closed: Checkout.ClosedReason | null
  readonly payable: Payable
  /** The target of donors' own links to it; null where it needs none. */
  readonly target: PersonalisedLink.Target | null
}

/** A form's page. */
export interface FormPage extends Common {
  readonly kind: "form"
  readonly form: DonationForm.DonationForm
}

/** A checkout link's page. */
export interface LinkPage extends Common {
  readonly kind: "link"
  readonly link: CheckoutLink.CheckoutLink
}

/** A recommendation set's page. */
export interface SetPage extends Common, LinkedSet {
  readonly kind: "set"
}

/** A page that donors give through, as it stands. */
export type CheckoutPage = FormPage | LinkPage | SetPage

const formClosed = { ACTIVE: null, ARCHIVED: "archived", DRAFT: "draft", PAUSED: "paused" } as const
const setClosed = { ACTIVE: null, ARCHIVED: "archived", DEACTIVATED: "deactivated", EXPIRED: "expired" } as const

/** Archived records too: their pages say so. */
const queryOf = (spec: ListSpec): Effect.Effect<ListQuery> =>
  Effect.orDie(
    Effect.fromResult(
      parse(spec, [
        ["limit", "1"],
        ["archived", "true"]
      ])
    )
  )

const keys = ["slug", "embed_token", "code", "url_key"] as const

const keyOf = (target: Checkout.Target) => {
  const named = keys.flatMap((key) => {
    const value = target[key]
    return typeof value === "string" ? [{ key, value }] : []
  })
  const [only] = named
  return only === undefined || named.length > 1
    ? Effect.fail(
        new InvalidInput({
          param: only?.key ?? "slug",
          message:
            "Name the page by one of these: a form by its slug or its embed_token, a checkout link by its code, a recommendation set by its url_key."
        })
      )
    : Effect.succeed(only)
}

const services = Effect.all({
  organisations: OrganisationStore,
  forms: DonationFormStore,
  links: CheckoutLinkStore,
  sets: RecommendationSetStore,
  charges: ChargeStore,
  donations: DonationStore,
  prompts: ConsentPromptStore,
  donorOf: makeDonorTokens
})

type Services = Effect.Success<typeof services>

const organisationOf = Effect.fnUntraced(function* (
  { organisations }: Services,
  { organisation: slug }: Checkout.Target
) {
  const found = yield* organisations.findBySlug(slug)
  return Option.isSome(found) ? found.value : yield* new NotFound({ record: "organisation", id: slug })
})

const formOf = Effect.fnUntraced(function* (
  { forms }: Services,
  { default_currency: currency, id }: Organisation,
  key: "slug" | "embed_token",
  value: string
) {
  const { data } = yield* forms.list(id, within(yield* queryOf(DonationForm.listing), key, value))
  const [form] = data
  // The embed_token is on the pages of others, and no secret; a refusal needs none of it.
  if (form === undefined) {
    return yield* new NotFound({ record: "donation form", id: key === "slug" ? value : "of this embed_token" })
  }
  const page: FormPage = {
    kind: "form",
    id: form.id,
    record: "donation form",
    status: form.status,
    closed: formClosed[form.status],
    payable: { integration_id: null, currency, methods: null, is_shared: false },
    target: { kind: "donation_form", id: form.id },
    form
  }
  return page
})

const pendingCharge = Effect.fnUntraced(function* (
  { charges, donations }: Services,
  { organisation_id, pending_donation_id }: CheckoutLink.CheckoutLink
) {
  const gift =
    pending_donation_id === null ? Option.none() : yield* donations.find(organisation_id, pending_donation_id)
  const charge_id = Option.match(gift, { onNone: () => null, onSome: (found) => found.charge_id })
  return charge_id === null ? Option.none() : yield* charges.find(organisation_id, charge_id)
})

const linkOf = Effect.fnUntraced(function* (services: Services, { id }: Organisation, code: string) {
  const { data } = yield* services.links.list(id, within(yield* queryOf(CheckoutLink.listing), "code", code))
  const [link] = data
  if (link === undefined) return yield* new NotFound({ record: "checkout link", id: "of this code" })
  const closed = CheckoutLink.closedAt(link, yield* organisationNow)
  const isUnderWay = closed === null && Option.exists(yield* pendingCharge(services, link), Charge.mayStillArrive)
  const page: LinkPage = {
    kind: "link",
    id: link.id,
    record: "checkout link",
    status: isUnderWay ? "in progress" : (closed ?? "active"),
    closed: isUnderWay ? "in_progress" : closed,
    payable: {
      integration_id: link.processor_integration_id,
      currency: link.currency,
      methods: link.payment_methods,
      is_shared: false
    },
    target: null,
    link
  }
  return page
})

const setOf = Effect.fnUntraced(function* (
  { sets }: Services,
  { default_currency: currency, id }: Organisation,
  url_key: string
) {
  const { data } = yield* sets.list(id, within(yield* queryOf(RecommendationSet.listing), "url_key", url_key))
  const [listed] = data
  const linked = listed === undefined ? Option.none() : yield* sets.findLinked(id, listed.id)
  if (Option.isNone(linked)) return yield* new NotFound({ record: "recommendation set", id: "of this url_key" })
  const { set } = linked.value
  const status = RecommendationSet.statusAt(set, yield* organisationNow)
  const page: SetPage = {
    kind: "set",
    id: set.id,
    record: "recommendation set",
    status,
    closed: setClosed[status],
    payable: { integration_id: null, currency, methods: null, is_shared: true },
    target: { kind: "recommendation_set", id: set.id },
    ...linked.value
  }
  return page
})

const pageOf = Effect.fnUntraced(function* (services: Services, organisation: Organisation, target: Checkout.Target) {
  const { key, value } = yield* keyOf(target)
  switch (key) {
    case "slug":
    case "embed_token":
      return yield* formOf(services, organisation, key, value)
    case "code":
      return yield* linkOf(services, organisation, value)
    case "url_key":
      return yield* setOf(services, organisation, value)
  }
})

/** Finds the pages that donors give through. decisions, section 8. */
export const makeCheckoutPages = Effect.map(services, (services) => ({
  /** Fails with {@link NotFound} where there is no such organisation. */
  organisationOf: (target: Checkout.Target) => organisationOf(services, target),
  /** Fails with {@link NotFound} where the organisation has no such page. */
  pageOf: (organisation: Organisation, target: Checkout.Target) => pageOf(services, organisation, target),
  /** The charge of the gift in progress on a link. */
  pendingCharge: (link: CheckoutLink.CheckoutLink) => pendingCharge(services, link),
  /** The donor whose own link to the page it is. */
  linkedDonor: ({ id: organisation_id }: Organisation, { target }: CheckoutPage, { dt }: Checkout.Target) =>
    typeof dt === "string" && target !== null ? services.donorOf({ organisation_id, target }, dt) : Effect.succeedNone,
  /** The consent prompts of a page; a checkout link has none. money, section 4: Consent. */
  promptsOn: ({ id }: Organisation, { kind }: CheckoutPage) =>
    kind === "link" ? Effect.succeed([]) : services.prompts.asked(id)
}))

const purpose = "checkout_progress"

/** How long a donor is kept waiting for the processor. What it says later the page finds by asking for the progress. */
export const patience = Duration.seconds(20)

const isDonationId = Schema.is(DonationId)
const isPaymentId = Schema.is(PaymentId)

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

/** The progress of submissions. */
export const makeCheckoutProgress = Effect.gen(function* () {
  const charges = yield* ChargeStore
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

  /** How the submission of a token is going, for a day. Fails with {@link NotFound} for any other token. */
  const ofToken = Effect.fnUntraced(function* (token: string) {
    const charge = yield* chargeOf(token)
    return Option.isSome(charge) ? yield* progressOf(charge.value) : yield* unknownToken()
  })

  return { chargeOf, ofToken, submitted } as const
})
