import { Effect, Layer } from "effect"
import { type Donation, undeletedRule } from "../../../domain/giving/Donation.ts"
import type { DonationId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords, type RecordTable } from "../Records.ts"
import { bookedUnder } from "./BookedUnder.ts"
import { makeDonorReferences } from "./DonorReferences.ts"

const donations: RecordTable<Donation> = {
  table: (state) => state.donations,
  with: (state, donations) => ({ ...state, donations }),
  columns: (donation) => donation,
  hidden: (donation) => !Rule.holds(undeletedRule, donation),
  shown: bookedUnder
}

/** Donations in memory. */
export const layer = Layer.effect(
  DonationStore,
  Effect.map(Memory, (memory) =>
    DonationStore.of({
      ...makeRecords<Donation, DonationId>(memory, donations),
      ...makeDonorReferences(memory, donations)
    })
  )
)
