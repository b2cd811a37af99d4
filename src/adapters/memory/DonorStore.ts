import { Effect, Layer } from "effect"
import { type Donor, derived } from "../../domain/Donor.ts"
import type { DonorId, OrganisationId } from "../../domain/Ids.ts"
import { DonorStore } from "../../ports/DonorStore.ts"
import { type Listed, page } from "./Listing.ts"
import { Memory } from "./Memory.ts"
import { add, get, replace } from "./State.ts"

const listed: Listed<Donor> = {
  table: (state) => state.donors,
  columns: (donor) => ({ ...donor, ...derived(donor) }),
  archived: (donor) => donor.archived_at !== null,
  words: (donor) => derived(donor).words
}

/** Donors in memory. */
export const layer = Layer.effect(
  DonorStore,
  Effect.map(Memory, (memory) => {
    const find = (organisation_id: OrganisationId, id: DonorId) =>
      memory.read((state) => get(state.donors, organisation_id, id))
    return DonorStore.of({
      insert: (donor) => memory.change((state) => ({ ...state, donors: add(state.donors, donor) })),
      find,
      findForUpdate: find,
      findForShare: find,
      update: (donor) => memory.change((state) => ({ ...state, donors: replace(state.donors, donor) })),
      list: (organisation_id, query) =>
        Effect.flatten(memory.read((state) => page(listed, state, organisation_id, query)))
    })
  })
)
