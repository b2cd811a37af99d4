import type { Refund } from "../giving/Refund.ts"
import type { RecipientAccountLinkId } from "../kernel/Ids.ts"
import type { Charge } from "./Charge.ts"
import { feeOf } from "./Fees.ts"
import { type Account, type Posting, posting, recipientOf } from "./Ledger.ts"

// Ledger entries of each change of a charge, a refund or a dispute. money, section 2: Ledger entry.

/** Where the donor's money comes from: of a bank transfer it is on the organisation's account already. */
const sourceOf = ({ method }: Charge): Account => (method === "bank_transfer" ? "unmatched" : "donor")

/** Whose the money is when it came: a gift is its organisation's, and a set's payment is held for its recipients. */
const ownerOf = ({ purpose }: Charge): Account => (purpose === "payment" ? "held" : "organisation")

/** A charge has succeeded. */
export const chargePaid = (charge: Charge): ReadonlyArray<Posting> =>
  posting(sourceOf(charge), ownerOf(charge), charge.amount_cents)

/** A charge has succeeded that had ended here: nobody's until it was given back, or a person has decided. */
export const latePayment = (charge: Charge): ReadonlyArray<Posting> =>
  posting(sourceOf(charge), "held", charge.amount_cents)

/** The platform's fee on a charge, minor units: by its rate, and at most what the processor's fee leaves. money, section 5. */
export const platformFeeOf = ({ amount_cents, platform_rate }: Charge, processor_fee_cents: number): number =>
  Math.min(feeOf(amount_cents, platform_rate), Math.max(0, amount_cents - processor_fee_cents))

/**
 * The processor's fee is known, and with it the platform's. A fee above the amount comes from the organisation. money,
 * sections 5 and 6.
 */
export const feesCharged = (charge: Charge, processor_fee_cents: number): ReadonlyArray<Posting> => {
  const owner = ownerOf(charge)
  const covered = owner === "held" ? Math.min(processor_fee_cents, charge.amount_cents) : processor_fee_cents
  return [
    ...posting(owner, "processor_fees", covered),
    ...posting("organisation", "processor_fees", processor_fee_cents - covered),
    ...posting(owner, "platform_fees", platformFeeOf(charge, processor_fee_cents))
  ]
}

/**
 * Entries of a fee that became another: what more was taken for it; what was given back, where negative. money, sections 2 and
 * 11.
 * @example
 * Books.feeChanged(25_00) // => Ledger.posting("organisation", "processor_fees", 25_00)
 * Books.feeChanged(-25_00) // => Ledger.posting("processor_fees", "organisation", 25_00)
 */
export const feeChanged = (
  more_cents: number,
  account: "processor_fees" | "platform_fees" = "processor_fees"
): ReadonlyArray<Posting> => [
  ...posting("organisation", account, Math.max(0, more_cents)),
  ...posting(account, "organisation", Math.max(0, -more_cents))
]

/**
 * The processor's fee of a charge that has succeeded became another, and the platform's where that leaves less or more. The
 * organisation bears it: recipients have what the first one left. money, section 11.
 */
export const feesChanged = (charge: Charge, before_cents: number, after_cents: number): ReadonlyArray<Posting> => [
  ...feeChanged(after_cents - before_cents),
  ...feeChanged(platformFeeOf(charge, after_cents) - platformFeeOf(charge, before_cents), "platform_fees")
]

/**
 * A refund was asked for. Money that came too late is held already.
 * @example Books.refundRequested({ amount_cents: 20_00 }) // => Ledger.posting("organisation", "held", 20_00)
 */
export const refundRequested = ({ amount_cents }: Pick<Refund, "amount_cents">): ReadonlyArray<Posting> =>
  posting("organisation", "held", amount_cents)

/**
 * The money of a refund is back with the donor.
 * @example Books.refundPaid({ amount_cents: 20_00 }) // => Ledger.posting("held", "donor", 20_00)
 */
export const refundPaid = ({ amount_cents }: Pick<Refund, "amount_cents">): ReadonlyArray<Posting> =>
  posting("held", "donor", amount_cents)

