import type { Effect, Option } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { ReversalId, TransferAttemptId } from "../../domain/kernel/Ids.ts"
import type { Charge } from "../../domain/payments/Charge.ts"
import type { ProcessorFailure } from "./PaymentProcessors.ts"

/** A part of a charge's money that is to go on to another account at the same processor. */
export interface TransferContext {
  /** The attempt, which is the processor's idempotency key. */
  readonly id: TransferAttemptId
  /** The charge whose money it is. */
  readonly charge: Charge
  /** The account that took it. */
  readonly integration: Integration
  /** The account that it goes to, of whichever organisation. */
  readonly destination: Integration
  /** How much, minor units of the charge's currency. */
  readonly amount_cents: number
}

/** A transfer that is to be taken back, whole. */
export interface ReversalContext extends Omit<TransferContext, "id"> {
  /** The reversal, which is the processor's idempotency key. */
  readonly id: ReversalId
  /** The transfer that was made, with the processor's own identifier of it. */
  readonly transfer: { readonly id: TransferAttemptId; readonly reference: string }
}

/** A transfer that a processor has made. */
export interface MadeTransfer {
  readonly reference: string
  /** What took it back whole, for us or not; null while any of it is at the other account. */
  readonly reversal: { readonly reference: string } | null
}

/** How a processor brings money on from a charge to other accounts. money, sections 3 and 6. */
export interface ProcessorTransfers {
  /**
   * Brings the money to the other account, where it is when this succeeds. MUST move it once, however often it is asked for
   * the same attempt. A refusal MUST have moved nothing; it is one of `account_closed`, `account_rejected` and
   * `account_unknown` where the account will never take money, and any other code where it may some day.
   */
  transfer(transferring: TransferContext): Effect.Effect<{ readonly reference: string }, ProcessorFailure>
  /**
   * The transfer that was made for this attempt; none where the processor has made none. MUST say of one that was taken back
   * whole what took it back, whoever asked for that.
   */
  fetchTransfer(transferring: TransferContext): Effect.Effect<Option.Option<MadeTransfer>, ProcessorFailure>
  /**
   * Takes the whole transfer back from the other account. MUST take it back once, however often it is asked for the same
   * reversal. A refusal MUST have taken nothing back; its codes are those of `transfer`.
   */
  reverse(reversing: ReversalContext): Effect.Effect<{ readonly reference: string }, ProcessorFailure>
  /** The reversal that was made for this attempt; none where the processor has made none. */
  fetchReversal(
    reversing: ReversalContext
  ): Effect.Effect<Option.Option<{ readonly reference: string }>, ProcessorFailure>
}
