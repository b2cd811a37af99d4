import { Effect, Layer } from "effect"
import { type Donor, derived } from "../../domain/Donor.ts"
import type { DonorId } from "../../domain/Ids.ts"
import { DonorStore } from "../../ports/DonorStore.ts"
import { Memory } from "./Memory.ts"
import { makeRecords } from "./Records.ts"

/** Donors in memory. */
export const layer = Layer.effect(
  DonorStore,
  Effect.map(Memory, (memory) => {
    const records = makeRecords<Donor, DonorId>(memory, {
      table: (state) => state.donors,
      with: (state, donors) => ({ ...state, donors }),
      columns: (donor) => ({ ...donor, ...derived(donor) }),
      archived: (donor) => donor.archived_at !== null,
      words: (donor) => derived(donor).words
    })
    return DonorStore.of({ ...records, findForShare: records.find })
  })
)
