import { type DateTime, Effect } from "effect"
import type { Refund } from "../../../domain/giving/Refund.ts"
import { refundShared } from "../../../domain/giving/SharedRefund.ts"
import { TransferAttemptId } from "../../../domain/kernel/Ids.ts"
import * as Books from "../../../domain/payments/Books.ts"
import type { Transfer } from "../../../domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../../domain/sharing/TransferAttempt.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { makeLedgerWriter } from "../../payments/ledger/LedgerWriter.ts"
import type { ChargedPayment } from "../transfer/UnsentShares.ts"

type Attempt = TransferAttempt.TransferAttempt

/** The transfer that brought the money, of the latest series; undefined where none did. */
const broughtBy = (attempts: ReadonlyArray<Attempt>, { series }: Transfer): Attempt | undefined =>
  attempts.find((each) => !TransferAttempt.isReversal(each) && each.status === "SUCCEEDED" && each.series === series)

/** Whether a reversal of a part of a payment has not ended. */
export const isUnderWay = (attempts: ReadonlyArray<Attempt>): boolean =>
  attempts.some((each) => TransferAttempt.isReversal(each) && each.status === "NEW")

/** Reverses the parts of payments and pays them to the donor, in the surrounding transaction. money, section 6. */
export const makeTransferReversal = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const charges = yield* ChargeStore
  const refunds = yield* RefundStore
  const tokens = yield* Tokens
  const writeLedger = yield* makeLedgerWriter

  const again = Effect.fnUntraced(function* (refused: Attempt, look_at: DateTime.Utc, at: DateTime.Utc) {
    const id = yield* tokens.id("reversal")
    yield* attempts.insert(TransferAttempt.newAttempt({ ...refused, id, number: refused.number + 1, look_at }, at))
  })

  /** Writes the first attempt to take a part back whose transfer has succeeded; nothing where one is under way. */
  const begin = Effect.fnUntraced(function* (
    { payment: { organisation_id } }: ChargedPayment,
    transfer: Transfer,
    cause: TransferAttempt.Cause,
    at: DateTime.Utc
  ) {
    const known = yield* attempts.ofAllocation(organisation_id, transfer.id)
    const brought = broughtBy(known, transfer)
    if (isUnderWay(known) || brought === undefined) return
    const before = known.filter(TransferAttempt.isReversal).map(({ series }) => series)
    const series = Math.max(0, ...before) + 1
    const reversed_id = TransferAttemptId.make(brought.id)
    const id = yield* tokens.id("reversal")
    const look_at = yield* attempts.now
    yield* attempts.insert(
      TransferAttempt.newAttempt({ ...brought, id, reversed_id, cause, series, number: 1, look_at }, at)
    )
  })

  /** Has the donor get the gross of a part: the settling of its charge asks the processor. */
  const payBack = Effect.fnUntraced(function* (
    { charge_id, payment }: ChargedPayment,
    transfer: Transfer,
    at: DateTime.Utc
  ) {
    const { currency, organisation_id } = payment
    const { donation_id, gross_amount_cents: amount_cents, id: allocation_id } = transfer
    // Whatever was given toward a recipient is a gift there.
    const part = yield* Effect.orDie(Effect.fromNullishOr(donation_id))
    const row: Refund = refundShared(
      { organisation_id, donation_id: part, allocation_id, charge_id, amount_cents },
      { id: yield* tokens.id("refund"), at }
    )
    yield* refunds.insert(row)
    const postings = Books.refundRequested(row)
    yield* writeLedger({ charge_id, currency, organisation_id }, [{ cause: "refund", cause_id: row.id, postings }], at)
    yield* charges.lookNow(organisation_id, charge_id)
  })

  return { again, begin, payBack } as const
})
