import { Effect, Layer } from "effect"
import { type Donor, derivedColumns } from "../../../domain/giving/Donor.ts"
import type { DonorId } from "../../../domain/kernel/Ids.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"

/** The search words of each donor record, made once, because a search needs those of every donor. */
const known = new WeakMap<Donor, ReadonlyArray<string>>()

const wordsOf = (donor: Donor): ReadonlyArray<string> => {
  const words = known.get(donor) ?? derivedColumns(donor).words
  known.set(donor, words)
  return words
}

/** Donors in memory. */
export const layer = Layer.effect(
  DonorStore,
  Effect.map(Memory, (memory) => {
    const records = makeRecords<Donor, DonorId>(memory, {
      table: (state) => state.donors,
      with: (state, donors) => ({ ...state, donors }),
      columns: (donor) => ({ ...donor, ...derivedColumns(donor) }),
      archivable: true,
      words: wordsOf
    })
    return DonorStore.of({
      ...records,
      findForShare: records.find,
      // Transactions run one after the other from their first read on.
      holdEmail: () => memory.read(() => undefined),
      reindex: () => Effect.succeed(0)
    })
  })
)
