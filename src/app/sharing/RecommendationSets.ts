import { Effect } from "effect"
import type { Caller } from "../../domain/access/Caller.ts"
import { entitlements } from "../../domain/access/Plan.ts"
import { RecommendationSetId } from "../../domain/kernel/Ids.ts"
import { type ListQuery, within } from "../../domain/kernel/Listing.ts"
import { birth } from "../../domain/kernel/Machine.ts"
import { publicUrl } from "../../domain/kernel/PublicAddress.ts"
import { type AlreadyTaken, InvalidInput } from "../../domain/kernel/Rejection.ts"
import * as Payment from "../../domain/sharing/Payment.ts"
import * as RecommendationSet from "../../domain/sharing/RecommendationSet.ts"
import {
  listing,
  NewRecommendationSet,
  RecommendationSetDetail,
  RecommendationSetPatch,
  RecommendationSetRecord
} from "../../domain/sharing/RecommendationSet.ts"
import * as Draft from "../../domain/sharing/RecommendationSetDraft.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { PublicUrlTemplate } from "../../ports/kernel/PublicUrlTemplate.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import { type LinkedSet, RecommendationSetStore } from "../../ports/sharing/RecommendationSetStore.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { keptIn, makeChange } from "../access/change/Change.ts"
import { body, id, operationsOf, pageOf, query } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { makeFreeSlug } from "../giving/form/FreeSlug.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound, refuseArchived } from "../kernel/store/RecordChecks.ts"
import { makeSetAllocation } from "./set/SetAllocation.ts"

type Stored = RecommendationSet.RecommendationSet

const refuse = (violation: InvalidInput | null): Effect.Effect<void, InvalidInput> =>
  violation === null ? Effect.void : Effect.fail(violation)

const slugTaken = ({ holder_id }: AlreadyTaken) =>
  new InvalidInput({
    param: "slug",
    message: `slug is taken by another recommendation set of the organisation, ${holder_id}: choose another.`
  })

const none: Payment.PaymentSummary = Payment.summaryOf([])

const setId = id(RecommendationSetId, "recommendation set")

const operations = Row.table("recommendation_sets", {
  create: Row.change(
    "Make a recommendation set",
    [body(NewRecommendationSet, RecommendationSetDetail)],
    RecommendationSetDetail,
    { plan: entitlements["recommendation_sets.write"] }
  ),
  read: Row.read("Read a recommendation set", [setId], RecommendationSetDetail),
  list: Row.list("List recommendation sets", listing, RecommendationSetRecord),
  listPayments: Row.read(
    "List the payments of a recommendation set",
    [setId, query(Payment.listing)],
    pageOf(Payment.RecommendationSetPaymentRecord)
  ),
  update: Row.change(
    "Change a recommendation set",
    [setId, body(RecommendationSetPatch, RecommendationSetDetail)],
    RecommendationSetDetail,
    { plan: entitlements["recommendation_sets.write"] }
  ),
  deactivate: Row.change("Deactivate a recommendation set", [setId], RecommendationSetDetail),
  archive: Row.end("Archive a recommendation set", [setId], RecommendationSetDetail)
})

