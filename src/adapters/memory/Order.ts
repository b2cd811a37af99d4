import { DateTime } from "effect"
import { compareCodePoints } from "../../domain/kernel/Text.ts"

interface Dated {
  readonly id: string
  readonly created_at: DateTime.Utc
}

/** Orders by the time of making, then by id. */
export const oldestFirst = (a: Dated, b: Dated): number =>
  DateTime.toEpochMillis(a.created_at) - DateTime.toEpochMillis(b.created_at) || compareCodePoints(a.id, b.id)

/** The other way round. */
export const newestFirst = (a: Dated, b: Dated): number => oldestFirst(b, a)
