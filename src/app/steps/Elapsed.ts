import type { Clock } from "effect"

/** Milliseconds that only count up, whatever the wall clock is set to: for what lasts, not for what a record says. */
export const elapsedMillis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000
