import { Schema, Struct } from "effect"
import { PaymentMethod } from "../giving/DonationKinds.ts"
import { ChargeId, IntegrationId, OrganisationId, RefundId, ReversalId, TransferAttemptId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { Cents, Currency } from "../kernel/Money.ts"
import { Instant } from "../kernel/Timestamp.ts"

const nullableText = Schema.NullOr(Schema.String)

/** A refund at the simulated bank. */
export const TestRefund = Schema.Struct({
  /** The bank's own identifier. */
  reference: Schema.String,
  /** The metadata: the refund of ours that it was made for; null where it was made at the bank. */
  refund_id: Schema.NullOr(RefundId),
  idempotency_key: nullableText,
  amount_cents: Cents,
  status: Schema.Literals(["pending", "succeeded", "failed"]),
  created_at: Instant
})
export type TestRefund = typeof TestRefund.Type

/** A dispute at the simulated bank. */
export const TestDispute = Schema.Struct({
  reference: Schema.String,
  amount_cents: Cents,
  status: Schema.Literals(["open", "won", "lost"]),
  /** The bank's fee. */
  fee_cents: Schema.optionalKey(Cents)
})
export type TestDispute = typeof TestDispute.Type

/** A line of the simulated bank's statement: what moved on the account. */
export const TestMovement = Schema.Struct({
  reference: Schema.String,
  kind: Schema.Literals(["charge", "refund", "dispute", "transfer"]),
  /** Signed: what came is positive. */
  amount_cents: Schema.Int,
  fee_cents: Cents,
  at: Instant
})
export type TestMovement = typeof TestMovement.Type

/** A transfer at the simulated bank, of a part of a charge's money to another account. */
export const TestTransfer = Schema.Struct({
  /** The bank's own identifier. */
  reference: Schema.String,
  /** The metadata: the attempt of ours that it was made for. */
  transfer_id: TransferAttemptId,
  /** The account that it went to. */
  destination: IntegrationId,
  amount_cents: Cents,
  /** How it was taken back, whole; absent while it was not. */
  reversal: Schema.optionalKey(
    Schema.Struct({
      reference: Schema.String,
      /** The metadata: the reversal of ours that it was made for; null where it was made at the bank. */
      reversal_id: Schema.NullOr(ReversalId),
      created_at: Instant
    })
  ),
  created_at: Instant
})
export type TestTransfer = typeof TestTransfer.Type

/** Planned acts of the simulated bank. */
export const ScheduledStep = Schema.Struct({
  at: Instant,
  act: Schema.TaggedUnion({
    Wait: {},
    Process: {},
    Succeed: {},
    Fail: { code: Schema.String },
    LearnFee: {},
    OpenDispute: {},
    LoseDispute: {},
    PayRefund: { reference: Schema.String },
    FailRefund: { reference: Schema.String }
  })
})
export type ScheduledStep = typeof ScheduledStep.Type

/** The states of a charge at the simulated bank. */
export const Status = Schema.Literals([
  "created",
  "waiting",
  "processing",
  "succeeded",
  "failed",
  "cancelled"
]).annotate({ identifier: "TestChargeStatus" })
export type Status = typeof Status.Type

/** How a means of payment that was kept behaves: it is charged, it is declined, or its holder has revoked it. */
export const TestMandate = Schema.Literals(["WORKING", "DECLINING", "REVOKED"]).annotate({ identifier: "TestMandate" })
export type TestMandate = typeof TestMandate.Type

/**
 * A charge as the simulated bank of the test processor has it. What it does by itself is scheduled in it, and happens when
 * it is next read: the record is at its latest change, and `advanced` of `TestBank.ts` at the present.
 */
export class TestCharge extends Schema.Opaque<TestCharge>()(
  Schema.Struct({
    /** The bank's own identifier, the reference of the charge here. */
    id: Schema.String,
    organisation_id: OrganisationId,
    /** The account that takes the money. */
    integration_id: IntegrationId,
    /** The metadata: the charge of ours that it was made for. */
    charge_id: ChargeId,
    /** Under which it was made; null once it is forgotten. */
    idempotency_key: nullableText,
    method: PaymentMethod,
    amount_cents: Cents,
    currency: Currency,
    status: Status,
    failure_code: nullableText,
    /** The bank's fee; null until it is known. */
    fee_cents: Schema.NullOr(Cents),
    /** The test number of the donor; null until the charge was confirmed. */
    payment_token: nullableText,
    /** The mandate for later charges; null where there is none. */
    mandate: Schema.NullOr(TestMandate),
    refunds: Schema.Array(TestRefund),
    disputes: Schema.Array(TestDispute),
    /** Transfers to other accounts, oldest first. */
    transfers: Schema.Array(TestTransfer),
    /** Movements on the account, oldest first. */
    movements: Schema.Array(TestMovement),
    scheduled: Schema.Array(ScheduledStep),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredTestCharge" })
) {}

/** A charge of the simulated bank as operators see it. */
export const TestChargeRecord = TestCharge.mapFields((fields) => ({
  ...Struct.omit(fields, ["organisation_id", "idempotency_key", "movements", "scheduled"]),
  refunds: Schema.Array(TestRefund.mapFields(Struct.omit(["idempotency_key"])))
})).annotate({
  identifier: "TestCharge",
  meanings: {
    id: "The bank's own identifier.",
    integration_id: "The account that takes the money.",
    charge_id: "The charge that it was made for.",
    method: "How the donor pays.",
    amount_cents: "How much is taken, in minor units of the currency.",
    status:
      "created until it is confirmed, waiting while the donor must act, processing while the bank works on it; then how it ended.",
    failure_code: "Why no money came; null otherwise.",
    fee_cents: "What the bank took for it, in minor units; null until it says so.",
    payment_token: "What the donor paid with, a number of the test processor; null until it was confirmed.",
    mandate:
      "How later charges of the means of payment that it keeps go: WORKING, DECLINING or REVOKED; null where it keeps none.",
    refunds: "What was paid back, or is to be.",
    disputes: "What the donor's bank asked back.",
    transfers: "What went on to other accounts."
  }
})
export type TestChargeRecord = typeof TestChargeRecord.Type

/** The list of the simulated bank's charges. */
export const listing = {
  filters: {
    charge_id: { kind: "text", description: "The charge that it was made for" },
    created_at: { kind: "timestamp", description: "When the bank heard of it" }
  }
} as const satisfies ListSpec

/**
 * How the simulated bank is reached for an account: `LOST` loses every request, and `ANSWER_LOST` every answer, after what
 * was asked has happened.
 */
export const Reach = Schema.Literals(["REACHED", "LOST", "ANSWER_LOST"]).annotate({ identifier: "TestReach" })
export type Reach = typeof Reach.Type

/**
 * How the bank tells of what happens: at once, a minute late, each notice twice, the beginnings after what came of them, or
 * never.
 */
export const NoticeManner = Schema.Literals(["ON_TIME", "LATE", "TWICE", "REORDERED", "NEVER"]).annotate({
  identifier: "TestNoticeManner"
})
export type NoticeManner = typeof NoticeManner.Type

/** How an account takes transfers: all, none until it is set otherwise, or none ever again. */
export const TransferManner = Schema.Literals(["ACCEPTED", "REFUSED", "CLOSED"]).annotate({
  identifier: "TestTransferManner"
})
export type TransferManner = typeof TransferManner.Type

/** An account at the simulated bank. */
export class TestAccount extends Schema.Opaque<TestAccount>()(
  Schema.Struct({
    organisation_id: OrganisationId,
    integration_id: IntegrationId,
    charges_enabled: Schema.Boolean,
    reach: Reach,
    notices: NoticeManner,
    transfers: TransferManner
  }).annotate({ identifier: "StoredTestAccount" })
) {}

/** An account of the simulated bank as operators see it. */
export const TestAccountRecord = TestAccount.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "TestAccount",
  meanings: {
    integration_id: "The integration whose account it is.",
    charges_enabled: "Whether it takes charges.",
    reach: "REACHED; LOST while no request arrives; ANSWER_LOST while no answer arrives of what has happened.",
    notices:
      "How it tells of what happens: ON_TIME, LATE by a minute, TWICE, REORDERED (beginnings come after what came of them), or NEVER.",
    transfers: "How it takes transfers: ACCEPTED; REFUSED, which is tried again; or CLOSED, for good."
  }
})

/** An account on which nothing was set. */
export const standardAccount = (
  organisation_id: OrganisationId,
  integration_id: IntegrationId
): typeof TestAccount.Type => ({
  organisation_id,
  integration_id,
  charges_enabled: true,
  reach: "REACHED",
  notices: "ON_TIME",
  transfers: "ACCEPTED"
})
