import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { Users } from "../../app/access/Users.ts"
import { CodeAssignments } from "../../app/compliance/CodeAssignments.ts"
import { Disclosures } from "../../app/compliance/Disclosures.ts"
import { CheckoutLinks } from "../../app/giving/CheckoutLinks.ts"
import { DonationForms } from "../../app/giving/DonationForms.ts"
import { Donations } from "../../app/giving/Donations.ts"
import { Donors } from "../../app/giving/Donors.ts"
import { RevenueCodes } from "../../app/giving/RevenueCodes.ts"
import { Charges } from "../../app/payments/Charges.ts"
import { Subscriptions } from "../../app/payments/Subscriptions.ts"
import { TestProcessor } from "../../app/payments/TestProcessor.ts"
import { Introductions } from "../../app/sharing/Introductions.ts"
import { Invitations } from "../../app/sharing/Invitations.ts"
import { RecipientAccounts } from "../../app/sharing/RecipientAccounts.ts"
import { RecommendationSets } from "../../app/sharing/RecommendationSets.ts"
import * as Disclosure from "../../domain/compliance/Disclosure.ts"
import { dayOf } from "../../domain/kernel/CalendarDate.ts"
import type { RecommendationSetId } from "../../domain/kernel/Ids.ts"
import { parse } from "../../domain/kernel/Listing.ts"
import type { EventType } from "../../domain/outbox/Event.ts"
import { listing } from "../../domain/payments/Charge.ts"
import * as InviteToken from "../../domain/sharing/InviteToken.ts"
import { CurrentCaller } from "../../ports/access/CurrentCaller.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { asRecipient, checkoutLink, form, linkedAccount, recipientAccount, recommendationSet } from "./Arrangement.ts"
import type { Rejection, UseCases } from "./Operation.ts"
import { advance } from "./operations/access.ts"
import { pageOf, submit } from "./operations/checkouts.ts"

/** What makes an event of a type really happen; gives an id that its data has. */
type Steps = Effect.Effect<string, Rejection, UseCases | CurrentCaller>

const card = "4242 4242 4242 4242"
const declined = "4000 0000 0000 0002"
const failsLater = "4000 0000 0000 0341"
const debit = "000-000 000123456"

/** What an answer to this submission always has. */
const present = <A>(value: A | null) => Effect.orDie(Effect.fromNullishOr(value))

const donor = Donors.use((donors) =>
  donors.create({ first_name: "Ada", last_name: "Okafor", email: `ada+${randomUUID()}@example.org` })
)

const archivedDonor = Effect.flatMap(donor, ({ id }) => Donors.use((donors) => donors.archive(id)))

const spring = form("Spring")

type Submission = Parameters<typeof submit>[0]

/** What a donor gives on a page of their own; the answers to its consent prompts are yes. */
const give = Effect.fnUntraced(function* (
  payment_token: string,
  given: Omit<Submission, "method"> & Partial<Submission>
) {
  const { prompts } = yield* pageOf(given)
  const consent = prompts.length === 0 ? {} : { consent: prompts.map(() => "yes").join(",") }
  return yield* submit({ method: "card", email: "ada@example.org", payment_token, ...consent, ...given })
})

const giveOnForm = (payment_token: string, given: Partial<Submission> = {}) =>
  Effect.flatMap(spring, ({ slug }) => give(payment_token, { slug, amount_cents: 5_000, ...given }))

const gift = (payment_token: string, given?: Partial<Submission>) =>
  Effect.flatMap(giveOnForm(payment_token, given), ({ donation_id }) => present(donation_id))

const recurring = (payment_token: string) =>
  Effect.flatMap(giveOnForm(payment_token, { frequency: "MONTHLY" }), ({ subscription_id }) => present(subscription_id))

const set = recommendationSet("Harvest")

const pay = Effect.fnUntraced(function* (
  payment_token: string,
  on: { readonly set: { readonly id: RecommendationSetId } }
) {
  const { recommendation_set_payment_id } = yield* give(payment_token, { set: on.set.id })
  return yield* present(recommendation_set_payment_id)
})

