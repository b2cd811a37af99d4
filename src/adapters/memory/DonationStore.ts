import { Effect, Layer } from "effect"
import type { Donation } from "../../domain/Donation.ts"
import { DonationStore } from "../../ports/DonationStore.ts"
import { type Listed, page } from "./Listing.ts"
import { Memory } from "./Memory.ts"
import { add, get } from "./State.ts"

const listed: Listed<Donation> = {
  table: (state) => state.donations,
  columns: (donation) => donation,
  hidden: (donation) => donation.deleted_at !== null
}

/** Donations in memory. */
export const layer = Layer.effect(
  DonationStore,
  Effect.map(Memory, (memory) =>
    DonationStore.of({
      insert: (donation) =>
        memory.change((state) => ({
          ...state,
          donations: add(state.donations, donation)
        })),
      find: (organisation_id, id) => memory.read((state) => get(state.donations, organisation_id, id)),
      list: (organisation_id, query) =>
        Effect.flatten(memory.read((state) => page(listed, state, organisation_id, query)))
    })
  )
)
