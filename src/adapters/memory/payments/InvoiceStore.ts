import { Effect, Layer } from "effect"
import type { InvoiceId } from "../../../domain/kernel/Ids.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { type Invoice, unendedRule } from "../../../domain/payments/Invoice.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { Memory } from "../Memory.ts"
import { records } from "../State.ts"
import { makeUniqueRecords } from "../UniqueRecords.ts"

/** Invoices of recurring gifts in memory. */
export const layer = Layer.effect(
  InvoiceStore,
  Effect.map(Memory, (memory) =>
    InvoiceStore.of({
      ...makeUniqueRecords<Invoice, InvoiceId>(memory, {
        table: (state) => state.invoices,
        with: (state, invoices) => ({ ...state, invoices }),
        columns: (invoice) => invoice,
        unique: [
          {
            value: ({ due_on, subscription_id }) => `${subscription_id} ${due_on}`,
            record: "invoice",
            field: "due_on"
          }
        ]
      }),
      openOf: (organisation_id, subscription_id) =>
        memory.read((state) =>
          Array.from(records(state.invoices, organisation_id))
            .filter((each) => each.subscription_id === subscription_id && holds(unendedRule, each))
            .toSorted((a, b) => (a.due_on < b.due_on ? -1 : 1))
        )
    })
  )
)
