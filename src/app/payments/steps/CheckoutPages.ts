import { Effect, Option } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { listing } from "../../../domain/giving/DonationForm.ts"
import { type ListQuery, parse, within } from "../../../domain/kernel/Listing.ts"
import { InvalidInput, NotFound } from "../../../domain/kernel/Rejection.ts"
import type * as Checkout from "../../../domain/payments/Checkout.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"

/** Archived forms too: their pages say so. */
const query = Effect.orDie(
  Effect.fromResult(
    parse(listing, [
      ["limit", "1"],
      ["archived", "true"]
    ])
  )
)

/** Makes what finds the pages that donors give through. decisions, section 8. */
export const makeCheckoutPages = Effect.gen(function* () {
  const organisations = yield* OrganisationStore
  const forms = yield* DonationFormStore

  /** The condition under which a form is the one that is named. */
  const naming = ({ embed_token, slug }: Checkout.Target) => {
    const named = [
      ...(typeof slug === "string" ? [(all: ListQuery) => within(all, "slug", slug)] : []),
      ...(typeof embed_token === "string" ? [(all: ListQuery) => within(all, "embed_token", embed_token)] : [])
    ]
    const [only] = named
    return only === undefined || named.length > 1
      ? Effect.fail(new InvalidInput({ param: "slug", message: "Name the form by its slug or by its embed_token." }))
      : Effect.succeed(only)
  }

  /** Fails with {@link NotFound} where there is no such organisation. */
  const organisationOf = Effect.fnUntraced(function* ({ organisation: slug }: Checkout.Target) {
    const found = yield* organisations.findBySlug(slug)
    return Option.isSome(found) ? found.value : yield* new NotFound({ record: "organisation", id: slug })
  })

  /** Fails with {@link NotFound} where the organisation has no such form. */
  const formOf = Effect.fnUntraced(function* (organisation: Organisation, target: Checkout.Target) {
    const only = yield* naming(target)
    const { data } = yield* forms.list(organisation.id, only(yield* query))
    const [form] = data
    return form ?? (yield* new NotFound({ record: "donation form", id: target.slug ?? "of this embed_token" }))
  })

  return { organisationOf, formOf } as const
})