/** A gift by card that its bank takes back, and then does not. */
const wonBack = Effect.gen(function* () {
  const id = yield* gift(card)
  const query = yield* Effect.fromResult(parse(listing, [["subject_id", id]]))
  const charges = yield* Charges
  const bank = yield* TestProcessor
  const charge = yield* Effect.fromNullishOr((yield* charges.list(query)).data[0]?.id).pipe(Effect.orDie)
  yield* bank.dispute(charge, {})
  yield* charges.look(charge)
  yield* bank.loseDispute(charge)
  yield* charges.look(charge)
  yield* bank.winDispute(charge)
  yield* charges.look(charge)
  return id
})

const introduction = Introductions.use((introductions) =>
  introductions.send({ invitee_email: `partner+${randomUUID()}@example.org`, ttl_days: 1 })
)

const visitOf = Effect.fnUntraced(function* (invite_url: string) {
  const { request_id } = yield* CurrentCaller
  return { token: InviteToken.tokenIn(invite_url), request_id }
})

const viewed = Effect.gen(function* () {
  const { id, invite_url } = yield* introduction
  const visit = yield* visitOf(invite_url)
  yield* Invitations.use((invitations) => invitations.open(visit))
  return { id, visit }
})

const accepted = Effect.gen(function* () {
  const { id, visit } = yield* viewed
  const email = `invitee+${randomUUID()}@example.org`
  const user = yield* Users.use((users) => users.create({ email, name: "Bea" }))
  yield* asRecipient((organisation) =>
    Effect.gen(function* () {
      yield* Users.use((users) => users.addToOrganisation(user.id, "ADMIN"))
      const acceptance = { ...visit, user_id: user.id, organisation_id: organisation.id }
      yield* Invitations.use((invitations) => invitations.accept(acceptance))
    })
  )
  return { id, visit, user_id: user.id }
})

const idOf = <E, R>(made: Effect.Effect<{ readonly id: string }, E, R>) => Effect.map(made, ({ id }) => id)

/** Over the threshold of every regime of Australia, and under its cap, in cents. */
const disclosedCents = 2_000_000

/** The disclosure of a donor whose gift is over the threshold, under a code whose gifts count in Australia. */
const disclosure = Effect.gen(function* () {
  const { organisation } = yield* CurrentCaller
  const code = `Political ${randomUUID()}`
  const { id: revenue_code_id } = yield* RevenueCodes.use((codes) => codes.create({ code }))
  yield* CodeAssignments.use((codes) => codes.assign({ code, jurisdiction: "AU" }))
  const { id: donor_id } = yield* donor
  const donation_date = dayOf(yield* organisationNow, organisation.timezone)
  const given = { donation_type: "MONETARY", amount_cents: disclosedCents, donation_date } as const
  yield* Donations.use((donations) => donations.create({ ...given, donor_id, revenue_code_id }))
  const query = yield* Effect.fromResult(parse(Disclosure.listing, [["donor_id", donor_id]]))
  return yield* present((yield* Disclosures.use((disclosures) => disclosures.list(query))).data[0] ?? null)
})

