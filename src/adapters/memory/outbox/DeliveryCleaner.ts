import { DateTime, HashMap, Result } from "effect"
import type { Delivery } from "../../../domain/outbox/Delivery.ts"
import type { Change } from "../Memory.ts"
import { remove, type State, type Table } from "../State.ts"

const endedMillis = ({ completed_at }: Delivery): number =>
  completed_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(completed_at)

/** Forgets what ended at or before an instant, the oldest first, with its attempts, and answers how many. */
export const trim = (state: State, before: DateTime.Utc, limit: number): Change<number, never> => {
  const old = HashMap.toValues(state.deliveries)
    .flatMap((table) => HashMap.toValues(table))
    .filter((delivery) => endedMillis(delivery) <= DateTime.toEpochMillis(before))
    .sort((a, b) => endedMillis(a) - endedMillis(b))
    .slice(0, limit)
  const without = <A>(table: Table<A>): Table<A> =>
    old.reduce((rest, { id, organisation_id }) => remove(rest, organisation_id, id), table)
  return Result.succeed([
    old.length,
    { ...state, deliveries: without(state.deliveries), attempts: without(state.attempts) }
  ])
}
