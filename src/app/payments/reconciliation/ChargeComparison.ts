import { DateTime, Duration, Effect } from "effect"
import type { ChargeId } from "../../../domain/kernel/Ids.ts"
import { addTime, subtractTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { overlap, silentEvery } from "../../../domain/payments/Reconciliation.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import type { CreatedCharge, StatementPage } from "../../../ports/payments/ProcessorStatements.ts"
import { type MetCharge, ReconciliationStore } from "../../../ports/payments/ReconciliationStore.ts"
import { type AccountRun, type AccountRunFailure, makeChargeRepair } from "./ChargeRepair.ts"

/** Charges that are read at once. */
const pageSize = 500

/** Charges that were silent, and when they were made. */
type Silent = Map<ChargeId, DateTime.Utc>

const isDue = (last: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  last === null || DateTime.isLessThanOrEqualTo(addTime(last, silentEvery), now)

const earliest = (all: Iterable<DateTime.Utc>): DateTime.Utc | null => {
  let first: DateTime.Utc | null = null
  for (const each of all) if (first === null || DateTime.isLessThan(each, first)) first = each
  return first
}

/** Compares the charges that a processor lists with ours. money, section 8. */
export const makeChargeComparison = Effect.gen(function* () {
  const store = yield* ReconciliationStore
  const { isStated, look, tell } = yield* makeChargeRepair

  const silentOf = Effect.fnUntraced(function* ({ integration }: AccountRun) {
    const found: Silent = new Map()
    for (let after: ChargeId | null = null; found.size < Limits.reconcileSilentCharges; ) {
      const page: Effect.Success<ReturnType<typeof store.silent>> = yield* store.silent(integration, after, pageSize)
      for (const { created_at, id } of page) found.set(id, created_at)
      after = page.at(-1)?.id ?? null
      if (after === null) break
    }
    return found
  })

  const unknownHere = (run: AccountRun, { charge_id, reference }: CreatedCharge) =>
    tell(run, {
      charge_id: null,
      subject_id: reference,
      amount_cents: 0,
      reason: `The processor has the charge ${reference} for ${charge_id}, of which nothing is known here.`
    })

  const twice = (run: AccountRun, { id }: MetCharge, { reference }: CreatedCharge) =>
    tell(run, {
      charge_id: id,
      subject_id: reference,
      amount_cents: 0,
      reason: `The processor has a second charge for this one: ${reference}.`
    })

  const compare = Effect.fnUntraced(function* (run: AccountRun, listed: ReadonlyArray<CreatedCharge>, silent: Silent) {
    const ids = listed.flatMap(({ charge_id }) => (charge_id === null ? [] : [charge_id]))
    const met = yield* store.met(
      run.integration,
      listed.map(({ reference }) => reference),
      ids
    )
    const byReference = new Map(met.map((each) => [each.reference, each]))
    const byId = new Map<string | null, MetCharge>(met.map((each) => [each.id, each]))
    for (const each of listed) {
      const ours = byReference.get(each.reference) ?? byId.get(each.charge_id)
      if (ours === undefined) {
        // Without our id it is no charge of ours: the account may have others.
        if (each.charge_id !== null) yield* unknownHere(run, each)
      } else if (ours.integration_id === run.integration.id) {
        if (ours.reference === null || silent.has(ours.id)) yield* look(run, ours.id)
        else if (ours.reference !== each.reference) yield* twice(run, ours, each)
        silent.delete(ours.id)
      }
    }
  })

  /** Charges that are polled no more, and that the processor does not list. */
  const missing = Effect.fnUntraced(function* (run: AccountRun, silent: Silent) {
    for (const id of silent.keys()) {
      if (!(yield* isStated(run, id))) continue
      yield* tell(run, {
        charge_id: id,
        subject_id: id,
        amount_cents: 0,
        reason: "Nothing was heard of this charge for 30 days, and the processor does not list it."
      })
    }
  })

  const walk = Effect.fnUntraced(function* (run: AccountRun, since: DateTime.Utc, silent: Silent) {
    for (let page: string | null = null, isFirst = true; isFirst || page !== null; isFirst = false) {
      yield* run.pace
      const found: StatementPage<CreatedCharge> = yield* run.processor.listCreated(run.integration, since, page)
      run.count("charges_listed", found.data.length)
      yield* compare(run, found.data, silent)
      yield* run.keep({})
      page = found.next
    }
  })

  /**
   * Compares what the processor lists since the last time, with a day's overlap, or since `since`; once a day since the
   * oldest charge that is silent, too.
   */
  return Effect.fnUntraced(function* (
    run: AccountRun,
    since: DateTime.Utc | null
  ): Effect.fn.Return<void, AccountRunFailure> {
    const now = yield* organisationNow
    const { listed_until, silent_at } = run.reached()
    const isLookingForSilent = since !== null || isDue(silent_at, now)
    const silent: Silent = isLookingForSilent ? yield* silentOf(run) : new Map()
    const last = listed_until === null ? run.integration.created_at : subtractTime(listed_until, overlap)
    const oldest = earliest(silent.values())
    const from = earliest([since ?? last, ...(oldest === null ? [] : [subtractTime(oldest, Duration.hours(1))])])
    yield* walk(run, from ?? last, silent)
    yield* missing(run, silent)
    yield* run.keep({ listed_until: now, ...(isLookingForSilent ? { silent_at: now } : {}) })
  })
})
