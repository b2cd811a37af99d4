import { type DateTime, Effect, HashMap, Layer } from "effect"
import type { DonorId, PaymentId } from "../../../domain/kernel/Ids.ts"
import { type Payment, summaryOf } from "../../../domain/sharing/Payment.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords, type RecordTable } from "../Records.ts"
import { records } from "../State.ts"

const payments: RecordTable<Payment> = {
  table: (state) => state.payments,
  with: (state, payments) => ({ ...state, payments }),
  columns: (payment) => payment
}

/** The payment with one donor in the place of another, whether that is who gave or whose link it was. */
const moved = (payment: Payment, from: DonorId, to: DonorId, updated_at: DateTime.Utc): Payment => {
  const [gave, linked] = [payment.donor_id === from, payment.link_donor_id === from]
  return gave || linked
    ? {
        ...payment,
        donor_id: gave ? to : payment.donor_id,
        link_donor_id: linked ? to : payment.link_donor_id,
        updated_at
      }
    : payment
}

/** Payments to recommendation sets in memory. */
export const layer = Layer.effect(
  PaymentStore,
  Effect.map(Memory, (memory) =>
    PaymentStore.of({
      ...makeRecords<Payment, PaymentId>(memory, payments),
      reassign: (organisation_id, from, to, updated_at) =>
        memory.change((state) => ({
          ...state,
          payments: HashMap.modify(
            state.payments,
            organisation_id,
            HashMap.map((payment) => moved(payment, from, to, updated_at))
          )
        })),
      summaryOf: (organisation_id, id) =>
        memory.read((state) => {
          const all = Array.from(records(state.payments, organisation_id))
          return summaryOf(all.filter(({ recommendation_set_id }) => recommendation_set_id === id))
        })
    })
  )
)
