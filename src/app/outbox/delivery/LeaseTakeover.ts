import { Effect } from "effect"
import { leaseMillis, makeLeaseTimes } from "./DeliveryLease.ts"

/** Without any answer for so long the store was away, milliseconds, also where no call failed: one may have waited all the while. */
export const silenceMillis = 10_000

/**
 * For how long after an outage leases are left to their owners, which have outcomes to record, milliseconds: they may learn
 * of it later, when a statement of theirs that hangs is given up.
 */
const graceMillis = 40_000

/** The same for a worker that begins: what kept it away may have kept others, too. */
const firstGraceMillis = leaseMillis

/** Even during that time a lease that has been over for so long has no owner any more, milliseconds. */
const ownerlessMillis = 86_400_000

/**
 * The rule by which a worker takes over leases: after an outage of the store all of them are over, and their owners are
 * given time to record their results. One rule for deliveries and for the events of consumers. docs/decisions/0028.
 */
export const makeLeaseTakeover = Effect.map(makeLeaseTimes, ({ begin, isLate, monotonic }) => {
  let from = Number.NEGATIVE_INFINITY
  /** Whether expired leases were taken over since that was last put off. */
  let hasTakenOver = false

  /** Begins: who starts after a crash finds leases that are over. */
  const starts = (): void => {
    from = monotonic() + firstGraceMillis
  }

  /** Learns that the store could not be reached, or was slow: nobody's leases are taken over until its owner had time. */
  const storeWasAway = (): void => {
    from = Number.POSITIVE_INFINITY
  }

  /**
   * Learns that the store answered after a silence. That puts a take-over off once, and not again before there was one: a
   * store that is always that slow must not keep what the dead held for ever.
   */
  const storeWasSilent = (): void => {
    if (hasTakenOver) from = Math.max(from, monotonic() + graceMillis)
    hasTakenOver = false
  }

  const storeAnswers = (): void => {
    if (from === Number.POSITIVE_INFINITY) from = monotonic() + graceMillis
  }

  /** Of what `find` finds under leases that have been over for so long, what may be taken over now. */
  const expired = Effect.fnUntraced(function* <A>(find: (over_millis: number) => Effect.Effect<ReadonlyArray<A>>) {
    const lease = yield* begin
    const isTakeOver = lease.asked >= from
    const found = yield* find(isTakeOver ? 0 : ownerlessMillis)
    hasTakenOver ||= isTakeOver
    if (!isLate(lease)) return found
    // An answer that took so long says nothing of what owners have recorded meanwhile.
    storeWasAway()
    return []
  })

  return { starts, storeWasAway, storeWasSilent, storeAnswers, expired } as const
})

/** See {@link makeLeaseTakeover}. */
export type LeaseTakeover = Effect.Success<typeof makeLeaseTakeover>
