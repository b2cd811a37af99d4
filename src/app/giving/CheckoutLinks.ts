import { type DateTime, Effect, Option, Schema } from "effect"
import type { Caller } from "../../domain/access/Caller.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import * as CheckoutLink from "../../domain/giving/CheckoutLink.ts"
import { CheckoutLinkRecord, listing } from "../../domain/giving/CheckoutLink.ts"
import * as Draft from "../../domain/giving/CheckoutLinkDraft.ts"
import { CheckoutLinkPatch, NewCheckoutLink } from "../../domain/giving/CheckoutLinkDraft.ts"
import { CheckoutLinkId, IntegrationId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import { asOf, type ListQuery } from "../../domain/kernel/Listing.ts"
import { birth } from "../../domain/kernel/Machine.ts"
import { publicUrl } from "../../domain/kernel/PublicAddress.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { nameOrNull, textOrNull } from "../../domain/kernel/Text.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { CheckoutLinkStore } from "../../ports/giving/CheckoutLinkStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { PublicUrlTemplate } from "../../ports/kernel/PublicUrlTemplate.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makeRevenueCodeLookup } from "./donation/RevenueCodeLookup.ts"
import { makeDonorLookup } from "./donor/DonorLookup.ts"
import { makeCheckoutLinkChange } from "./link/CheckoutLinkChange.ts"
import { makePendingGiftCancellation } from "./link/PendingGiftCancellation.ts"

type Link = CheckoutLink.CheckoutLink

const record = "checkout link"

const isIntegrationId = Schema.is(IntegrationId)

const unless = (broken: InvalidInput | null): Effect.Effect<void, InvalidInput> =>
  broken === null ? Effect.void : Effect.fail(broken)

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

const linkId = id(CheckoutLinkId, "checkout link")

const operations = Row.table("checkout_links", {
  create: Row.change("Make a checkout link", [body(NewCheckoutLink, CheckoutLinkRecord)], CheckoutLinkRecord),
  read: Row.read("Read a checkout link", [linkId], CheckoutLinkRecord),
  list: Row.list("List checkout links", listing, CheckoutLinkRecord),
  update: Row.change(
    "Change a checkout link",
    [linkId, body(CheckoutLinkPatch, CheckoutLinkRecord)],
    CheckoutLinkRecord
  ),
  cancel: Row.change("Cancel a checkout link", [linkId], CheckoutLinkRecord),
  archive: Row.end("Archive a checkout link", [linkId], CheckoutLinkRecord)
})

