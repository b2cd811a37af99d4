import { type DateTime, Effect, Option } from "effect"
import type { ChargeId } from "../../../domain/kernel/Ids.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Books from "../../../domain/payments/Books.ts"
import * as PaymentException from "../../../domain/payments/PaymentException.ts"
import type { Payment } from "../../../domain/sharing/Payment.ts"
import type { Transfer } from "../../../domain/sharing/Transfer.ts"
import type { OwnCode } from "../../../domain/sharing/TransferAttempt.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { makeLedgerWriter } from "../../payments/ledger/LedgerWriter.ts"

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

const wonLate =
  "The dispute was won after the money had been taken back from the recipient. Send it again with a retry of the transfer, or refund it."

const byHand: OwnCode = "failed_by_hand"

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

  /** The exceptions about a transfer that brought nothing, resolved or not. */
  const givenUp = ({ organisation_id }: Payment, { id }: Transfer) =>
    Effect.map(exceptions.ofSubject(organisation_id, id), (known) =>
      known.filter(({ kind }) => kind === "transfer_given_up")
    )

  /** The open exception by which the money of a transfer is held, locked. */
  const openOf = Effect.fnUntraced(function* (payment: Payment, transfer: Transfer) {
    const open = (yield* givenUp(payment, transfer)).find(({ status }) => status === "OPEN")
    if (open === undefined) return Option.none()
    const held = yield* exceptions.findForUpdate(payment.organisation_id, open.id)
    return Option.filter(held, ({ status }) => status === "OPEN")
  })

  const resolve = Effect.fnUntraced(function* (exception: PaymentException.PaymentException, resolved: Resolved) {
    const decided = decide(PaymentException.machine, exception, { _tag: "Resolve", ...resolved })
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
    { id: subject_id }: Pick<Transfer, "id">,
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

  /** A dispute was won after the money of a transfer had come back: it is held until somebody decides. */
  const holdAgain = Effect.fnUntraced(function* (paid: ChargedPayment, transfer: Transfer, at: DateTime.Utc) {
    const { net_amount_cents: held_cents } = transfer
    const what = { kind: "transfer_given_up", amount_cents: held_cents, held_cents, reason: wonLate } as const
    const exception = yield* raise(paid, transfer, what, at)
    const postings = Books.shareHeldAgain(held_cents)
    yield* writeLedger(exception, [{ cause: "exception", cause_id: exception.id, postings }], at)
  })

  return { givenUp, openOf, resolve, release, raise, holdAgain } as const
})
