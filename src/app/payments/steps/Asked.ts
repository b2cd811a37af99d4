import { DateTime } from "effect"
import { storeTimeLateMillis } from "../../../ports/kernel/StoreTime.ts"

/**
 * Whether a look is due by the time that the store told: whoever looks has put it off until it has ended, so that somebody has
 * asked for another one since. The time may be told late, and a look that may be due is made.
 */
export const isAsked = (look_at: DateTime.Utc | null, told: DateTime.Utc): boolean =>
  look_at !== null && DateTime.toEpochMillis(look_at) <= DateTime.toEpochMillis(told) + storeTimeLateMillis
