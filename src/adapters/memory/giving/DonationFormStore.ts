import { Effect, Layer } from "effect"
import type { DonationForm } from "../../../domain/giving/DonationForm.ts"
import type { DonationFormId } from "../../../domain/kernel/Ids.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"
import { Memory } from "../Memory.ts"
import { records } from "../State.ts"
import { makeUniqueRecords, type UniqueTable } from "../UniqueRecords.ts"
import { bookedUnder } from "./BookedUnder.ts"

const donationForms: UniqueTable<DonationForm> = {
  table: (state) => state.donationForms,
  with: (state, table) => ({ ...state, donationForms: table }),
  columns: (form) => form,
  archivable: true,
  shown: bookedUnder,
  unique: { value: ({ slug }) => slug, record: "donation form", field: "slug" }
}

/** Donation forms in memory. */
export const layer = Layer.effect(
  DonationFormStore,
  Effect.map(Memory, (memory) =>
    DonationFormStore.of({
      ...makeUniqueRecords<DonationForm, DonationFormId>(memory, donationForms),
      takenSlugs: (organisation_id, slugs) =>
        memory.read((state) =>
          Array.from(records(state.donationForms, organisation_id), ({ slug }) => slug).filter((slug) =>
            slugs.includes(slug)
          )
        )
    })
  )
)
