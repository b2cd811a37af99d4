import { Effect, Option } from "effect"
import { isInBooks, type Refund } from "../../../domain/giving/Refund.ts"
import { GuardRefused } from "../../../domain/kernel/Machine.ts"
import * as Books from "../../../domain/payments/Books.ts"
import type { Charge } from "../../../domain/payments/Charge.ts"
import type { Posting } from "../../../domain/payments/Ledger.ts"
import { IntegrationStore } from "../../../ports/access/IntegrationStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../../ports/payments/DisputeStore.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { PaymentProcessors } from "../../../ports/payments/PaymentProcessors.ts"
import type { Reaction, RefundChange, RefundRequest } from "../../kernel/reaction/Reactions.ts"
import { makeLedgerWriter } from "../ledger/LedgerWriter.ts"
import { makeChargeCancellation } from "./ChargeCancellation.ts"
import { paysBack } from "./ChargeLoader.ts"

const forbidden = (rule: string, message: string) =>
  new GuardRefused({ machine: "Refund", command: "Refund", rule, message })

const disputed = () =>
  forbidden(
    "no dispute of its charge is open",
    "The donor's bank is examining a dispute of this gift, so nothing is refunded now. Wait for what comes of it."
  )

const byItself = () =>
  forbidden(
    "the processor cannot pay it back",
    "The processor pays this refund back by itself and says how it ended. Wait for it."
  )

/** The effects of refunds of gifts on the charges that paid them. money, section 2: Refund. */
export const chargeReactions = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const disputes = yield* DisputeStore
  const donations = yield* DonationStore
  const exceptions = yield* PaymentExceptionStore
  const integrations = yield* IntegrationStore
  const processors = yield* PaymentProcessors
  const end = yield* makeChargeCancellation
  const writeLedger = yield* makeLedgerWriter

  const goesByItself = (charge: Charge) =>
    Effect.map(integrations.find(charge.organisation_id, charge.integration_id), (found) =>
      paysBack(
        charge,
        Option.flatMap(found, ({ processor }) => processors.find(processor))
      )
    )

  const refunding = Effect.fnUntraced(function* ({ by, charge_id, organisation_id }: RefundRequest) {
    const found = yield* charges.findForUpdate(organisation_id, charge_id)
    if (Option.isNone(found)) return
    if (by === "hand") {
      if (yield* goesByItself(found.value)) yield* byItself()
      return
    }
    const open = yield* disputes.ofCharge(organisation_id, charge_id)
    if (open.some(({ status }) => status === "OPEN")) yield* disputed()
  })

  const movedBy = Effect.fnUntraced(function* (change: RefundChange) {
    const { amount_cents, became, charge_id, is_beside_gift, organisation_id } = change
    const pending: Pick<Refund, "amount_cents" | "status"> = { amount_cents, status: "PENDING" }
    if (became === "PENDING") return Books.refundRequested(pending)
    if (became === "SUCCEEDED") return Books.refundPaid(pending)
    const raised = is_beside_gift && charge_id !== null ? yield* exceptions.ofCharge(organisation_id, charge_id) : []
    const isLate = raised.some(({ kind }) => kind === "late_success")
    return Books.refundFailed(pending, isLate)
  })

  /** The currency of money that goes back: of its charge, which is locked, or of a gift that was booked from a bank account. */
  const currencyOf = Effect.fnUntraced(function* ({ charge_id, donation_id, organisation_id }: RefundChange) {
    if (charge_id !== null) {
      return Option.map(yield* charges.findForUpdate(organisation_id, charge_id), ({ currency }) => currency)
    }
    const gift = Option.filter(yield* donations.find(organisation_id, donation_id), isInBooks)
    return Option.map(gift, ({ currency }) => currency)
  })

  const refundChanged = Effect.fnUntraced(function* (change: RefundChange) {
    const { at, became, charge_id, organisation_id, refund_id } = change
    const found = yield* currencyOf(change)
    if (Option.isNone(found)) return
    const postings: ReadonlyArray<Posting> = yield* movedBy(change)
    const currency = found.value
    yield* writeLedger(
      { charge_id, currency, organisation_id },
      [{ cause: "refund", cause_id: refund_id, postings }],
      at
    )
    if (became === "PENDING" && charge_id !== null) yield* charges.lookNow(organisation_id, charge_id)
  })

  const reaction: Partial<Reaction> = {
    givingWay: ({ at, charge_id, organisation_id }) => end(organisation_id, charge_id, at),
    refunding,
    refundChanged
  }
  return reaction
})
