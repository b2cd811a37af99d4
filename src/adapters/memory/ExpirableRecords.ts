import { DateTime } from "effect"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import type { FindExpirable } from "../../ports/kernel/Expirable.ts"
import type { Memory } from "./Memory.ts"
import type { State } from "./State.ts"

interface Expiring {
  readonly id: string
  readonly organisation_id: string
  readonly expires_at: DateTime.Utc | null
}

const expiryMillis = ({ expires_at }: Expiring): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(expires_at)

const earliestFirst = (a: Expiring, b: Expiring): number =>
  expiryMillis(a) - expiryMillis(b) || compareCodePoints(a.id, b.id)

/** Records that a rule holds for, the earliest `expires_at` first. */
export const makeExpirable =
  <A extends Expiring>(
    memory: Memory["Service"],
    all: (state: State) => ReadonlyArray<A>,
    hasRunOut: (each: A, now: DateTime.Utc) => boolean
  ): FindExpirable =>
  (now, limit, except, only) =>
    memory.read((state) =>
      all(state)
        .filter((each) => hasRunOut(each, now) && !except.includes(each.id))
        .filter(({ organisation_id }) => only === undefined || organisation_id === only)
        .toSorted(earliestFirst)
        .slice(0, limit)
        .map((each) => ({ id: each.id, organisation_id: each.organisation_id, expired_millis: expiryMillis(each) }))
    )
