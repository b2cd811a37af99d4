import type { DateTime } from "effect"
import type * as Donation from "../giving/Donation.ts"
import type { CalendarDate } from "../kernel/CalendarDate.ts"
import type { DisputeId, RefundId } from "../kernel/Ids.ts"
import type { Arrival } from "./BankTransfer.ts"
import type { Cause, Posting } from "./Ledger.ts"
import type { Renewal } from "./Renewal.ts"
import type { ChargeState } from "./Settlement.ts"

/** A charge with all that hangs on it, and the gift that it pays; null where it pays something else. */
export interface SettlementState extends ChargeState {
  readonly gift: Donation.Donation | null
  /** Where the charge pays an invoice and has not ended: the gift that is written when it does. */
  readonly renewal?: Renewal | null
}

/** Inputs of a step from outside: the time, ids for new rows, and the day on which the money arrived. */
export interface Occasion {
  readonly at: DateTime.Utc
  readonly refund_id: RefundId
  readonly dispute_id: DisputeId
  /** The day of `at` in the organisation's timezone. */
  readonly today: CalendarDate
  /** Of a bank transfer: when its money arrived, on which day, and how much where a part may come; null where none came. */
  readonly arrived: (Pick<Arrival, "at" | "on"> & Partial<Arrival>) | null
  /** Of a bank transfer that lapses: whether no statement covers its last day, so that nobody has looked. */
  readonly isUncovered?: boolean
  /** Whether the processor can pay money back. */
  readonly refunds: boolean
}

/** An exception to open. money, section 2: Exception. */
export interface ExceptionFacts {
  readonly kind:
    | "late_success"
    | "mismatch"
    | "refund_failed"
    | "unrecovered"
    | "fee_exceeds_gift"
    | "underpaid"
    | "statement_missing"
  readonly amount_cents: number
  /** How much of it is held until a person decides. */
  readonly held_cents: number
}

/** Money that a step moved. */
export interface LedgerMove {
  readonly cause: Cause
  readonly cause_id: string
  readonly postings: ReadonlyArray<Posting>
}

/** The result of a step. */
export interface StepResult {
  readonly state: SettlementState
  readonly events: ReadonlyArray<Donation.DonationEmission>
  readonly moved: ReadonlyArray<LedgerMove>
  readonly raised: ReadonlyArray<ExceptionFacts>
}
