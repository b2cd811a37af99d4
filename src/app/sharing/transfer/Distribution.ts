import { type DateTime, Effect, Option } from "effect"
import type { ChargeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Books from "../../../domain/payments/Books.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import type { Payment } from "../../../domain/sharing/Payment.ts"
import * as Transfer from "../../../domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../../domain/sharing/TransferAttempt.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { makeLedgerWriter } from "../../payments/ledger/LedgerWriter.ts"
import { makeRecipientGifts, type Occasion, type Recipient } from "../payment/RecipientGifts.ts"

/** A payment with the charge that took its money. */
export interface ChargedPayment {
  readonly payment: Payment
  readonly charge_id: ChargeId
}

/** Who resolves an exception, when, and what they say. */
interface Resolved {
  readonly note: string
  readonly by: string
  readonly at: DateTime.Utc
}

/** Why the money of a transfer is held that has come back. */
const heldAgain = {
  chargeback: {
    kind: "transfer_given_up",
    reason:
      "The dispute was won after the money had been taken back from the recipient. Send it again with a retry of the transfer, or refund it."
  },
  processor: {
    kind: "transfer_reversed",
    reason:
      "The transfer was reversed at the processor, where nobody here asked for it. See why; send it again with a retry of the transfer, or refund it."
  }
} as const

const byHand: TransferAttempt.OwnCode = "failed_by_hand"

/** Why a part of a payment was given up: nobody moves it any more. */
export const abandonReason = (failure_code: string, to: string, done: string): string =>
  failure_code === byHand
    ? `It was said that it could not be ${done} by hand.`
    : `The processor refused to ${to} (${failure_code}), and is not asked again.`

/** Keeps the money of recipients that did not go to them, in the surrounding transaction. money, section 6. */
export const makeUnsentShares = Effect.gen(function* () {
  const exceptions = yield* PaymentExceptionStore
  const tokens = yield* Tokens
  const writeLedger = yield* makeLedgerWriter

  /** The exceptions about a transfer that brought nothing, or whose money came back, resolved or not. */
  const givenUp = ({ organisation_id }: Payment, { id }: Transfer.Transfer) =>
    Effect.map(exceptions.ofSubject(organisation_id, id), (known) =>
      known.filter(({ kind }) => kind === "transfer_given_up" || kind === "transfer_reversed")
    )

  /** The open exception by which the money of a transfer is held, locked. */
  const openOf = Effect.fnUntraced(function* (payment: Payment, transfer: Transfer.Transfer) {
    const open = (yield* givenUp(payment, transfer)).find(({ status }) => status === "OPEN")
    if (open === undefined) return Option.none()
    const held = yield* exceptions.findForUpdate(payment.organisation_id, open.id)
    return Option.filter(held, ({ status }) => status === "OPEN")
  })

  const resolve = Effect.fnUntraced(function* (exception: PaymentException.PaymentException, resolved: Resolved) {
    const decided = decide(PaymentException.machine, exception, { _tag: "Resolve", ...resolved, donation_id: null })
    const { state } = yield* Effect.orDie(Effect.fromResult(decided))
    yield* exceptions.update(state)
  })

  /** The released money is the organisation's, which gives it back to the donor or has done so. */
  const release = Effect.fnUntraced(function* (exception: PaymentException.PaymentException, resolved: Resolved) {
    yield* resolve(exception, resolved)
    const postings = Books.shareReleased(exception.held_cents)
    yield* writeLedger(exception, [{ cause: "exception", cause_id: exception.id, postings }], resolved.at)
  })

  const raise = Effect.fnUntraced(function* (
    { charge_id, payment }: ChargedPayment,
    { id: subject_id }: Pick<Transfer.Transfer, "id">,
    what: Pick<PaymentException.PaymentException, "kind" | "amount_cents" | "held_cents" | "reason">,
    at: DateTime.Utc
  ) {
    const { currency, organisation_id } = payment
    const id = yield* tokens.id("paymentException")
    const exception = PaymentException.openException(
      { ...what, id, organisation_id, charge_id, subject_id, currency },
      at
    )
    yield* exceptions.insert(exception)
    return exception
  })

  /** The money of a transfer has come back, and is no donor's and no bank's: it is held until somebody decides. */
  const holdAgain = Effect.fnUntraced(function* (
    paid: ChargedPayment,
    transfer: Transfer.Transfer,
    cause: keyof typeof heldAgain,
    at: DateTime.Utc
  ) {
    const { net_amount_cents: held_cents } = transfer
    const what = { ...heldAgain[cause], amount_cents: held_cents, held_cents }
    const exception = yield* raise(paid, transfer, what, at)
    const postings = Books.shareHeldAgain(held_cents)
    yield* writeLedger(exception, [{ cause: "exception", cause_id: exception.id, postings }], at)
  })

  return { givenUp, openOf, resolve, release, raise, holdAgain } as const
})

/** An attempt of a transfer that is sent at `look_at`. */
type Planned = Pick<TransferAttempt.TransferAttempt, "number"> & { readonly look_at: DateTime.Utc }

/** Shares a payment out, in the surrounding transaction that locks it. money, section 6. */
export const makeDistribution = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const gifts = yield* makeRecipientGifts
  const tokens = yield* Tokens

  /** A transfer that is as it must be: a refusal is an error of the program. */
  const taken = (transfer: Transfer.Transfer, command: Transfer.Command) =>
    Effect.map(Effect.orDie(Effect.fromResult(decide(Transfer.machine, transfer, command))), ({ state }) => state)

  const plan = Effect.fnUntraced(function* (
    { charge_id, payment }: ChargedPayment,
    transfer: Transfer.Transfer,
    { look_at, number }: Planned,
    at: DateTime.Utc
  ) {
    const { id: allocation_id, net_amount_cents: amount_cents, recipient_org_account_link_id, series } = transfer
    const { currency, id: payment_id, organisation_id } = payment
    const id = yield* tokens.id("transferAttempt")
    const whose = { organisation_id, payment_id, allocation_id, charge_id, recipient_org_account_link_id }
    const onward = { reversed_id: null, cause: null }
    yield* attempts.insert(
      TransferAttempt.newAttempt({ ...whose, ...onward, id, amount_cents, currency, series, number, look_at }, at)
    )
  })

  /** The payment with the gifts of its recipients, who were found already; to whom nothing was given nothing goes. */
  const give = Effect.fnUntraced(function* (
    { charge_id, payment }: ChargedPayment,
    recipients: ReadonlyMap<OrganisationId, Recipient>,
    occasion: Occasion
  ) {
    const given = Effect.fnUntraced(function* (transfer: Transfer.Transfer) {
      if (!Transfer.isGiven(transfer)) return yield* taken(transfer, { _tag: "Skip", at: occasion.at })
      const recipient = recipients.get(transfer.recipient_organisation_id)
      if (recipient === undefined) return yield* Effect.die(new Error(`nobody gave to ${transfer.id}`))
      const donation_id = yield* gifts.write({ charge_id, payment }, transfer, recipient, occasion)
      return Transfer.withDonation(transfer, donation_id)
    })
    return { ...payment, allocations: yield* Effect.forEach(payment.allocations, given) }
  })

  /** The payment with its transfers begun. Of which the fees leave nothing, the recipient's gift is confirmed without one. */
  const begin = Effect.fnUntraced(function* ({ charge_id, payment }: ChargedPayment, occasion: Occasion) {
    const { at } = occasion
    const look_at = yield* attempts.now
    const begun = Effect.fnUntraced(function* (transfer: Transfer.Transfer) {
      if (transfer.transfer_status !== "pending") return transfer
      if (Transfer.isDue(transfer)) {
        yield* plan({ charge_id, payment }, transfer, { number: 1, look_at }, at)
        return transfer
      }
      yield* gifts.confirm(transfer, occasion)
      return yield* taken(transfer, { _tag: "Skip", at })
    })
    const allocations = yield* Effect.forEach(payment.allocations, begun)
    return { ...payment, allocations, transfers_begun_at: at, updated_at: at }
  })

  return { plan, give, begin, donorAt: gifts.donorAt } as const
})
