import { Duration, Effect } from "effect"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"

/** When a recount begins: once gifts are recorded that were being recorded as it was asked for, and did not see the change. */
export const recountTime = Effect.map(realNow, (now) => addTime(now, Duration.seconds(5)))
