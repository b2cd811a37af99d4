import { Effect, Option, Result, Schema } from "effect"
import { type OrganisationId, PaymentId } from "../../../domain/kernel/Ids.ts"
import * as Transfer from "../../../domain/sharing/Transfer.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import type { TransferDoubt } from "../../kernel/reaction/Reactions.ts"
import {
  broughtBy,
  isUnderWay,
  makeReturnedMoney,
  makeReversalOutcome,
  makeTransferReversal
} from "../refund/ReturnedMoney.ts"
import { type LoadedTransfer, makeTransferLoader } from "./TransferLoader.ts"
import { makeActing, operation } from "./TransferSync.ts"

const readPayment = Schema.decodeUnknownOption(PaymentId)

/**
 * Looks again at the transfers of a charge that have succeeded: one that was reversed at its processor without us is reversed
 * here, too, with the recipient's gift, and its money is held. money, section 11.
 */
export const makeTransferCheck = Effect.gen(function* () {
  const acting = yield* makeActing
  const attempts = yield* TransferAttemptStore
  const find = yield* makeTransferLoader
  const payments = yield* PaymentStore
  const reversal = yield* makeReversalOutcome
  const reversing = yield* makeTransferReversal
  const takenBack = yield* makeReturnedMoney

  const write = (known: LoadedTransfer, reference: string) =>
    acting(known, (request_id) =>
      Effect.gen(function* () {
        const { allocation_id, charge_id, organisation_id, payment_id } = known.attempt
        const taken = yield* takenBack(organisation_id, charge_id)
        const payment = yield* Effect.flatMap(payments.findForUpdate(organisation_id, payment_id), Effect.fromOption)
        const transfer = payment.allocations.find(({ id }) => id === allocation_id)
        if (transfer?.transfer_status !== "succeeded") return
        const at = yield* organisationNow
        const attempt = yield* reversing.found({ payment, charge_id }, transfer, reference, at)
        if (Option.isNone(attempt)) return
        yield* reversal.succeed({ attempt: attempt.value, payment, transfer, taken }, { at, operation, request_id })
      }).pipe(Effect.orDie)
    )

  /** Whether the processor answered, about a part of a payment that went to its recipient. */
  const look = Effect.fnUntraced(function* (organisation_id: OrganisationId, transfer: Transfer.Transfer) {
    const known = yield* attempts.ofAllocation(organisation_id, transfer.id)
    const brought = broughtBy(known, transfer)
    if (brought === undefined || isUnderWay(known)) return true
    const loaded = yield* find({ organisation_id, id: brought.id })
    if (Option.isNone(loaded) || loaded.value.ask === null) return true
    const by = yield* Effect.result(loaded.value.ask.findReversal)
    if (Result.isFailure(by)) return false
    if (Option.isSome(by.success)) yield* write(loaded.value, by.success.value.reference)
    return true
  })

  /** Whether the processor answered about each of them; true of a charge that pays no set. */
  return Effect.fnUntraced(function* ({ organisation_id, subject_id }: TransferDoubt) {
    const id = readPayment(subject_id)
    const payment = Option.isNone(id) ? Option.none() : yield* payments.find(organisation_id, id.value)
    const arrived = Option.match(payment, {
      onNone: () => [],
      onSome: ({ allocations }) => allocations.filter(({ transfer_status }) => transfer_status === "succeeded")
    })
    const answers = yield* Effect.forEach(arrived.filter(Transfer.isDue), (transfer) => look(organisation_id, transfer))
    return answers.every((wasReached) => wasReached)
  })
})
