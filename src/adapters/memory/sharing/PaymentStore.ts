import { Effect, Layer } from "effect"
import type { PaymentId } from "../../../domain/kernel/Ids.ts"
import { type Payment, summaryOf } from "../../../domain/sharing/Payment.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { makeDonorReferences } from "../giving/DonorReferences.ts"
import { Memory } from "../Memory.ts"
import { makeRecords, type RecordTable } from "../Records.ts"
import { records } from "../State.ts"

const payments: RecordTable<Payment> = {
  table: (state) => state.payments,
  with: (state, payments) => ({ ...state, payments }),
  columns: (payment) => payment
}

/** Payments to recommendation sets in memory. */
export const layer = Layer.effect(
  PaymentStore,
  Effect.map(Memory, (memory) =>
    PaymentStore.of({
      ...makeRecords<Payment, PaymentId>(memory, payments),
      ...makeDonorReferences(memory, payments),
      summaryOf: (organisation_id, id) =>
        memory.read((state) => {
          const all = Array.from(records(state.payments, organisation_id))
          return summaryOf(all.filter(({ recommendation_set_id }) => recommendation_set_id === id))
        })
    })
  )
)
