import type { Refund } from "../../../src/domain/giving/Refund.ts"
import type { ChargeSnapshot, DisputeSnapshot, RefundSnapshot } from "../../../src/domain/payments/Snapshot.ts"
import { amount } from "./SubmittedGift.ts"

/** How a processor's charge and its refunds go once it was told to take the money, each step when something happens there. */
export interface Script {
  readonly charge: ReadonlyArray<"waiting" | "processing" | "succeeded" | "failed">
  /** `refused` is a definite no to the request; else its states, one after another. */
  readonly refund: "refused" | ReadonlyArray<RefundSnapshot["status"]>
  readonly dispute: ReadonlyArray<DisputeSnapshot["status"]>
  readonly disputed_cents: number
  readonly fee_cents: number
}

type Status = ChargeSnapshot["status"]

interface ModelRefund {
  readonly refund: Refund
  step: number
}

/** A processor with one charge, for tests: idempotent, and with no memory of what it answered. */
export class ModelProcessor {
  status: Status = "absent"
  /** How often it took the money. */
  takings = 0
  private step = -1
  private disputeStep = -1
  private isFeeKnown = false
  private readonly refunds = new Map<string, ModelRefund>()
  private readonly script: Script

  constructor(script: Script) {
    this.script = script
  }

  begin(): void {
    if (this.status === "absent") this.status = "created"
  }

  confirm(): void {
    if (this.status === "created" && this.step < 0) this.go()
  }

  /** The donor acts, or the network, or the bank. */
  happens(): void {
    if (this.status === "waiting" || this.status === "processing") this.go()
    else if (this.status === "succeeded") this.isFeeKnown = true
    for (const each of this.refunds.values()) each.step += 1
  }

  /** A bank transfer arrives. */
  arrives(): void {
    if (this.status !== "created") return
    this.status = "succeeded"
    this.takings += 1
  }

  isDisputed(): void {
    if (this.status === "succeeded") this.disputeStep += 1
  }

  cancel(): void {
    if (this.status === "created" || this.status === "waiting" || this.status === "failed") this.status = "cancelled"
  }

  /** Whether it makes the refund; asked again, it makes none. */
  refund(refund: Refund): boolean {
    if (this.script.refund === "refused") return false
    if (!this.refunds.has(refund.id)) this.refunds.set(refund.id, { refund, step: 0 })
    return true
  }

  get snapshot(): ChargeSnapshot {
    return {
      status: this.status,
      reference: this.status === "absent" ? null : "pi_1",
      amount_cents: amount,
      currency: "AUD",
      fee_cents: this.status === "succeeded" && this.isFeeKnown ? this.script.fee_cents : null,
      failure_code: this.status === "failed" ? "card_declined" : null,
      refunds: Array.from(this.refunds.values(), (each) => this.refundSnapshot(each)),
      disputes: this.disputes
    }
  }

  private go(): void {
    this.step += 1
    const next = this.script.charge[this.step]
    if (next === undefined) return
    this.status = next
    if (next === "succeeded") this.takings += 1
  }

  private refundSnapshot({ refund: { amount_cents, id }, step }: ModelRefund): RefundSnapshot {
    const states = this.script.refund === "refused" ? [] : this.script.refund
    const status = states[Math.min(step, states.length - 1)] ?? "pending"
    return { reference: `re_${id}`, refund_id: id, amount_cents, status }
  }

  private get disputes(): ReadonlyArray<DisputeSnapshot> {
    const { dispute, disputed_cents: amount_cents } = this.script
    const status = dispute[Math.min(this.disputeStep, dispute.length - 1)]
    return status === undefined ? [] : [{ reference: "dp_1", amount_cents, status }]
  }
}
