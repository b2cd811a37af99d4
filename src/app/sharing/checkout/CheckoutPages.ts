import { Effect, Equal, Option } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import * as CheckoutLink from "../../../domain/giving/CheckoutLink.ts"
import * as DonationForm from "../../../domain/giving/DonationForm.ts"
import type * as PersonalisedLink from "../../../domain/giving/PersonalisedLink.ts"
import { type ListQuery, type ListSpec, parse, within } from "../../../domain/kernel/Listing.ts"
import { InvalidInput, NotFound } from "../../../domain/kernel/Rejection.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import { pageKeys } from "../../../domain/sharing/PageName.ts"
import * as RecommendationSet from "../../../domain/sharing/RecommendationSet.ts"
import { totalCents } from "../../../domain/sharing/RecommendationSetRules.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { ConsentPromptStore } from "../../../ports/giving/ConsentPromptStore.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { type LinkedSet, RecommendationSetStore } from "../../../ports/sharing/RecommendationSetStore.ts"
import { makeDonorTokens } from "../../giving/donor/DonorTokens.ts"
import type { Payable } from "../../payments/account/PaymentAccounts.ts"

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

const keyOf = (target: Checkout.Target) => {
  const named = pageKeys.flatMap((key) => {
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
  tokens: makeDonorTokens
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
    payable: { integration_id: null, currency, amount_cents: null, methods: null, is_shared: false },
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
      amount_cents: link.amount_cents,
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
  const amount_cents = set.amount_mode === "FIXED" ? totalCents(set.allocations) : null
  const page: SetPage = {
    kind: "set",
    id: set.id,
    record: "recommendation set",
    status,
    closed: setClosed[status],
    payable: { integration_id: null, currency, amount_cents, methods: null, is_shared: true },
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

/** The most organisations that are remembered: beyond them, all are forgotten. */
const organisationsRemembered = 10_000

/**
 * Reads for a page with the organisation as it was when it was read last, and the organisation beside that: where it is another
 * by now, all is read again with it. So nobody waits for the organisation first, and nobody sees an old one.
 */
const makeReadWith = (services: Services) => {
  const remembered = new Map<string, Organisation>()

  const fresh = Effect.fnUntraced(function* (target: Checkout.Target) {
    const organisation = yield* organisationOf(services, target)
    if (remembered.size >= organisationsRemembered) remembered.clear()
    remembered.set(target.organisation, organisation)
    return organisation
  })

  return <A, E>(target: Checkout.Target, read: (organisation: Organisation) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const known = remembered.get(target.organisation)
      if (known === undefined) return yield* read(yield* fresh(target))
      // A failure of one would interrupt the other, which costs the database more than the reading.
      const [found, answer] = yield* Effect.all([Effect.result(fresh(target)), Effect.result(read(known))], {
        concurrency: "unbounded"
      })
      const organisation = yield* Effect.fromResult(found)
      return yield* Equal.equals(organisation, known) ? Effect.fromResult(answer) : read(organisation)
    })
}

/** Finds the pages that donors give through. decisions, section 8. */
export const makeCheckoutPages = Effect.map(services, (services) => ({
  /** Fails with {@link NotFound} where there is no such organisation. */
  organisationOf: (target: Checkout.Target) => organisationOf(services, target),
  /** What is read with the organisation of a page. Fails with {@link NotFound} where there is none. */
  readWith: makeReadWith(services),
  /** Fails with {@link NotFound} where the organisation has no such page. */
  pageOf: (organisation: Organisation, target: Checkout.Target) => pageOf(services, organisation, target),
  /** The charge of the gift in progress on a link. */
  pendingCharge: (link: CheckoutLink.CheckoutLink) => pendingCharge(services, link),
  /** The donor whose own link to the page it is. */
  linkedDonor: ({ id: organisation_id }: Organisation, { target }: CheckoutPage, { dt }: Checkout.Target) =>
    typeof dt === "string" && target !== null
      ? services.tokens.donorOf({ organisation_id, target }, dt)
      : Effect.succeedNone,
  /** The consent prompts of the page of a target; a checkout link has none. money, section 4: Consent. */
  promptsOn: ({ id }: Organisation, { code }: Checkout.Target) =>
    typeof code === "string" ? Effect.succeed([]) : services.prompts.asked(id)
}))
