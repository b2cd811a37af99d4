import { Effect, Option } from "effect"
import type { IdempotencyScope, StoredAnswer } from "../../domain/access/Idempotency.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import * as Donation from "../../domain/giving/Donation.ts"
import * as Refund from "../../domain/giving/Refund.ts"
import { refundRefusal } from "../../domain/giving/SharedGift.ts"
import { isAfterDayOf } from "../../domain/kernel/CalendarDate.ts"
import { DonationId } from "../../domain/kernel/Ids.ts"
import { type ListQuery, within } from "../../domain/kernel/Listing.ts"
import type { Decision } from "../../domain/kernel/Machine.ts"
import { InvalidInput, RecordArchived } from "../../domain/kernel/Rejection.ts"
import { isBlank } from "../../domain/kernel/Text.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DonationIntake } from "../../ports/giving/DonationIntake.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { RefundStore } from "../../ports/giving/RefundStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { ChangeLog, keptIn, makeChange } from "../access/change/Change.ts"
import { body, id, operationsOf, optionalBody, pageOf, query } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod, readMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Reactions } from "../kernel/reaction/Reactions.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { manualGift } from "./donation/ManualGift.ts"
import { makeRevenueCodeLookup } from "./donation/RevenueCodeLookup.ts"
import { donorIdOfBody, makeDonorLookup } from "./donor/DonorLookup.ts"

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

const inKindOf = (input: Donation.NewDonation): Effect.Effect<Partial<Donation.Donation>, InvalidInput> => {
  if (input.donation_type === "MONETARY") return Effect.succeed({ payment_method: input.payment_method ?? null })
  const in_kind_category = input.in_kind_category ?? null
  const in_kind_description = input.in_kind_description ?? ""
  if (in_kind_category === null) {
    return Effect.fail(invalid("in_kind_category", "An in-kind gift needs in_kind_category."))
  }
  return isBlank(in_kind_description)
    ? Effect.fail(invalid("in_kind_description", "An in-kind gift needs in_kind_description."))
    : Effect.succeed({ in_kind_category, in_kind_description })
}

/** The parts of a keyed request that a gift needs to be written with its answer in one statement. */
export interface KeyedGift {
  readonly scope: IdempotencyScope
  readonly body_hash: string
  readonly answerOf: (donation: Donation.Donation) => StoredAnswer
}

/** The result of {@link Donations.createKeyed}. `Declined` wrote nothing: {@link Donations.create} decides. */
export type KeyedOutcome =
  | { readonly _tag: "Recorded"; readonly answer: StoredAnswer }
  | { readonly _tag: "InFlight" }
  | { readonly _tag: "Declined" }

const newDonation = [body(Donation.NewDonation, Donation.DonationDetail)] as const

const operations = Row.table("donations", {
  create: Row.change("Record a gift", newDonation, Donation.DonationRecord),
  read: Row.read("Read a gift", [id(DonationId, "donation")], Donation.DonationDetail),
  list: Row.list("List gifts", Donation.listing, Donation.DonationRecord),
  refund: Row.change(
    "Refund a gift",
    [id(DonationId, "donation"), optionalBody(Refund.NewRefund, Donation.DonationDetail)],
    Refund.RefundedDonation
  ),
  listRefunds: Row.read(
    "List a gift's refunds",
    [id(DonationId, "donation"), query(Refund.listing)],
    pageOf(Refund.RefundRecord)
  )
})

/** All methods that are checked. */
export const methods = { ...operations, createKeyed: operations.create }

