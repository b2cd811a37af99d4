import { Context, DateTime, Effect } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import type { PaymentMethod } from "../../domain/giving/DonationKinds.ts"
import type { Refund } from "../../domain/giving/Refund.ts"
import type { Charge } from "../../domain/payments/Charge.ts"
import type { ChargeContext, PaymentProcessor } from "../../ports/payments/PaymentProcessors.ts"
import * as ChargeRecords from "./MoneyRecords.ts"
import { at, freshId } from "./Records.ts"

/** The tokens that a donor's page hands over, one for each end of a payment; those that a method cannot have are left out. */
export interface DonorTokens {
  /** The money is there at once. */
  readonly succeeds?: string
  /** It is refused at once, with this code. */
  readonly declined?: { readonly token: string; readonly code: string }
  /** It waits for the donor until {@link ProcessorDriver.approve}, and is paid then or later. */
  readonly waits?: string
  /** The bank network has it until {@link ProcessorDriver.settle}. */
  readonly processes?: string
}

/**
 * A payment processor under test, and what moves it from outside: its test mode, a double of it, or a simulator. What it has
 * no way to do is left out, and the checks that need it are passed over.
 */
export interface ProcessorDriver {
  readonly processor: PaymentProcessor
  /** A new account that takes charges; other checks do not touch it. */
  readonly account: Effect.Effect<Integration>
  readonly tokens: Readonly<Partial<Record<PaymentMethod, DonorTokens>>>
  /** Minor units that the processor has taken from the donor for a charge, in all that it made for it, as its own books say. */
  readonly taken: (charging: ChargeContext) => Effect.Effect<number>
  /** Minor units that went back, or are on their way, by refunds, as its own books say. */
  readonly paidBack: (charging: ChargeContext) => Effect.Effect<number>
  /** The donor does what is asked. */
  readonly approve: (charging: ChargeContext) => Effect.Effect<void>
  /** The bank network brings the money. */
  readonly settle: (charging: ChargeContext) => Effect.Effect<void>
  /** Somebody pays back at the processor, without us. */
  readonly refundThere?: (charging: ChargeContext, amount_cents: number) => Effect.Effect<void>
  /** The newest refund comes back. */
  readonly failRefund?: (charging: ChargeContext) => Effect.Effect<void>
  /** The donor's bank asks all of it back. */
  readonly dispute?: (charging: ChargeContext) => Effect.Effect<void>
  readonly winDispute?: (charging: ChargeContext) => Effect.Effect<void>
  readonly loseDispute?: (charging: ChargeContext) => Effect.Effect<void>
  /** The processor forgets every key that it was given for a charge. */
  readonly forgetKeys: (charging: ChargeContext) => Effect.Effect<void>
  /** From now on the account's requests are lost, or only the answers of what has happened; null ends it. */
  readonly lose: (account: Integration, what: "requests" | "answers" | null) => Effect.Effect<void>
  /** The account takes no more charges. */
  readonly disable?: (account: Integration) => Effect.Effect<void>
  /** Somebody opens a link to the processor's form and fills it in to its end; where they are sent. */
  readonly fillIn?: (url: string) => Effect.Effect<string>
  /** It keeps no list of what happened, which `noticesSince` would tell. */
  readonly withoutNotices?: true
  /** Its accounts bring no money on to others, though other accounts at the processor do. */
  readonly withoutTransfers?: true
  /** Minor units of a charge that are at other accounts, as the processor's own books say. */
  readonly sharedOut?: (charging: ChargeContext) => Effect.Effect<number>
  /** The account neither takes transfers nor gives them back from now on, for a while or forever. */
  readonly refuseTransfers?: (account: Integration, until: "now" | "forever") => Effect.Effect<void>
}

/** The payment processor that the checks are about. */
export class ProcessorUnderTest extends Context.Service<ProcessorUnderTest, ProcessorDriver>()(
  "almoner/testing/ProcessorUnderTest"
) {}

/** A charge that nothing was done about yet. */
export const chargeOf = Effect.fnUntraced(function* (account: Integration, given: Partial<Charge> = {}) {
  return yield* ChargeRecords.chargeOf(account, { look_at: at(0), created_at: yield* DateTime.now, ...given })
})

/** A refund of a charge that the processor was not told of. */
export const chargeRefundOf = Effect.fnUntraced(function* ({ charge }: ChargeContext, amount_cents: number) {
  const refund: Refund = {
    id: yield* freshId("refund"),
    organisation_id: charge.organisation_id,
    donation_id: yield* freshId("donation"),
    allocation_id: null,
    charge_id: charge.id,
    is_beside_gift: false,
    amount_cents,
    reason: null,
    status: "PENDING",
    refunded_at: null,
    processor_reference: null,
    created_at: yield* DateTime.now,
    updated_at: at(0)
  }
  return refund
})
