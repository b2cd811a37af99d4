import { Effect } from "effect"
import type { DonationForm } from "../../domain/DonationForm.ts"
import { numberedSlug, slugOf } from "../../domain/FormSettings.ts"
import { DonationFormStore } from "../../ports/DonationFormStore.ts"

/** How many slugs are looked up at once. */
const batch = 50

/** Finds slugs for forms. decisions, section 4: Forms. */
export const makeFormSlugs = Effect.map(DonationFormStore, (store) => ({
  /** The first slug of the name that no other form has; a form may keep `own`. Somebody else may take it meanwhile. */
  free: Effect.fnUntraced(function* (
    { organisation_id }: Pick<DonationForm, "organisation_id">,
    name: string,
    own: string | null
  ) {
    const stem = slugOf(name)
    for (let first = 1; ; first += batch) {
      const candidates = Array.from({ length: batch }, (_, index) => numberedSlug(stem, first + index))
      const taken = new Set(yield* store.takenSlugs(organisation_id, candidates))
      const free = candidates.find((slug) => slug === own || !taken.has(slug))
      if (free !== undefined) return free
    }
  })
}))