/** Records gifts. decisions, section 4: Donations. */
export class Donations extends Service<Donations>()("almoner/app/Donations", function* () {
  const store = yield* DonationStore
  const intake = yield* DonationIntake
  const givenDonor = yield* makeDonorLookup
  const organisations = yield* OrganisationStore
  const refunds = yield* RefundStore
  const booking = yield* makeRevenueCodeLookup
  const changeLog = yield* ChangeLog
  const reactions = yield* Reactions
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const change = (yield* makeChange)({
    machine: Donation.machine,
    ...keptIn("donation", store),
    refuseEnded: ({ deleted_at, id }) =>
      deleted_at === null
        ? Effect.void
        : Effect.fail(new RecordArchived({ record: "donation", id, ending: "deleted" })),
    tell: (types, donation) => {
      const data = Donation.eventDataOf(donation)
      return types.map((type) => ({ type, data }))
    }
  })

  /** The gift as it will be recorded, with everything decided that does not depend on other records. */
  const draft = Effect.fnUntraced(function* (input: Donation.NewDonation, organisation: Organisation) {
    const at = yield* organisationNow
    const inKind = yield* inKindOf(input)
    const donor_id = yield* donorIdOfBody(input.donor_id)
    if (isAfterDayOf(input.donation_date, at, organisation.timezone)) {
      return yield* invalid("donation_date", "donation_date is in the future in the organisation's timezone.")
    }
    const id = yield* tokens.id("donation")
    const said = { id, donor_id, amount_cents: input.amount_cents, currency: organisation.default_currency }
    const { donation_date: day, donation_type } = input
    return manualGift(organisation, { at, day }, { ...said, donation_type, ...inKind })
  })

  const entryOf = (
    born: Pick<Decision<Donation.Donation, Donation.DonationEvent>, "state" | "events">,
    organisation: Organisation
  ) => change.entryOf(operations.create.requires.name, born, { organisation, at: born.state.created_at })

  /**
   * Records a manual gift as CONFIRMED and emits `donation.created` and `donation.succeeded`. Fails with
   * {@link InvalidInput} for an unknown or archived donor, a foreign revenue code, a date in the future, and for an
   * in-kind gift without category or description.
   */
  const create = Effect.fn("Donations.create")(function* (input: Donation.NewDonation) {
    const caller = yield* requireScope(operations.create)
    const organisation = Option.getOrElse(yield* organisations.find(caller.organisation.id), () => caller.organisation)
    const { events, state } = yield* draft(input, organisation)
    yield* givenDonor(organisation.id, state.donor_id)
    const donation: Donation.Donation = { ...state, ...(yield* booking.book(organisation.id, input)) }
    yield* store.insert(donation)
    yield* changeLog.write(entryOf({ state: donation, events }, organisation))
    return donation
  }, transaction.run)

  /**
   * The fast path of {@link create} for a request with an Idempotency-Key: writes the gift and its answer in one
   * statement, or declines and writes nothing.
   */
  const createKeyed = Effect.fnUntraced(function* (input: Donation.NewDonation, keyed: KeyedGift) {
    const declined: KeyedOutcome = { _tag: "Declined" }
    const caller = yield* requireScope(operations.create)
    // Where a revenue code is named, the answer depends on a record that only the slow path reads.
    if ((input.revenue_code ?? input.revenue_code_id ?? null) !== null) return declined
    const drafted = yield* Effect.option(draft(input, caller.organisation))
    if (Option.isNone(drafted)) return declined
    const donation = drafted.value.state
    const { audit, events } = yield* changeLog.prepare(caller, entryOf(drafted.value, caller.organisation))
    const answer = keyed.answerOf(donation)
    const recorded = yield* intake.record({
      scope: keyed.scope,
      body_hash: keyed.body_hash,
      answer,
      donation,
      events,
      audit,
      organisation: caller.organisation,
      now: donation.created_at
    })
    const outcome: KeyedOutcome =
      recorded === "in_flight" ? { _tag: "InFlight" } : recorded ? { _tag: "Recorded", answer } : declined
    return outcome
  })

  const read = readMethod("Donations.read", operations.read, "donation", store)
  const list = listMethod("Donations.list", operations.list, store)

  /**
   * Refunds a gift in part or, without an amount, all that is left of it, and emits `donation.refunded`. The row of a
   * gift whose money is in the books stays PENDING until its processor has paid it back, or staff say that they have; any
   * other is SUCCEEDED at once. Fails with {@link IllegalTransition} when the gift is not CONFIRMED, with {@link RecordArchived} when it is
   * deleted, with {@link InvalidInput} (`amount_cents`) for more than is left, and with {@link GuardRefused} while a
   * dispute of it is open, and for a part of a shared payment, which its recommender refunds. decisions, section 4: Refunds; money, section 2.
   */
  const refund = Effect.fn("Donations.refund")(function* (id: DonationId, input: Refund.NewRefund) {
    const caller = yield* requireScope(operations.refund)
    const found = yield* store.find(caller.organisation.id, id).pipe(orNotFound("donation", id))
    const shared = refundRefusal(found)
    if (shared !== null) return yield* shared
    const { charge_id, organisation_id } = found
    if (charge_id !== null) yield* reactions.refunding({ organisation_id, charge_id, by: "processor" })
    const held = yield* change.hold(operations.refund, id)
    const { at, before, organisation } = held
    const rows = yield* refunds.ofDonation(organisation.id, id)
    const occurrence = { id: yield* tokens.id("refund"), at }
    const outcome = yield* Effect.fromResult(Refund.refund(before, rows, input, occurrence))
    yield* refunds.insert(outcome.refund)
    const { state } = yield* change.conclude(operations.refund.requires.name, held, {
      state: outcome.donation,
      events: outcome.events
    })
    if (Refund.isInBooks(before)) {
      const { amount_cents, id: refund_id, is_beside_gift } = outcome.refund
      yield* reactions.refundChanged({
        organisation_id,
        charge_id,
        donation_id: id,
        refund_id,
        amount_cents,
        is_beside_gift,
        became: "PENDING",
        at
      })
    }
    return { ...state, refund: outcome.refund }
  }, transaction.run)

  /** A page of the donation's refund ledger, with rows of every status. */
  const listRefunds = Effect.fn("Donations.listRefunds")(function* (id: DonationId, query: ListQuery) {
    const caller = yield* requireScope(operations.listRefunds)
    yield* store.find(caller.organisation.id, id).pipe(orNotFound("donation", id))
    return yield* refunds.list(caller.organisation.id, within(query, "donation_id", id))
  })

  return yield* serviceInOrganisationTime(methods, { create, createKeyed, read, list, refund, listRefunds })
}) {}

/** The operations of {@link Donations}. */
export const donationOperations = operationsOf(Donations, operations)
