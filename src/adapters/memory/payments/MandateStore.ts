import { Effect, HashMap, Layer, Option } from "effect"
import type { MandateId } from "../../../domain/kernel/Ids.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { get } from "../State.ts"

/** Mandates in memory. */
export const layer = Layer.effect(
  MandateStore,
  Effect.map(Memory, (memory) =>
    MandateStore.of({
      ...makeRecords<Mandate, MandateId>(memory, {
        table: (state) => state.mandates,
        with: (state, mandates) => ({ ...state, mandates }),
        columns: (mandate) => mandate
      }),
      ofReference: (processor, reference) =>
        memory.read((state) =>
          HashMap.toValues(state.mandates)
            .flatMap((table) => HashMap.toValues(table))
            .filter(
              (each) =>
                each.reference === reference &&
                Option.exists(
                  get(state.integrations, each.organisation_id, each.integration_id),
                  (integration) => integration.processor === processor
                )
            )
        )
    })
  )
)
