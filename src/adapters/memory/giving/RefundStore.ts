import { Effect, Layer } from "effect"
import type { Refund } from "../../../domain/giving/Refund.ts"
import type { RefundId } from "../../../domain/kernel/Ids.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { records } from "../State.ts"

/** Refund ledgers in memory. */
export const layer = Layer.effect(
  RefundStore,
  Effect.map(Memory, (memory) =>
    RefundStore.of({
      ...makeRecords<Refund, RefundId>(memory, {
        table: (state) => state.refunds,
        with: (state, refunds) => ({ ...state, refunds }),
        columns: (refund) => refund
      }),
      ofDonation: (organisation_id, donation_id) =>
        memory.read((state) =>
          Array.from(records(state.refunds, organisation_id)).filter((refund) => refund.donation_id === donation_id)
        ),
      ofCharge: (organisation_id, charge_id) =>
        memory.read((state) =>
          Array.from(records(state.refunds, organisation_id)).filter((refund) => refund.charge_id === charge_id)
        )
    })
  )
)
