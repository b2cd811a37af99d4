import { Effect } from "effect"
import { numberedSlug } from "../../../domain/giving/FormSettings.ts"

/** How many slugs are looked up at once. */
const batch = 50

/**
 * Finds the first slug of a stem that no other record has; a record may keep `own`. Somebody else may take it meanwhile.
 * `takenSlugs` tells which of some slugs are taken.
 */
export const makeFreeSlug = (takenSlugs: (slugs: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>) =>
  Effect.fnUntraced(function* (stem: string, own: string | null) {
    for (let first = 1; ; first += batch) {
      const candidates = Array.from({ length: batch }, (_, index) => numberedSlug(stem, first + index))
      const taken = new Set(yield* takenSlugs(candidates))
      const free = candidates.find((slug) => slug === own || !taken.has(slug))
      if (free !== undefined) return free
    }
  })
