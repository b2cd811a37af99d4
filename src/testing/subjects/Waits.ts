import { dayMillis } from "./Month.ts"

/** The waits after the first, second … failed attempt, milliseconds. service-spec, Delivery shape: Retries. */
export const waits = [60_000, 5 * 60_000, 30 * 60_000, 3 * 3_600_000, dayMillis]
