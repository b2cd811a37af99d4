import type { DateTime, Effect } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"

/** A record whose time has run out. Only these fields are read to find it: the others may be damaged. */
export interface Expirable {
  readonly organisation_id: string
  readonly id: string
  /** When it ran out, milliseconds since the epoch. */
  readonly expired_millis: number
}

/**
 * Finds records whose time has run out at `now`, the earliest to run out first, without those of the ids in `except`: of all
 * organisations, or of one alone with `only`.
 */
export type FindExpirable = (
  now: DateTime.Utc,
  limit: number,
  except: ReadonlyArray<string>,
  only?: OrganisationId
) => Effect.Effect<ReadonlyArray<Expirable>>