/** Asks one donor for one amount. decisions, section 4: Checkout links. */
export class CheckoutLinks extends Service<CheckoutLinks>()("almoner/app/CheckoutLinks", function* () {
  const store = yield* CheckoutLinkStore
  const integrations = yield* IntegrationStore
  const booking = yield* makeRevenueCodeLookup
  const change = yield* makeCheckoutLinkChange
  const givenDonor = yield* makeDonorLookup
  const giveWay = yield* makePendingGiftCancellation
  const template = yield* PublicUrlTemplate
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const shown = (link: Link, { slug }: Organisation, now: DateTime.Utc) =>
    CheckoutLink.recordOf(link, publicUrl(template, slug, CheckoutLink.pagePath(link)), now)

  const integrationOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, id: string | null | undefined) {
    if (id === undefined || id === null) return null
    const found = isIntegrationId(id) ? yield* integrations.find(organisation_id, id) : Option.none()
    if (Option.isSome(found)) return found.value.id
    return yield* invalid(
      "processor_integration_id",
      "processor_integration_id must be the id of a payment account of this organisation."
    )
  })

  /** The donor's details as they are now, or as they were given. */
  const donorOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, input: Draft.NewCheckoutLink) {
    if (nameOrNull(input.donor_id) === null) {
      return {
        donor_id: null,
        donor_email: input.donor_email?.trim() ?? "",
        donor_first_name: nameOrNull(input.donor_first_name),
        donor_last_name: nameOrNull(input.donor_last_name),
        donor_phone: nameOrNull(input.donor_phone)
      }
    }
    const donor = yield* givenDonor(organisation_id, input.donor_id)
    if (donor.email === null) {
      return yield* invalid("donor_id", "The donor has no e-mail address. Add one to the donor first.")
    }
    return {
      donor_id: donor.id,
      donor_email: donor.email,
      donor_first_name: donor.first_name,
      donor_last_name: donor.last_name,
      donor_phone: donor.phone
    }
  })

  const sourceOf = ({ actor }: Caller): CheckoutLink.Source => (actor.type === "API_KEY" ? "API" : "ADMIN")

  /**
   * Makes a link. Fails with {@link InvalidInput} for a donor that is named twice, not named, unknown or archived,
   * for an expiry in the past, and for an unknown integration or revenue code.
   */
  const create = Effect.fn("CheckoutLinks.create")(function* (input: Draft.NewCheckoutLink) {
    const caller = yield* requireScope(operations.create)
    const { organisation } = caller
    const at = yield* organisationNow
    yield* unless(Draft.donorRule(input) ?? Draft.expiryRule(input.expires_at, at))
    const donor = yield* donorOf(organisation.id, input)
    const id = yield* tokens.id("checkoutLink")
    const code = yield* tokens.base62(CheckoutLink.codeDigits)
    const processor_integration_id = yield* integrationOf(organisation.id, input.processor_integration_id)
    const booked = yield* booking.book(organisation.id, input)
    const born = birth(
      CheckoutLink.machine,
      CheckoutLink.births.made,
      (status): Link => ({
        ...donor,
        id,
        organisation_id: organisation.id,
        code,
        amount_cents: input.amount_cents,
        currency: input.currency ?? organisation.default_currency,
        description: textOrNull(input.description),
        status,
        source: sourceOf(caller),
        payment_methods: input.payment_methods ?? Draft.defaultPaymentMethods,
        processor_integration_id,
        ...booked,
        donation_id: null,
        pending_donation_id: null,
        pending_bank_transfer: false,
        visit_count: 0,
        last_visited_at: null,
        expires_at: input.expires_at ?? null,
        created_at: at,
        updated_at: at,
        archived_at: null
      })
    )
    yield* store.insert(born.state)
    yield* change.announce(operations.create.requires.name, born, { organisation, at })
    return shown(born.state, organisation, at)
  }, transaction.run)

  const read = Effect.fn("CheckoutLinks.read")(function* (id: CheckoutLinkId) {
    const { organisation } = yield* requireScope(operations.read)
    const link = yield* store.find(organisation.id, id).pipe(orNotFound(record, id))
    return shown(link, organisation, yield* organisationNow)
  })

  const list = Effect.fn("CheckoutLinks.list")(function* (query: ListQuery) {
    const { organisation } = yield* requireScope(operations.list)
    const now = yield* organisationNow
    const page = yield* store.list(organisation.id, asOf(query, now))
    return { ...page, data: page.data.map((link) => shown(link, organisation, now)) }
  })

  /**
   * Changes a link while it is ACTIVE; a patch that changes nothing emits nothing. Fails with {@link RecordArchived}
   * after archiving; with {@link IllegalTransition} or {@link GuardRefused} once the link has ended, and for another
   * amount while money may still arrive of a gift in progress; and with {@link InvalidInput} as {@link create} does. With
   * another amount, a gift in progress that only waits for its donor is cancelled.
   */
  const update = Effect.fn("CheckoutLinks.update")(function* (id: CheckoutLinkId, patch: Draft.CheckoutLinkPatch) {
    const caller = yield* requireScope(operations.update)
    yield* giveWay(
      caller.organisation.id,
      id,
      ({ amount_cents }) => patch.amount_cents !== undefined && patch.amount_cents !== amount_cents
    )
    const { at, organisation, state } = yield* change.revise(
      operations.update,
      id,
      Effect.fnUntraced(function* ({ at, before, organisation }) {
        const { revenue_code: _, revenue_code_id: __, ...given } = patch
        const booked = yield* booking.rebook(organisation.id, patch)
        const changes = CheckoutLink.changesOf(before, { ...given, ...booked })
        yield* unless(Draft.expiryRule(changes.expires_at, at))
        return Object.keys(changes).length === 0 ? [] : [{ _tag: "Change", at, changes }]
      })
    )
    return shown(state, organisation, at)
  }, transaction.run)

  /**
   * Cancels a link, and a gift in progress that only waits for its donor. Where that one's money comes first all the same,
   * it is kept, and the link COMPLETED. Fails as {@link update} does, and with {@link GuardRefused} while money may still
   * arrive without the donor.
   */
  const cancel = Effect.fn("CheckoutLinks.cancel")(function* (id: CheckoutLinkId) {
    const caller = yield* requireScope(operations.cancel)
    yield* giveWay(caller.organisation.id, id, () => true)
    const { at, organisation, state } = yield* change.perform(operations.cancel, id, (at) => ({ _tag: "Cancel", at }))
    return shown(state, organisation, at)
  }, transaction.run)

  /**
   * Archives a link, whatever its status. Repeating it leaves the record as it is, but is audited and emitted again.
   * A gift in progress is treated as {@link cancel} does.
   */
  const archive = Effect.fn("CheckoutLinks.archive")(function* (id: CheckoutLinkId) {
    const caller = yield* requireScope(operations.archive)
    yield* giveWay(caller.organisation.id, id, ({ archived_at }) => archived_at === null)
    const { at, organisation, state } = yield* change.perform(
      operations.archive,
      id,
      (at) => ({ _tag: "Archive", at }),
      { repeat: "told again" }
    )
    return shown(state, organisation, at)
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { create, read, list, update, cancel, archive })
}) {}

/** The operations of {@link CheckoutLinks}. */
export const checkoutLinkOperations = operationsOf(CheckoutLinks, operations)
