import { Schema } from "effect"

// The fields of Stripe's answers that are read. Anything else in them is passed over; an answer without these is not
// believed.

const Metadata = Schema.Record(Schema.String, Schema.String)

/** An object that is named by its id, or is there in full. */
const reference = Schema.Union([Schema.String, Schema.Struct({ id: Schema.String })])

const Amount = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Debited = Schema.optional(Schema.Struct({ mandate: Schema.optional(Schema.NullOr(Schema.String)) }))

const LatestCharge = Schema.Struct({
  id: Schema.String,
  disputed: Schema.Boolean,
  /** Only of debits: the authority that the donor gave for them. */
  payment_method_details: Schema.optional(Schema.NullOr(Schema.Struct({ au_becs_debit: Debited, payto: Debited }))),
  balance_transaction: Schema.NullOr(
    Schema.Union([Schema.String, Schema.Struct({ fee: Schema.Int, currency: Schema.String })])
  )
})

export const Intent = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  amount: Amount,
  amount_received: Amount,
  currency: Schema.String,
  created: Schema.Int,
  client_secret: Schema.NullOr(Schema.String),
  metadata: Metadata,
  last_payment_error: Schema.NullOr(
    Schema.Struct({ code: Schema.optional(Schema.String), decline_code: Schema.optional(Schema.String) })
  ),
  next_action: Schema.NullOr(
    Schema.Struct({
      type: Schema.String,
      redirect_to_url: Schema.optional(Schema.Struct({ url: Schema.NullOr(Schema.String) }))
    })
  ),
  latest_charge: Schema.NullOr(Schema.Union([Schema.String, LatestCharge])),
  payment_method: Schema.optional(Schema.NullOr(reference)),
  /** Whether its means of payment is saved. */
  setup_future_usage: Schema.optional(Schema.NullOr(Schema.String)),
  /** The one account that the money goes to; null where it stays with the platform. */
  transfer_data: Schema.optional(Schema.NullOr(Schema.Struct({})))
})
export type Intent = typeof Intent.Type

export const Refund = Schema.Struct({
  id: Schema.String,
  amount: Amount,
  status: Schema.NullOr(Schema.String),
  metadata: Schema.NullOr(Metadata)
})
export type Refund = typeof Refund.Type

export const Dispute = Schema.Struct({
  id: Schema.String,
  amount: Amount,
  status: Schema.String,
  /** The movements of the dispute: what it took and gave back, each with Stripe's fee for it, or its return. */
  balance_transactions: Schema.optional(Schema.Array(Schema.Struct({ amount: Schema.Int, fee: Schema.Int })))
})
export type Dispute = typeof Dispute.Type

export const TransferReversal = Schema.Struct({ id: Schema.String, metadata: Schema.NullOr(Metadata) })

/** A transfer, with its latest reversals. */
export const Transfer = Schema.Struct({
  id: Schema.String,
  metadata: Schema.NullOr(Metadata),
  /** Whether it was taken back whole. */
  reversed: Schema.Boolean,
  reversals: Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) })
})
export type Transfer = typeof Transfer.Type

/** Somebody for whom means of payment are kept. */
export const Customer = Schema.Struct({ id: Schema.String })

/** A means of payment. Without a customer it is kept no more. */
export const PaymentMethod = Schema.Struct({ id: Schema.String, customer: Schema.NullOr(reference) })

/** What a page made of a donor's means of payment. */
export const ConfirmationToken = Schema.Struct({
  id: Schema.String,
  payment_method_preview: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        type: Schema.String,
        card: Schema.optional(
          Schema.NullOr(
            Schema.Struct({ wallet: Schema.optional(Schema.NullOr(Schema.Struct({ type: Schema.String }))) })
          )
        )
      })
    )
  )
})

/** An authority to debit, with what it is for. */
export const DebitMandate = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  payment_method: PaymentMethod
})

export const Account = Schema.Struct({
  id: Schema.String,
  charges_enabled: Schema.Boolean,
  default_currency: Schema.String,
  requirements: Schema.optional(Schema.NullOr(Schema.Struct({ disabled_reason: Schema.NullOr(Schema.String) })))
})
export type Account = typeof Account.Type

/** A link to Stripe's form for an account. */
export const AccountLink = Schema.Struct({ url: Schema.String, expires_at: Schema.Int })

const Source = Schema.Struct({
  id: Schema.String,
  object: Schema.String,
  payment_intent: Schema.optional(Schema.NullOr(reference)),
  metadata: Schema.optional(Schema.NullOr(Metadata)),
  /** Of charges: the one account that the money went to; none where it stayed with the platform. */
  transfer_data: Schema.optional(Schema.NullOr(Schema.Struct({}))),
  /** Of reversals: the transfer that was taken back. */
  transfer: Schema.optional(Schema.NullOr(reference))
})

export const BalanceTransaction = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  amount: Schema.Int,
  fee: Schema.Int,
  currency: Schema.String,
  created: Schema.Int,
  source: Schema.NullOr(Schema.Union([Schema.String, Source]))
})
export type BalanceTransaction = typeof BalanceTransaction.Type

export const Event = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  // Seconds, of the years that instants have.
  created: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 253_402_300_799 })),
  account: Schema.optional(Schema.NullOr(Schema.String)),
  data: Schema.Struct({ object: Schema.Struct({ ...Source.fields, id: Schema.optional(Schema.String) }) })
})
export type Event = typeof Event.Type

/** The id of an object that is named or there in full. */
export const idOf = (found: typeof reference.Type | null | undefined): string | null =>
  typeof found === "string" ? found : (found?.id ?? null)

export const pageOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: Schema.Array(item), has_more: Schema.Boolean })
