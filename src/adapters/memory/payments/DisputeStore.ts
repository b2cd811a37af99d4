import { Effect, Layer } from "effect"
import type { DisputeId } from "../../../domain/kernel/Ids.ts"
import type { Dispute } from "../../../domain/payments/Dispute.ts"
import { DisputeStore } from "../../../ports/payments/DisputeStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { records } from "../State.ts"

/** Disputes in memory. */
export const layer = Layer.effect(
  DisputeStore,
  Effect.map(Memory, (memory) =>
    DisputeStore.of({
      ...makeRecords<Dispute, DisputeId>(memory, {
        table: (state) => state.disputes,
        with: (state, disputes) => ({ ...state, disputes }),
        columns: (record) => record
      }),
      ofCharge: (organisation_id, charge_id) =>
        memory.read((state) =>
          Array.from(records(state.disputes, organisation_id)).filter((each) => each.charge_id === charge_id)
        )
    })
  )
)
