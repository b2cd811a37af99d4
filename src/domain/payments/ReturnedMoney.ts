import { live, type Refund } from "../giving/Refund.ts"
import * as Rule from "../kernel/Rule.ts"
import type { Charge } from "./Charge.ts"
import { type Dispute, lostRule } from "./Dispute.ts"

/** A charge, with all that takes of its money. */
export interface ChargeDeductions {
  readonly charge: Pick<Charge, "amount_cents">
  readonly refunds: ReadonlyArray<Pick<Refund, "amount_cents" | "status">>
  readonly disputes: ReadonlyArray<Pick<Dispute, "amount_cents" | "status">>
}

const sum = (all: ReadonlyArray<{ readonly amount_cents: number }>): number =>
  all.reduce((total, { amount_cents }) => total + amount_cents, 0)

/**
 * How much of a charge nobody took back yet, minor units: without refunds that were paid or will be, and disputes that were
 * lost.
 * @example
 * const disputes = [{ amount_cents: 20_00, status: "LOST" }] as const
 * ReturnedMoney.leftCents({ charge: { amount_cents: 50_00 }, refunds: [], disputes }) // => 30_00
 */
export const leftCents = ({ charge, disputes, refunds }: ChargeDeductions): number =>
  charge.amount_cents -
  sum(refunds.filter((each) => Rule.holds(live, each))) -
  sum(disputes.filter((each) => Rule.holds(lostRule, each)))

/**
 * Whether the donor's bank took everything back that was left of a charge. money, section 6: Chargeback.
 * @example
 * const disputes = [{ amount_cents: 50_00, status: "LOST" }] as const
 * ReturnedMoney.isChargedBack({ charge: { amount_cents: 50_00 }, refunds: [], disputes }) // => true
 * ReturnedMoney.isChargedBack({ charge: { amount_cents: 50_01 }, refunds: [], disputes }) // => false
 */
export const isChargedBack = (taking: ChargeDeductions): boolean =>
  taking.disputes.some((each) => Rule.holds(lostRule, each)) && leftCents(taking) <= 0
