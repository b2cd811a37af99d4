import { type DateTime, HashMap } from "effect"
import type { DonorId } from "../../../domain/kernel/Ids.ts"
import type { DonorReferences } from "../../../ports/giving/DonorReferences.ts"
import type { Memory } from "../Memory.ts"
import type { RecordTable } from "../Records.ts"

interface OfDonor {
  readonly donor_id: DonorId | null
  readonly updated_at: DateTime.Utc
}

/** Moves the records of a table from one donor to another. */
export const makeDonorReferences = <A extends OfDonor>(
  memory: Memory["Service"],
  place: Pick<RecordTable<A>, "table" | "with">
): DonorReferences => ({
  reassign: (organisation_id, donor_id, to, updated_at) =>
    memory.change((state) =>
      place.with(
        state,
        HashMap.modify(place.table(state), organisation_id, (records) =>
          HashMap.map(records, (record) =>
            record.donor_id === donor_id ? { ...record, donor_id: to, updated_at } : record
          )
        )
      )
    )
})
