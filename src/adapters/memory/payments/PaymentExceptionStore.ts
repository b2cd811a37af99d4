import { Effect, Layer } from "effect"
import type { PaymentExceptionId } from "../../../domain/kernel/Ids.ts"
import type { PaymentException } from "../../../domain/payments/PaymentException.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { records } from "../State.ts"

/** Exceptions about money, in memory. */
export const layer = Layer.effect(
  PaymentExceptionStore,
  Effect.map(Memory, (memory) =>
    PaymentExceptionStore.of({
      ...makeRecords<PaymentException, PaymentExceptionId>(memory, {
        table: (state) => state.paymentExceptions,
        with: (state, paymentExceptions) => ({ ...state, paymentExceptions }),
        columns: (record) => record
      }),
      ofCharge: (organisation_id, charge_id) =>
        memory.read((state) =>
          Array.from(records(state.paymentExceptions, organisation_id)).filter((each) => each.charge_id === charge_id)
        ),
      ofSubject: (organisation_id, subject_id) =>
        memory.read((state) =>
          Array.from(records(state.paymentExceptions, organisation_id)).filter((each) => each.subject_id === subject_id)
        )
    })
  )
)
