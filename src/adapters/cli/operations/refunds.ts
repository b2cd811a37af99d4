import { Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import { Refunds } from "../../../app/giving/Refunds.ts"
import { listing, RefundRecord, Settlement, Status } from "../../../domain/giving/Refund.ts"
import { RefundId } from "../../../domain/kernel/Ids.ts"
import { type Operation, ofOrganisation } from "../Operation.ts"
import { idOf, optional, pageOf, paging, parseQuery, Query } from "./Parameters.ts"

export const refundOperations: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "refund",
    name: "list",
    description: "List refunds of all gifts, newest first; PENDING ones wait for settle or fail",
    parameters: { status: optional(Flag.Literals("status", Status.literals), "Those that are this far"), ...paging },
    input: Query,
    output: pageOf(RefundRecord),
    columns: ["id", "donation_id", "amount_cents", "status", "created_at", "refunded_at"],
    run: (query) =>
      Effect.flatMap(parseQuery(listing, query), (parsed) => Refunds.use((refunds) => refunds.list(parsed)))
  }),
  ofOrganisation({
    group: "refund",
    name: "settle",
    description: "Say that the money of a pending refund went back",
    parameters: {
      id: idOf("refund"),
      processor_reference: optional(Flag.String("reference"), "What the bank or the processor calls it")
    },
    input: Settlement.mapFields((fields) => ({ ...fields, id: RefundId })),
    output: RefundRecord,
    run: ({ id, ...settlement }) => Refunds.use((refunds) => refunds.settle(id, settlement))
  }),
  ofOrganisation({
    group: "refund",
    name: "fail",
    description: "Say that a pending refund failed: its amount counts as given again",
    parameters: { id: idOf("refund") },
    input: Schema.Struct({ id: RefundId }),
    output: RefundRecord,
    run: ({ id }) => Refunds.use((refunds) => refunds.fail(id))
  })
]
