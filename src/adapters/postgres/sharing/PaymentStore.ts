import { Effect, Schema } from "effect"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { emailKey } from "../../../domain/kernel/Text.ts"
import { payerNamesOf } from "../../../domain/payments/GiftCandidate.ts"
import { inFlight, Payment, settledRule } from "../../../domain/sharing/Payment.ts"
import { Transfer } from "../../../domain/sharing/Transfer.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { makeDonorReferences } from "../giving/DonorReferences.ts"
import { makeList } from "../records/ListPage.ts"
import { makeParted, type Parts, withParts } from "../records/Parts.ts"
import { storeFrom } from "../records/Records.ts"
import { integer, rowsOf, ruleOf } from "../records/Rows.ts"

const table = "payments"

const parts: Parts<Payment> = {
  table: "payment_allocations",
  parent: "payment_id",
  field: "allocations",
  columns: Object.keys(Transfer.fields)
}

const instants: ReadonlySet<string> = new Set(["succeeded_at", "failed_at", "reversed_at"])

/** A transfer from its JSON, in which instants are text. */
const readTransfer = (json: unknown): unknown =>
  Object.fromEntries(
    Object.entries(Object(json)).map(([name, value]) => [
      name,
      instants.has(name) && typeof value === "string" ? instantAt(value) : value
    ])
  )

const rows = withParts(
  rowsOf(Payment, {
    ask_total_cents: integer,
    consent_responses: { read: Schema.decodeUnknownSync(Schema.toCodecJson(Payment.fields.consent_responses)) },
    submitted_donor: { read: Schema.decodeUnknownSync(Schema.toCodecJson(Payment.fields.submitted_donor)) },
    allocations: { read: (value) => (Array.isArray(value) ? value.map(readTransfer) : value) }
  }),
  parts
)

/** Whoever pays a set is looked for by address while money is under way, and of a bank transfer by name until it is there. */
const toRecord = ({ allocations: _, ...payment }: Payment) => {
  const { link_donor_id, payment_method_type, succeeded_at, submitted_donor } = payment
  const email = link_donor_id === null && holds(inFlight, payment) ? submitted_donor?.email : null
  const isSought = payment_method_type === "bank_transfer" && succeeded_at === null && link_donor_id === null
  return {
    ...payment,
    payer_names: isSought && submitted_donor !== null ? payerNamesOf(submitted_donor) : null,
    payer_email_key: typeof email === "string" ? emailKey(email) : null
  }
}

interface Sums {
  readonly referred_cents: bigint
  readonly referred_count: number
  readonly in_flight_cents: bigint
  readonly in_flight_count: number
}

export const layer = storeFrom(PaymentStore, function* (sql) {
  const list = makeList(sql, { rows, table })
  const isInFlight = ruleOf(sql, inFlight, "p")
  const isSettled = ruleOf(sql, settledRule, "p")

  const summaryOf = Effect.fnUntraced(function* (organisation_id: string, id: string) {
    const [sums] = yield* sql<Sums>`
        SELECT coalesce(sum(p.total_amount_cents) FILTER (WHERE ${isSettled}), 0)::int8 AS referred_cents,
          (count(*) FILTER (WHERE ${isSettled}))::int4 AS referred_count,
          coalesce(sum(p.total_amount_cents) FILTER (WHERE ${isInFlight}), 0)::int8 AS in_flight_cents,
          (count(*) FILTER (WHERE ${isInFlight}))::int4 AS in_flight_count
        FROM payments AS p WHERE p.organisation_id = ${organisation_id} AND p.recommendation_set_id = ${id}`
    return {
      referred_cents: Number(sums?.referred_cents ?? 0),
      referred_count: sums?.referred_count ?? 0,
      in_flight_cents: Number(sums?.in_flight_cents ?? 0),
      in_flight_count: sums?.in_flight_count ?? 0
    }
  }, Effect.orDie)

  const { reassign } = makeDonorReferences(sql, table)
  const reassignLinks = makeDonorReferences(sql, table, "link_donor_id").reassign

  return {
    ...makeParted(sql, {
      table,
      rows,
      parts,
      toRecord,
      partsOf: ({ allocations }) => allocations
    }),
    reassign: (...merge) => Effect.andThen(reassign(...merge), reassignLinks(...merge)),
    list: (organisation_id, query) => list(organisation_id, query),
    summaryOf
  }
})