/** Recommends recipients to donors. decisions, section 4: Recommendation sets. */
export class RecommendationSets extends Service<RecommendationSets>()("almoner/app/RecommendationSets", function* () {
  const store = yield* RecommendationSetStore
  const payments = yield* PaymentStore
  const allocating = yield* makeSetAllocation
  const template = yield* PublicUrlTemplate
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const change = (yield* makeChange)({
    machine: RecommendationSet.machine,
    ...keptIn("recommendation set", store),
    refuseEnded: (set) => refuseArchived("recommendation set", set),
    tell: (types, set) => {
      const data = RecommendationSet.eventDataOf(set)
      return types.map((type) => ({ type, data }))
    }
  })

  const detailOf = (
    { organisation }: Pick<Caller, "organisation">,
    { recipients, set }: LinkedSet,
    payment_summary: Payment.PaymentSummary
  ): typeof RecommendationSet.RecommendationSetDetail.Type =>
    RecommendationSet.detailOf(set, {
      giving_url: publicUrl(template, organisation.slug, Draft.givingPath(set)),
      payment_summary,
      recipientOf: (link) => {
        const recipient = recipients.get(link)
        if (recipient === undefined) throw new Error(`the set ${set.id} names a link that was not read`)
        return recipient
      }
    })

  const shown = Effect.fnUntraced(function* (caller: Pick<Caller, "organisation">, id: RecommendationSetId) {
    const linked = yield* store.findLinked(caller.organisation.id, id).pipe(orNotFound("recommendation set", id))
    return detailOf(caller, linked, yield* payments.summaryOf(caller.organisation.id, id))
  })

  /** Inserts a set whose slug comes from its name; the slug gets a number while it is taken. */
  const insertNamed = Effect.fnUntraced(function* (set: Stored): Effect.fn.Return<Stored> {
    const freeSlug = makeFreeSlug((slugs) => store.takenSlugs(set.organisation_id, slugs))
    const named = { ...set, slug: yield* freeSlug(set.slug, null) }
    return yield* store.insert(named).pipe(
      Effect.as(named),
      Effect.catchTag("AlreadyTaken", () => insertNamed(set))
    )
  })

  const insertAsGiven = (set: Stored) =>
    store.insert(set).pipe(
      Effect.as(set),
      Effect.catchTag("AlreadyTaken", (taken) => Effect.fail(slugTaken(taken)))
    )

  /**
   * Makes a set. Fails with {@link MalformedInput} when an allocation names a link that is unknown, another
   * organisation's or inactive, and with {@link InvalidInput} when a rule for amounts is broken or the slug is taken.
   */
  const create = Effect.fn("RecommendationSets.create")(function* (input: RecommendationSet.NewRecommendationSet) {
    const caller = yield* requireScope(operations.create)
    const at = yield* organisationNow
    const { allocations, recipients } = yield* allocating.allocate(caller.organisation.id, input.allocations)
    yield* refuse(RecommendationSet.violationOf(input, at))
    const origin = {
      id: yield* tokens.id("recommendationSet"),
      organisation_id: caller.organisation.id,
      url_key: yield* tokens.base62(Draft.urlKeyCharacters),
      allocations,
      at
    }
    const { events, state } = birth(RecommendationSet.machine, RecommendationSet.births.made, () =>
      Draft.create(input, origin)
    )
    const set = yield* (input.slug ?? null) === null ? insertNamed(state) : insertAsGiven(state)
    yield* change.announce(operations.create.requires.name, { state: set, events }, { ...caller, at })
    return detailOf(caller, { set, recipients }, none)
  }, transaction.run)

  const list = listMethod("RecommendationSets.list", operations.list, store)

  const read = Effect.fn("RecommendationSets.read")(function* (id: RecommendationSetId) {
    return yield* shown(yield* requireScope(operations.read), id)
  })

  /** The payments of a set, archived or not. */
  const listPayments = Effect.fn("RecommendationSets.listPayments")(function* (
    id: RecommendationSetId,
    query: ListQuery
  ) {
    const { organisation } = yield* requireScope(operations.listPayments)
    yield* store.find(organisation.id, id).pipe(orNotFound("recommendation set", id))
    const page = yield* payments.list(organisation.id, within(query, "recommendation_set_id", id))
    return { ...page, data: page.data.map(Payment.recordOf) }
  })

  /**
   * Changes a set, or activates and deactivates it. Allocations are replaced as a whole; payments that were made keep
   * theirs. Fails as {@link create} does, and with {@link RecordArchived} after archiving.
   */
  const update = Effect.fn("RecommendationSets.update")(function* (
    id: RecommendationSetId,
    patch: RecommendationSet.RecommendationSetPatch
  ) {
    const changed = yield* change
      .revise(
        operations.update,
        id,
        Effect.fnUntraced(function* ({ at, before, organisation }) {
          const allocations =
            patch.allocations === undefined
              ? undefined
              : (yield* allocating.allocate(organisation.id, patch.allocations)).allocations
          yield* refuse(RecommendationSet.violationOf(patch, at, before))
          const changes = RecommendationSet.differingChanges(before, Draft.changesOf(patch, allocations))
          const switched = patch.is_active === undefined ? { changes } : { changes, is_active: patch.is_active }
          return RecommendationSet.commandsOf(before, switched, at)
        })
      )
      .pipe(Effect.catchTag("AlreadyTaken", (taken) => Effect.fail(slugTaken(taken))))
    return yield* shown(changed, id)
  }, transaction.run)

  /** Deactivates a set: it takes no payment. Repeating it is audited and emits nothing. */
  const deactivate = Effect.fn("RecommendationSets.deactivate")(function* (id: RecommendationSetId) {
    const deactivated = change.perform(operations.deactivate, id, (at) => ({ _tag: "Deactivate", at }), {
      repeat: "audited"
    })
    // The slug does not change, so it cannot be taken.
    return yield* shown(yield* Effect.catchTag(deactivated, "AlreadyTaken", Effect.die), id)
  }, transaction.run)

  /** Archives a set for good. Repeating it leaves the set as it is, but is audited and emitted again. */
  const archive = Effect.fn("RecommendationSets.archive")(function* (id: RecommendationSetId) {
    const archived = change.perform(operations.archive, id, (at) => ({ _tag: "Archive", at }), {
      repeat: "told again"
    })
    return yield* shown(yield* Effect.catchTag(archived, "AlreadyTaken", Effect.die), id)
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, {
    create,
    list,
    read,
    listPayments,
    update,
    deactivate,
    archive
  })
}) {}

/** The operations of {@link RecommendationSets}. */
export const recommendationSetOperations = operationsOf(RecommendationSets, operations)
