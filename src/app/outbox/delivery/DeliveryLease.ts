import { Clock, Effect } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { makeMonotonic } from "../../kernel/time/Monotonic.ts"

/** How long a lease lasts, milliseconds. */
export const leaseMillis = Limits.deliveryLeaseSeconds * 1_000

/** A store that took so long for an answer was away, milliseconds: others may not have reached it either. */
const lateMillis = 5_000

/** Deliveries under one lease, and since when: both clocks, since a machine that sleeps stops one and not the other. */
export interface Lease {
  readonly asked: number
  readonly askedWall: number
}

/** How much of a lease has passed, milliseconds: at least as much as for the store. */
export const passedOf = (lease: Lease, now: number, wall: number): number =>
  Math.max(now - lease.asked, wall - lease.askedWall)

/** The time at which a call of the store began, and whether its answer came late. */
export const makeLeaseTimes = Effect.map(makeMonotonic, (monotonic) => ({
  monotonic,
  begin: Effect.map(Clock.currentTimeMillis, (askedWall): Lease => ({ asked: monotonic(), askedWall })),
  isLate: ({ asked }: Pick<Lease, "asked">): boolean => monotonic() - asked >= lateMillis
}))
