import { type DateTime, Effect, Option } from "effect"
import type { CalendarDate } from "../../../domain/kernel/CalendarDate.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { addDays } from "../../../domain/kernel/Schedule.ts"
import { dayAfter, dayIn, differenceOf, type Position } from "../../../domain/payments/Reconciliation.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import type { Movement, StatementPage } from "../../../ports/payments/ProcessorStatements.ts"
import { ReconciliationStore, type Side } from "../../../ports/payments/ReconciliationStore.ts"
import { type AccountRun, type AccountRunFailure, makeChargeRepair } from "./ChargeRepair.ts"

/** Charges that are compared at once. */
const pageSize = 500

/** Digits of the name of a reading of a statement. */
const readingDigits = 16

const sides: ReadonlyArray<Side> = ["statement", "books"]

/** Keeps the statement of a day as it is read: what it had once and has no more, the books have alone then. */
const makeStatementReading = Effect.gen(function* () {
  const store = yield* ReconciliationStore
  const tokens = yield* Tokens

  return Effect.fnUntraced(function* (run: AccountRun, day: CalendarDate) {
    const reading = yield* tokens.base62(readingDigits)
    for (let page: string | null = null, isFirst = true; isFirst || page !== null; isFirst = false) {
      yield* run.pace
      const found: StatementPage<Movement> = yield* run.processor.movements(run.integration, day, page)
      yield* store.keep(run.integration, found.data, reading)
      run.count("movements_read", found.data.length)
      yield* run.keep({})
      page = found.next
    }
    yield* store.finish(run.integration, day, reading)
  })
})

/** Compares processors' statements with the books, day by day. money, section 8. */
export const makeDayComparison = Effect.gen(function* () {
  const store = yield* ReconciliationStore
  const read = yield* makeStatementReading
  const { isStated, look, tell } = yield* makeChargeRepair

  /** A charge that is none of ours may be on the account, too: those of ours that are not here, the list of charges finds. */
  const repair = Effect.fnUntraced(function* (run: AccountRun, position: Position) {
    const { charge_id, reference } = position
    if (charge_id === null || differenceOf(position) === null) return
    if (!(yield* isStated(run, charge_id))) return
    yield* look(run, charge_id)
    const left = Effect.map(store.positions(run.integration, [reference]), ([after]) =>
      after === undefined ? null : differenceOf(after)
    )
    if ((yield* left) === null) return
    // Our books may have recorded meanwhile what has moved since the statement was read.
    yield* read(run, dayIn(yield* organisationNow))
    const difference = yield* left
    if (difference !== null) yield* tell(run, { charge_id, subject_id: charge_id, ...difference })
  })

  const compare = Effect.fnUntraced(function* (run: AccountRun, side: Side, day: CalendarDate) {
    for (let page: string | null = null, isFirst = true; isFirst || page !== null; isFirst = false) {
      const moved: StatementPage<string> = yield* store.moved(run.integration, side, day, page, pageSize)
      const positions = yield* store.positions(run.integration, moved.data)
      yield* Effect.forEach(positions, (position) => repair(run, position), { discard: true })
      yield* run.keep({})
      page = moved.next
    }
  })

  /**
   * The first day that is to be compared; null where there is none. Once a day has ended, those before it are compared again:
   * what had succeeded may have changed since. Before the first charge nothing of ours moved.
   */
  const begin = Effect.fnUntraced(function* (
    { integration, reached }: AccountRun,
    since: DateTime.Utc | null,
    today: CalendarDate
  ) {
    const { compared_until } = reached()
    if (since === null && compared_until !== null && dayAfter(compared_until) >= today) return null
    const first = Option.getOrNull(Option.map(yield* store.first(integration), dayIn))
    const again = compared_until === null ? null : addDays(compared_until, 1 - Limits.reconcileAgainDays)
    const wanted = since === null ? again : dayIn(since)
    return first === null || wanted === null || wanted < first ? first : wanted
  })

  /**
   * Compares the days that have ended, from the first that is to be compared, or from the day of `since`. All of the statement
   * is read first, up to now: a charge is compared over its whole life, and our books have whatever happened to it since.
   */
  return Effect.fnUntraced(function* (
    run: AccountRun,
    since: DateTime.Utc | null
  ): Effect.fn.Return<void, AccountRunFailure> {
    const today = dayIn(yield* organisationNow)
    const first = yield* begin(run, since, today)
    if (first === null || first >= today) return
    for (let day = first; day <= today; day = dayAfter(day)) yield* read(run, day)
    for (let day = first; day < today; day = dayAfter(day)) {
      for (const side of sides) yield* compare(run, side, day)
      run.count("days_compared", 1)
      const { compared_until } = run.reached()
      if (compared_until === null || compared_until < day) yield* run.keep({ compared_until: day })
    }
  })
})
