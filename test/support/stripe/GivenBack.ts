import { type Books, platform } from "./Books.ts"
import type { Intent, Intents } from "./Intents.ts"
import { invalid, type Json, metadataOf, senseless } from "./Protocol.ts"

type Returned = Json & { id: string; amount: number; status: string; payment_intent: string }

type Dispute = Returned & { readonly balance_transactions: Array<Json> }

/** Refunds, and the disputes of banks. */
export const makeGivenBack = (books: Books, { disputed, firstOf, intentOf, ofCharge }: Intents) => {
  const refunds: Array<Returned> = []
  const disputes: Array<Dispute> = []

  const leftOf = (intent: Intent) =>
    Number(intent.amount_received) -
    refunds
      .filter(({ payment_intent, status }) => payment_intent === intent.id && status !== "failed")
      .reduce((sum, { amount }) => sum + amount, 0)

  const isDisputed = (id: string) =>
    disputes.some(({ payment_intent, status }) => payment_intent === id && status === "needs_response")

  const refund = (form: Json) => {
    const isShared = ["reverse_transfer", "refund_application_fee"].some((name) => form[name] !== undefined)
    if (books.acting !== platform && isShared) throw invalid("platform_only")
    const intent = intentOf(String(form.payment_intent))
    if (intent.status !== "succeeded") throw senseless("no successful charge")
    if (form.reverse_transfer === "true" && intent.transfer_data === null) throw senseless("no associated transfer")
    if (isDisputed(intent.id)) throw invalid("charge_disputed")
    const amount = Number(form.amount)
    if (amount > leftOf(intent)) throw invalid("charge_already_refunded")
    const made = {
      id: books.next("re"),
      object: "refund",
      amount,
      status: "succeeded",
      payment_intent: intent.id,
      metadata: metadataOf(form),
      reverse_transfer: form.reverse_transfer ?? null
    }
    refunds.push(made)
    books.move("refund", -amount, 0, intent.currency, made)
    books.emit("refund.created", made)
    return made
  }

  const ofIntent = (all: ReadonlyArray<Json>, query: Json) =>
    books.page(
      all
        .filter(({ payment_intent }) => payment_intent === query.payment_intent)
        .map((each) => ({ created: 0, ...each })),
      query
    )

  const moveFor = (dispute: Dispute, amount: number, fee: number) => {
    const { currency } = intentOf(dispute.payment_intent)
    const { balance_transactions: _, ...source } = dispute
    dispute.balance_transactions.push(books.move("adjustment", amount, fee, currency, source))
  }

  const takenBy = ({ balance_transactions }: Dispute) =>
    balance_transactions.reduce((sum, { amount }) => sum - Number(amount), 0)

  /** What was taken comes back when it is won, with its fee where that is said, and goes again when it is lost after that. */
  const settleDispute = (charge_id: string, status: string, returnedFee = 0) => {
    const found = disputes.find(({ payment_intent }) => payment_intent === firstOf(charge_id).id)
    if (found === undefined) throw new Error(`No dispute of ${charge_id}`)
    if (status === "won") moveFor(found, takenBy(found), -returnedFee)
    if (status === "lost" && takenBy(found) === 0) moveFor(found, -found.amount, 0)
    Object.assign(found, { status })
    books.emit("charge.dispute.closed", { ...found })
  }

  const disputeOf = (charge_id: string, status: string) => {
    const { amount, id: payment_intent } = firstOf(charge_id)
    const made: Dispute = {
      id: books.next("du"),
      object: "dispute",
      amount,
      status,
      payment_intent,
      metadata: {},
      balance_transactions: []
    }
    disputes.push(made)
    disputed.add(payment_intent)
    return made
  }

  return {
    refund,
    listRefunds: (form: Json) => ofIntent(refunds, form),
    listDisputes: (form: Json) => ofIntent(disputes, form),

    paidBack: (charge_id: string) =>
      refunds
        .filter(
          ({ payment_intent, status }) =>
            status !== "failed" && ofCharge(charge_id).some(({ id }) => id === payment_intent)
        )
        .reduce((sum, { amount }) => sum + amount, 0),

    refundThere: (charge_id: string, amount: number) =>
      void refund({ payment_intent: firstOf(charge_id).id, amount, metadata: {} }),

    /** A movement of another type, of a charge or of none. */
    moveThere: (charge_id: string | null, type: string, amount: number) => {
      const source =
        charge_id === null ? { object: "payout" } : { object: "charge", payment_intent: firstOf(charge_id).id }
      books.move(type, amount, 0, "aud", { id: books.next("src"), ...source })
    },

    failRefund: (status = "failed") => {
      const last = refunds.at(-1)
      if (last === undefined) throw new Error("No refund")
      last.status = status
      const { currency } = intentOf(last.payment_intent)
      books.move("refund_failure", last.amount, 0, currency, last)
      books.emit("refund.failed", last)
    },

    dispute: (charge_id: string) => {
      const made = disputeOf(charge_id, "needs_response")
      moveFor(made, -made.amount, 2_500)
      books.emit("charge.dispute.created", made)
    },
    /** A dispute of any status of Stripe's, that took nothing of the balance. */
    disputeOf,
    settleDispute,
    winDispute: (charge_id: string, returnedFee?: number) => settleDispute(charge_id, "won", returnedFee),
    loseDispute: (charge_id: string) => settleDispute(charge_id, "lost")
  }
}