export const triggers: { readonly [T in EventType]: Steps } = {
  "donor.created": idOf(donor),
  "donor.updated": Effect.flatMap(donor, ({ id }) =>
    idOf(Donors.use((donors) => donors.update(id, { phone: "+61 2 5550 0100" })))
  ),
  "donor.archived": idOf(archivedDonor),
  "donor.merged": Effect.flatMap(Effect.all([donor, donor]), ([{ id }, { id: duplicate_donor_id }]) =>
    idOf(Donors.use((donors) => donors.merge(id, { duplicate_donor_id })))
  ),
  "donation.created": gift(card),
  "donation.processing": gift(debit, { method: "au_becs_debit" }),
  "donation.succeeded": gift(card),
  "donation.refunded": Effect.flatMap(gift(card), (id) =>
    Effect.as(
      Donations.use((donations) => donations.refund(id, {})),
      id
    )
  ),
  "donation.refund_reversed": wonBack,
  "donation.failed": gift(declined),
  "donation_form.created": idOf(spring),
  "donation_form.updated": Effect.flatMap(spring, ({ id }) =>
    idOf(DonationForms.use((forms) => forms.update(id, { title: "Give this spring" })))
  ),
  "donation_form.archived": Effect.flatMap(spring, ({ id }) => idOf(DonationForms.use((forms) => forms.archive(id)))),
  "checkout_link.created": idOf(checkoutLink),
  "checkout_link.updated": Effect.flatMap(checkoutLink, ({ id }) =>
    idOf(CheckoutLinks.use((links) => links.update(id, { amount_cents: 6_000 })))
  ),
  "checkout_link.cancelled": Effect.flatMap(checkoutLink, ({ id }) =>
    idOf(CheckoutLinks.use((links) => links.cancel(id)))
  ),
  "checkout_link.archived": Effect.flatMap(checkoutLink, ({ id }) =>
    idOf(CheckoutLinks.use((links) => links.archive(id)))
  ),
  "disclosure.created": idOf(disclosure),
  "disclosure.updated": Effect.flatMap(disclosure, ({ id }) =>
    idOf(Disclosures.use((disclosures) => disclosures.review(id)))
  ),
  "recommendation_set.created": Effect.map(set, (made) => made.set.id),
  "recommendation_set.updated": Effect.flatMap(set, (made) =>
    idOf(RecommendationSets.use((sets) => sets.update(made.set.id, { name: "Late harvest" })))
  ),
  "recommendation_set.deactivated": Effect.flatMap(set, (made) =>
    idOf(RecommendationSets.use((sets) => sets.deactivate(made.set.id)))
  ),
  "recommendation_set.archived": Effect.flatMap(set, (made) =>
    idOf(RecommendationSets.use((sets) => sets.archive(made.set.id)))
  ),
  "recommendation_set.payment_succeeded": Effect.flatMap(set, (made) => pay(card, made)),
  "recommendation_set.payment_failed": Effect.flatMap(set, (made) => pay(declined, made)),
  "recommendation_set.distribution_succeeded": Effect.flatMap(set, (made) => pay(card, made)).pipe(
    Effect.tap(() => advance("1m"))
  ),
  "recommendation_set.distribution_failed": Effect.flatMap(set, (made) =>
    asRecipient(() => TestProcessor.use((bank) => bank.setAccount(made.integration_id, { transfers: "CLOSED" }))).pipe(
      Effect.andThen(pay(card, made))
    )
  ).pipe(Effect.tap(() => advance("1m"))),
  "recipient_org_account_link.created": Effect.map(linkedAccount, ({ link }) => link.id),
  "recipient_org_account_link.updated": Effect.flatMap(linkedAccount, ({ link }) =>
    idOf(RecipientAccounts.use((accounts) => accounts.update(link.id, { label: "Harbour" })))
  ),
  "recipient_org_account_link.deactivated": Effect.flatMap(linkedAccount, ({ link }) =>
    idOf(RecipientAccounts.use((accounts) => accounts.deactivate(link.id)))
  ),
  "subscription.created": recurring(card),
  "subscription.cancelled": Effect.flatMap(recurring(card), (id) =>
    idOf(Subscriptions.use((subscriptions) => subscriptions.cancel(id)))
  ),
  "subscription.payment_failed": Effect.tap(recurring(failsLater), () => advance("32d")),
  "introduction.created": idOf(introduction),
  "introduction.viewed": idOf(viewed),
  "introduction.accepted": idOf(accepted),
  "introduction.linked": Effect.gen(function* () {
    const { id, user_id, visit } = yield* accepted
    const { id: integration_id } = yield* recipientAccount
    yield* Invitations.use((invitations) => invitations.link({ ...visit, user_id, integration_id }))
    return id
  }),
  "introduction.expired": Effect.tap(idOf(introduction), () => advance("25h")),
  "introduction.revoked": Effect.flatMap(introduction, ({ id }) =>
    idOf(Introductions.use((introductions) => introductions.revoke(id)))
  )
}
