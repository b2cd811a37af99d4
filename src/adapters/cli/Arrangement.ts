import { Effect, Result, Struct } from "effect"
import { Organisations } from "../../app/access/Organisations.ts"
import { CheckoutLinks } from "../../app/giving/CheckoutLinks.ts"
import { DonationForms } from "../../app/giving/DonationForms.ts"
import { Integrations } from "../../app/sharing/Integrations.ts"
import { RecipientAccounts } from "../../app/sharing/RecipientAccounts.ts"
import { RecommendationSets } from "../../app/sharing/RecommendationSets.ts"
import { listing } from "../../domain/access/Integration.ts"
import { type Organisation, twinSlug } from "../../domain/access/Organisation.ts"
import { parse } from "../../domain/kernel/Listing.ts"
import { Forbidden } from "../../domain/kernel/Rejection.ts"
import { CurrentCaller } from "../../ports/access/CurrentCaller.ts"

/** What sandboxes take play money with, made by the operations with which anybody makes it. */

const firstPage = Result.getOrThrow(parse(listing, [["limit", "100"]]))

/** The account at the test processor that takes the gifts of the caller's sandbox, made where there is none. */
export const account = Effect.gen(function* () {
  const { organisation } = yield* CurrentCaller
  const integrations = yield* Integrations
  const { data } = yield* integrations.list(firstPage)
  const found = data.find(({ is_active, is_default }) => is_active && is_default)
  if (found === undefined) return yield* integrations.create({ label: "Test processor" })
  if (found.processor === "test") return found
  const message = `The gifts of ${organisation.slug} go to ${found.processor}: use a sandbox whose default account is at the test processor.`
  return yield* new Forbidden({ operation: "trigger", message })
})

export const form = (name: string) =>
  Effect.andThen(
    account,
    DonationForms.use((forms) =>
      forms.create({ name, status: "ACTIVE", allow_recurring: true, recurring_frequencies: ["MONTHLY"] })
    )
  )

export const checkoutLink = Effect.andThen(
  account,
  CheckoutLinks.use((links) => links.create({ donor_email: "ada@example.org", amount_cents: 5_000 }))
)

/** The longest part of a slug that another one begins with. */
const slugPart = 40

/** The sandbox of another organisation, which receives what donors share; made where there is none. */
const recipientOrganisation = Effect.gen(function* () {
  const caller = yield* CurrentCaller
  const { default_currency, timezone } = caller.organisation
  const organisations = yield* Organisations
  const slug = `${twinSlug(caller.organisation).slice(0, slugPart)}-recipient`
  return yield* Effect.catchTag(organisations.findBySlug(`${slug}-sandbox`), "NotFound", () => {
    const named = { slug, name: "Harbour Trust", timezone, default_currency, plan: "FREE" } as const
    return Effect.map(
      organisations.create({ ...named, sandbox_webhook_cidrs: [] }, Struct.pick(caller, ["actor", "request_id"])),
      ({ sandbox }) => sandbox
    )
  })
})

export const asRecipient = <A, E, R>(run: (organisation: Organisation) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const caller = yield* CurrentCaller
    const organisation = yield* recipientOrganisation
    return yield* Effect.provideService(run(organisation), CurrentCaller, { ...caller, organisation })
  })

export const recipientAccount = asRecipient(() => Integrations.use((use) => use.create({ label: "Harbour Trust" })))

export const linkedAccount = Effect.flatMap(recipientAccount, ({ id, passphrase }) =>
  Effect.map(
    RecipientAccounts.use((accounts) => accounts.link({ passphrase })),
    ({ link }) => ({ link, integration_id: id })
  )
)

/** A set that recommends a recipient for 50.00, and the recipient's account. */
export const recommendationSet = (name: string) =>
  Effect.gen(function* () {
    yield* account
    const { integration_id, link } = yield* linkedAccount
    const allocations = [{ recipient_org_account_link_id: link.id, amount_cents: 5_000 }]
    return { set: yield* RecommendationSets.use((sets) => sets.create({ name, allocations })), integration_id }
  })