/**
 * A refund could not be paid, or came back after it was: money that came too late is held, for a person to decide.
 * @example
 * const back = { status: "SUCCEEDED", amount_cents: 20_00 } as const
 * Books.refundFailed(back, false) // => Ledger.posting("donor", "organisation", 20_00)
 * Books.refundFailed({ ...back, status: "PENDING" }, true) // => []
 */
export const refundFailed = (
  { amount_cents, status }: Pick<Refund, "amount_cents" | "status">,
  isLate: boolean
): ReadonlyArray<Posting> => {
  const from = status === "SUCCEEDED" ? "donor" : "held"
  const to = isLate ? "held" : "organisation"
  return from === to ? [] : posting(from, to, amount_cents)
}

/**
 * A dispute was opened: its amount stands aside.
 * @example Books.disputeOpened(50_00) // => Ledger.posting("organisation", "disputed", 50_00)
 */
export const disputeOpened = (amount_cents: number): ReadonlyArray<Posting> =>
  posting("organisation", "disputed", amount_cents)

/**
 * A dispute was lost, which had been opened or came lost at once.
 * @example
 * Books.disputeLost(50_00, true) // => Ledger.posting("disputed", "donor", 50_00)
 * Books.disputeLost(50_00, false) // => Ledger.posting("organisation", "donor", 50_00)
 */
export const disputeLost = (amount_cents: number, wasOpen: boolean): ReadonlyArray<Posting> =>
  posting(wasOpen ? "disputed" : "organisation", "donor", amount_cents)

/**
 * A dispute was won, which had been open or lost.
 * @example
 * Books.disputeWon(50_00, false) // => Ledger.posting("disputed", "organisation", 50_00)
 * Books.disputeWon(50_00, true) // => Ledger.posting("donor", "organisation", 50_00)
 */
export const disputeWon = (amount_cents: number, wasLost: boolean): ReadonlyArray<Posting> =>
  posting(wasLost ? "donor" : "disputed", "organisation", amount_cents)

/**
 * A bank transfer lapsed of which a part had come: that part is held, for a person to decide.
 * @example Books.partialTransferHeld(20_00) // => Ledger.posting("unmatched", "held", 20_00)
 */
export const partialTransferHeld = (received_cents: number): ReadonlyArray<Posting> =>
  posting("unmatched", "held", received_cents)

/**
 * A recipient's part of a payment has reached its account.
 * @example
 * const id = Ids.RecipientAccountLinkId.make("roal_01jqz6x8h4e5vb9m2k7ncw3t5d")
 * Books.shareTransferred(id, 20_00) // => Ledger.posting("held", Ledger.recipientOf(id), 20_00)
 */
export const shareTransferred = (link: RecipientAccountLinkId, net_amount_cents: number): ReadonlyArray<Posting> =>
  posting("held", recipientOf(link), net_amount_cents)

/**
 * A recipient's part of a payment was taken back whole. It is the organisation's, which gives the donor back what was given,
 * fees and all.
 * @example
 * const id = Ids.RecipientAccountLinkId.make("roal_01jqz6x8h4e5vb9m2k7ncw3t5d")
 * Books.shareReversed(id, 20_00) // => Ledger.posting(Ledger.recipientOf(id), "organisation", 20_00)
 */
export const shareReversed = (link: RecipientAccountLinkId, net_amount_cents: number): ReadonlyArray<Posting> =>
  posting(recipientOf(link), "organisation", net_amount_cents)

/**
 * A recipient's share that goes back to the donor, or went back: it is the organisation's, which pays that.
 * @example Books.shareReleased(20_00) // => Ledger.posting("held", "organisation", 20_00)
 */
export const shareReleased = (net_amount_cents: number): ReadonlyArray<Posting> =>
  posting("held", "organisation", net_amount_cents)

/**
 * A chargeback was won after the money of a recipient had come back: it is held, until somebody decides.
 * @example Books.shareHeldAgain(20_00) // => Ledger.posting("organisation", "held", 20_00)
 */
export const shareHeldAgain = (net_amount_cents: number): ReadonlyArray<Posting> =>
  posting("organisation", "held", net_amount_cents)
