import { Effect } from "effect"
import type { DonationForm } from "../../../domain/giving/DonationForm.ts"
import { slugOf } from "../../../domain/giving/FormSettings.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"
import { makeFreeSlug } from "./FreeSlug.ts"

/** Finds slugs for forms. decisions, section 4: Forms. */
export const makeFormSlugs = Effect.map(DonationFormStore, (store) => ({
  /**
   * The first slug for the name that no other form has; a form may keep `own`. It may be taken by the time it is
   * written.
   */
  free: ({ organisation_id }: Pick<DonationForm, "organisation_id">, name: string, own: string | null) =>
    makeFreeSlug((slugs) => store.takenSlugs(organisation_id, slugs))(slugOf(name), own)
}))
