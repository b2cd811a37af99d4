import { DateTime, Effect, HashMap, Layer, Option, Queue, Result } from "effect"
import type { LinkedOrganisation } from "../../../domain/access/Organisation.ts"
import type { DonorId, IntroductionId, OrganisationId, RecommendationSetId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { countsTowardLimit, type Introduction, ranOut } from "../../../domain/sharing/Introduction.ts"
import { type Payment, summaryOf } from "../../../domain/sharing/Payment.ts"
import { active, payableOf, type RecipientAccount } from "../../../domain/sharing/RecipientAccount.ts"
import { recordOf } from "../../../domain/sharing/RecommendationSet.ts"
import { LinkedOrganisationStore } from "../../../ports/access/LinkedOrganisationStore.ts"
import { organisationNow, realNow } from "../../../ports/kernel/AheadClock.ts"
import { IntroductionStore } from "../../../ports/sharing/IntroductionStore.ts"
import { PassphraseFailures } from "../../../ports/sharing/PassphraseFailures.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { RecipientAccountStore } from "../../../ports/sharing/RecipientAccountStore.ts"
import { RecommendationSetStore } from "../../../ports/sharing/RecommendationSetStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { makeExpirable } from "../ExpirableRecords.ts"
import { makeDueRecords, pollMillis, pollQueue, timeOf } from "../FairQueue.ts"
import { page } from "../ListPage.ts"
import { type Change, storeFrom, storeOf } from "../Memory.ts"
import { findBy, makeRecords, makeUniqueRecords, tableOf, type UniqueTable } from "../Records.ts"
import { add, every, get, records, type State, type Table, where } from "../State.ts"

const introductions: UniqueTable<Introduction> = {
  ...tableOf("introductions"),
  unique: { value: ({ external_id }) => external_id, record: "introduction", field: "external_id" }
}

const located = (state: State, id: IntroductionId): Option.Option<Introduction> =>
  Option.fromNullishOr(every(state.introductions).find((introduction) => introduction.id === id))

const countOf = (state: State, organisation_id: OrganisationId, now: DateTime.Utc) =>
  where(state.introductions, organisation_id, (each) => countsTowardLimit(each, now)).length

const introductionStore = storeOf(IntroductionStore, (memory) => ({
  ...makeUniqueRecords(memory, introductions),
  locate: (id) => memory.read((state) => located(state, id)),
  countForUpdate: (organisation_id, now) => memory.read((state) => countOf(state, organisation_id, now)),
  expirable: makeExpirable(
    memory,
    (state) => every(state.introductions),
    (each, now) => Rule.holdsAt(ranOut, each, now)
  )
}))

const byAge = (a: RecipientAccount, b: RecipientAccount): number =>
  a.created_at.epochMilliseconds - b.created_at.epochMilliseconds || compareCodePoints(a.id, b.id)

const linked = (state: State, organisation_id: string): HashMap.HashMap<string, LinkedOrganisation> => {
  const accounts = where(state.recipientAccounts, organisation_id, (each) => Rule.holds(active, each))
  let found = HashMap.empty<string, LinkedOrganisation>()
  for (const { recipient_organisation_id: id } of accounts) {
    const organisation = HashMap.get(state.organisations, id)
    if (Option.isNone(organisation) || HashMap.has(found, id)) continue
    const { abn, created_at, is_sandbox, name, slug, website_url } = organisation.value
    const links = accounts.filter((link) => link.recipient_organisation_id === id).sort(byAge)
    const recipient_org_account_link_ids = links.map((link) => link.id)
    const each = { id, name, slug, abn, website_url, is_sandbox, created_at, recipient_org_account_link_ids }
    found = HashMap.set(found, id, each)
  }
  return found
}

const linkedOrganisationStore = storeOf(LinkedOrganisationStore, (memory) => {
  const tableOf = (state: State, organisation_id: string): Table<LinkedOrganisation> =>
    HashMap.make([organisation_id, linked(state, organisation_id)])
  return {
    find: (organisation_id, id) => memory.read((state) => get(tableOf(state, organisation_id), organisation_id, id)),
    list: (organisation_id, query) =>
      Effect.flatten(
        memory.read((state) =>
          page(
            { table: (each) => tableOf(each, organisation_id), columns: (organisation) => organisation },
            state,
            organisation_id,
            query
          )
        )
      )
  }
})

const trim = (state: State, before: DateTime.Utc, limit: number): Change<number, never> => {
  const old = Array.from(state.passphraseFailures)
    .filter(([, failures]) => failures.every((at) => DateTime.isLessThanOrEqualTo(at, before)))
    .slice(0, limit)
    .map(([organisation_id]) => organisation_id)
  return Result.succeed([
    old.length,
    { ...state, passphraseFailures: HashMap.removeMany(state.passphraseFailures, old) }
  ])
}

const passphraseFailures = storeOf(PassphraseFailures, (memory) => ({
  findForUpdate: (organisation_id) =>
    memory.read((state) => Option.getOrElse(HashMap.get(state.passphraseFailures, organisation_id), () => [])),
  replace: (organisation_id, failures) =>
    memory.changeTable("passphraseFailures", (passphraseFailures) =>
      HashMap.set(passphraseFailures, organisation_id, failures)
    ),
  trim: (before, limit) => memory.decide((state) => trim(state, before, limit))
}))

const payments = tableOf("payments")

/** The payment with one donor in the place of another, whether that is who gave or whose link it was. */
const moved = (payment: Payment, from: DonorId, to: DonorId, updated_at: DateTime.Utc): Payment => {
  const [gave, linked] = [payment.donor_id === from, payment.link_donor_id === from]
  return gave || linked
    ? {
        ...payment,
        donor_id: gave ? to : payment.donor_id,
        link_donor_id: linked ? to : payment.link_donor_id,
        updated_at
      }
    : payment
}

const paymentStore = storeOf(PaymentStore, (memory) => ({
  ...makeRecords(memory, payments),
  reassign: (organisation_id, from, to, updated_at) =>
    memory.changeTable("payments", (payments) =>
      HashMap.modify(
        payments,
        organisation_id,
        HashMap.map((payment) => moved(payment, from, to, updated_at))
      )
    ),
  summaryOf: (organisation_id, id) =>
    memory.read((state) => {
      const all = Array.from(records(state.payments, organisation_id))
      return summaryOf(all.filter(({ recommendation_set_id }) => recommendation_set_id === id))
    })
}))

interface Found {
  readonly link: RecipientAccount
  readonly created: boolean
}

const recipientAccountStore = storeOf(RecipientAccountStore, (memory) => ({
  ...makeRecords(memory, tableOf("recipientAccounts")),
  findOrInsert: (link) =>
    memory.decide((state): Change<Found, never> => {
      const { organisation_id, recipient_integration_id } = link
      for (const each of records(state.recipientAccounts, organisation_id)) {
        if (each.recipient_integration_id === recipient_integration_id) {
          return Result.succeed([{ link: each, created: false }, state])
        }
      }
      return Result.succeed([
        { link, created: true },
        { ...state, recipientAccounts: add(state.recipientAccounts, link) }
      ])
    }),
  findManyForShare: (organisation_id, ids) =>
    memory.read((state) =>
      [...new Set(ids)].flatMap((id) =>
        Option.toArray(Option.map(get(state.recipientAccounts, organisation_id, id), payableOf))
      )
    )
}))

const findLinked = (state: State, organisation_id: OrganisationId, id: RecommendationSetId) =>
  Option.map(get(state.recommendationSets, organisation_id, id), (set) => ({
    set,
    recipients: new Map(
      set.allocations.flatMap(({ recipient_org_account_link_id }) =>
        Option.toArray(get(state.recipientAccounts, organisation_id, recipient_org_account_link_id)).map(
          ({ id, label, recipient_org_name }) => [id, { link_label: label, recipient_org_name }] as const
        )
      )
    )
  }))

const recommendationSetStore = storeOf(RecommendationSetStore, (memory) => {
  const sets = makeUniqueRecords(memory, {
    ...tableOf("recommendationSets"),
    archivable: true,
    unique: { value: ({ slug }) => slug, record: "recommendation set", field: "slug" }
  })
  return {
    ...sets,
    list: (organisation_id, query) =>
      Effect.map(sets.list(organisation_id, query), (page) => ({ ...page, data: page.data.map(recordOf) })),
    findLinked: (organisation_id, id) => memory.read((state) => findLinked(state, organisation_id, id)),
    takenSlugs: (organisation_id, slugs) =>
      memory.read((state) =>
        Array.from(records(state.recommendationSets, organisation_id), ({ slug }) => slug).filter((slug) =>
          slugs.includes(slug)
        )
      )
  }
})

const attempts = tableOf("transferAttempts")

const awaiting = pollQueue(attempts)

const transferAttemptStore = storeFrom(TransferAttemptStore, function* (memory) {
  const hints = yield* Queue.sliding<void>(1)
  const raise = memory.afterCommit(Effect.asVoid(Queue.offer(hints, undefined)))
  const kept = makeRecords(memory, attempts)
  return {
    ...kept,
    insert: (attempt) => Effect.andThen(kept.insert(attempt), raise),
    now: organisationNow,
    lookNow: (organisation_id, payment_id) =>
      Effect.andThen(
        Effect.flatMap(realNow, (real) =>
          memory.change((state) => {
            const now = timeOf(state, real, organisation_id)
            return where(
              state.transferAttempts,
              organisation_id,
              (each) => each.payment_id === payment_id && each.looks > 0
            )
              .filter((each) => each.look_at !== null && pollMillis(each) > DateTime.toEpochMillis(now))
              .reduce((next, each) => awaiting.written(next, { ...each, look_at: now }), state)
          })
        ),
        raise
      ),
    ofAllocation: findBy(memory, attempts, "allocation_id"),
    ...makeDueRecords(memory, awaiting),
    wait: Queue.take(hints)
  }
})

export const layer = Layer.mergeAll(
  introductionStore,
  linkedOrganisationStore,
  passphraseFailures,
  paymentStore,
  recipientAccountStore,
  recommendationSetStore,
  transferAttemptStore
)
