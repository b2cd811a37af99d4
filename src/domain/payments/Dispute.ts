import { Schema } from "effect"
import { ChargeId, DisputeId, OrganisationId, RefundId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, byField, define, type MachineType } from "../kernel/Machine.ts"
import { Cents } from "../kernel/Money.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"
import * as PaymentMessages from "./PaymentMessages.ts"

/** The states of a dispute. */
export const Status = Schema.Literals(["OPEN", "WON", "LOST"]).annotate({ identifier: "DisputeStatus" })
export type Status = typeof Status.Type

/** A donor's bank asks for the money of a charge back. money, section 2: Dispute. */
export class Dispute extends Schema.Opaque<Dispute>()(
  Schema.Struct({
    id: DisputeId,
    organisation_id: OrganisationId,
    charge_id: ChargeId,
    reference: Schema.String,
    amount_cents: Cents,
    status: Status,
    /** The dispute fee of the processor; null until it says so. Less what it gave back, as it may where the dispute is won. */
    fee_cents: Schema.NullOr(Cents),
    refund_id: Schema.NullOr(RefundId),
    ended_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant
  }).annotate({
    identifier: "StoredDispute",
    meanings: {
      reference: "The processor's own identifier of the dispute.",
      amount_cents: "How much is asked back, in minor units.",
      status: "OPEN while it is examined, then WON, where the money stays, or LOST.",
      fee_cents: "What the processor took for the dispute itself, in minor units; null until it says so.",
      refund_id: "The refund that the lost dispute is in the gift's ledger."
    }
  })
) {}

/** The list of disputes. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Status of the dispute" },
    charge_id: { kind: "text", description: "The charge that is disputed" },
    created_at: { kind: "timestamp", description: "When it was heard of" }
  }
} as const satisfies ListSpec

/** The commands of the machine of a dispute. */
export const Command = Schema.TaggedUnion({
  Win: { at: Instant },
  Lose: { at: Instant, refund_id: Schema.NullOr(RefundId) },
  LearnFee: { at: Instant, fee_cents: Cents }
})
export type Command = typeof Command.Type

const rule = "money, section 2: Dispute"

/** How disputes come to be. */
export const births = {
  opened: { by: "a card's holder disputes a charge", to: "OPEN", emits: [], rule },
  lost: { by: "a bank takes a debit back", to: "LOST", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Dispute",
  state: Dispute,
  command: Command,
  wording: PaymentMessages.dispute,
  ...byField(Status),
  rule,
  births,
  table: {
    Win: {
      from: ["OPEN", "LOST"],
      to: "WON",
      patch: (_, { at }) => ({ ended_at: at, updated_at: at })
    },
    Lose: {
      from: ["OPEN", "WON"],
      to: "LOST",
      patch: (_, { at, refund_id }) => ({ refund_id, ended_at: at, updated_at: at })
    },
    LearnFee: {
      from: Status.literals,
      to: "same",
      when: "the fee is another one",
      guard: (self, { fee_cents }) => self.fee_cents !== fee_cents,
      patch: (_, { at, fee_cents }) => ({ fee_cents, updated_at: at })
    }
  }
})

export interface machine extends MachineType<typeof defined> {}
/**
 * money, sections 2 and 11: Dispute. A lost one may still be won, and a won one lost after an appeal. Its events are those of
 * the gift.
 */
export const machine: machine = defined

const { is } = Rule.rulesOf<Dispute>()

/** Disputes that are examined: their amount is set aside. money, section 2: Dispute. */
export const undecidedRule = is("status", "OPEN")

/** Disputes that were lost: their amount went back. */
export const lostRule = is("status", "LOST")
