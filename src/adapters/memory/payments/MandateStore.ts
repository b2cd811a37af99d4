import { Effect, Layer } from "effect"
import type { MandateId } from "../../../domain/kernel/Ids.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"

/** Mandates in memory. */
export const layer = Layer.effect(
  MandateStore,
  Effect.map(Memory, (memory) =>
    MandateStore.of(
      makeRecords<Mandate, MandateId>(memory, {
        table: (state) => state.mandates,
        with: (state, mandates) => ({ ...state, mandates }),
        columns: (mandate) => mandate
      })
    )
  )
)
