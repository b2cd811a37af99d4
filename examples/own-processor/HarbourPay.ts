import { randomUUID } from "node:crypto"

/** A refusal of Harbour Pay, with its code. */
export class Refusal extends Error {
  readonly code: string
  constructor(code: string) {
    super(`Harbour Pay refuses: ${code}.`)
    this.code = code
  }
}

/** What Harbour Pay has of a refund; `metadata` is what it was asked with. */
export interface PaidRefund {
  readonly id: string
  readonly metadata: string
  readonly cents: number
}

/** What Harbour Pay has of a payment. */
export interface Payment {
  readonly id: string
  readonly shop: string
  readonly metadata: string
  readonly cents: number
  readonly currency: string
  state: "open" | "at_bank" | "paid" | "declined" | "ended"
  declined?: string
  readonly refunds: Array<PaidRefund>
}

/**
 * Harbour Pay, a payment service that does not exist, in this process: in the place of its HTTP API. A request has an
 * idempotency key, which it keeps for a while, and metadata, which it keeps for good.
 */
export class HarbourPay {
  readonly payments: Array<Payment> = []
  readonly keys = new Map<string, unknown>()
  /** Shops whose requests are lost on the way, or whose answers are. */
  readonly lost = new Map<string, "requests" | "answers">()

  private async ask<A>(shop: string, key: string | null, run: () => A): Promise<A> {
    if (this.lost.get(shop) === "requests") throw new Error("no route to Harbour Pay")
    const known = key === null ? undefined : this.keys.get(key)
    const answer = known === undefined ? run() : (known as A)
    if (key !== null) this.keys.set(key, answer)
    if (this.lost.get(shop) === "answers") throw new Error("the connection to Harbour Pay was cut")
    return answer
  }

  private having(shop: string, id: string): Payment {
    const payment = this.payments.find((each) => each.shop === shop && each.id === id)
    if (payment === undefined) throw new Refusal("no_such_payment")
    return payment
  }

  shop(shop: string) {
    return this.ask(shop, null, () => ({ open: !shop.startsWith("closed"), currency: "AUD" }))
  }

  find(shop: string, metadata: string) {
    return this.ask(shop, null, () => this.payments.find((each) => each.shop === shop && each.metadata === metadata))
  }

  create(shop: string, key: string, facts: Pick<Payment, "cents" | "currency" | "metadata">) {
    return this.ask(shop, key, () => {
      const payment: Payment = { ...facts, id: `hp_${randomUUID()}`, shop, state: "open", refunds: [] }
      this.payments.push(payment)
      return payment
    })
  }

  /** `ok` pays, `bank` sends the donor to the bank, anything else is declined with its text as the code. */
  pay(shop: string, key: string, id: string, token: string) {
    return this.ask(shop, key, () => {
      const payment = this.having(shop, id)
      if (payment.state !== "open") return
      payment.state = token === "ok" ? "paid" : token === "bank" ? "at_bank" : "declined"
      if (payment.state === "declined") payment.declined = token
    })
  }

  end(shop: string, id: string) {
    return this.ask(shop, null, () => {
      const payment = this.having(shop, id)
      if (payment.state !== "paid") payment.state = "ended"
    })
  }

  refund(shop: string, key: string, id: string, facts: Pick<PaidRefund, "cents" | "metadata">) {
    return this.ask(shop, key, () => {
      const { cents, refunds, state } = this.having(shop, id)
      const left = cents - refunds.reduce((sum, each) => sum + each.cents, 0)
      if (state !== "paid") throw new Refusal("not_paid")
      if (facts.cents > left) throw new Refusal("more_than_is_left")
      const refund: PaidRefund = { ...facts, id: `hr_${randomUUID()}` }
      refunds.push(refund)
      return refund
    })
  }
}
