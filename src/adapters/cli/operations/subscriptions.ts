import { Effect, Result, Schema, Struct } from "effect"
import { Flag } from "effect/cli"
import { subscriptionOperations as declared, Subscriptions } from "../../../app/payments/Subscriptions.ts"
import { SubscriptionId } from "../../../domain/kernel/Ids.ts"
import { parse } from "../../../domain/kernel/Listing.ts"
import * as Invoice from "../../../domain/payments/Invoice.ts"
import { DonorCancelReasonCode, Status, SubscriptionRecord } from "../../../domain/payments/Subscription.ts"
import { commandsOf, ofOrganisation, runAgainst } from "../Operation.ts"
import { idOf, optional, optionalText, pageFlags } from "./Parameters.ts"

const parameters = { id: idOf("subscription") }

const invoiceColumns = [
  "due_on",
  "amount_cents",
  "status",
  "charge_id",
  "failures",
  "next_attempt_at",
  "failed_donation_id",
  "donation_id"
] as const

const Shown = SubscriptionRecord.mapFields((fields) => ({
  ...fields,
  invoices: Schema.Array(Invoice.InvoiceRecord.mapFields(Struct.pick(invoiceColumns)))
}))

const newest = Result.getOrThrow(parse(Invoice.listing, []))

export const subscriptionCommands = commandsOf("subscription", {
  list: runAgainst(declared.list, {
    description: "List recurring gifts, newest first",
    parameters: {
      status: optional(Flag.Literals("status", Status.literals), "Those that are this far"),
      donor_id: optionalText("donor", "Those of this donor"),
      ...pageFlags
    },
    columns: ["id", "donor_id", "status", "amount_cents", "currency", "frequency", "next_charge_on", "created_at"]
  }),
  show: ofOrganisation({
    description: "Show a recurring gift with its newest invoices",
    parameters,
    input: Schema.Struct({ id: SubscriptionId }),
    output: Shown,
    run: Effect.fnUntraced(function* ({ id }) {
      const subscriptions = yield* Subscriptions
      const shown = yield* subscriptions.read(id)
      const { data } = yield* subscriptions.listInvoices(id, newest)
      return { ...shown, invoices: data.map(Struct.pick(invoiceColumns)) }
    })
  }),
  "list-invoices": runAgainst(declared.listInvoices, {
    description: "List a recurring gift's invoices, newest first",
    parameters: {
      ...parameters,
      status: optional(Flag.Literals("status", Invoice.Status.literals), "Those that are this far"),
      ...pageFlags
    },
    columns: ["id", ...invoiceColumns]
  }),
  cancel: runAgainst(declared.cancel, { description: "End a recurring gift: it is charged no more", parameters }),
  "cancel-by-donor": runAgainst(declared.cancelByDonor, {
    parameters: {
      ...parameters,
      donor_cancel_reason_code: optional(
        Flag.Literals("donor-cancel-reason-code", DonorCancelReasonCode.literals),
        "The reason that the donor chose"
      ),
      donor_cancel_reason: optionalText("donor-cancel-reason", "The donor's own words")
    }
  })
})
