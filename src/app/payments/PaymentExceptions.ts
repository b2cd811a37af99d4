import { Context, Effect, Layer } from "effect"
import { staffReads, staffWrites } from "../../domain/access/Policy.ts"
import { PaymentExceptionId } from "../../domain/kernel/Ids.ts"
import { PaymentExceptionRecord, Resolution, releasePostings } from "../../domain/payments/ExceptionResolution.ts"
import * as PaymentException from "../../domain/payments/PaymentException.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { PaymentExceptionStore } from "../../ports/payments/PaymentExceptionStore.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { keptIn, makeChange } from "../access/change/Change.ts"
import { body, id, operationsOf, operationTable, pageOf, query } from "../access/operation/Operation.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { makeCreditGifts } from "./bank/CreditGifts.ts"
import { makeLedgerWriter } from "./ledger/LedgerWriter.ts"

const operations = operationTable({
  list: {
    summary: "List what somebody must look at about money, newest first; open ones when nothing else is said",
    requires: staffReads("payment_exceptions.list"),
    input: [query(PaymentException.listing)],
    output: pageOf(PaymentExceptionRecord)
  },
  resolve: {
    summary: "Say what was done about it, and what became of the money that was held",
    requires: staffWrites("payment_exceptions.resolve"),
    input: [id(PaymentExceptionId, "payment exception"), body(Resolution)],
    output: PaymentExceptionRecord
  }
})

/** Exceptions about money that people resolve. money, section 2: Exception. */
export class PaymentExceptions extends Context.Service<PaymentExceptions>()("almoner/app/PaymentExceptions", {
  make: Effect.gen(function* () {
    const store = yield* PaymentExceptionStore
    const bookGift = yield* makeCreditGifts
    const writeLedger = yield* makeLedgerWriter
    const transaction = yield* Transaction

    const change = (yield* makeChange)({
      machine: PaymentException.machine,
      ...keptIn("payment exception", store)
    })

    const list = listMethod("PaymentExceptions.list", operations.list, store)

    /**
     * Says that somebody has looked, and what became of the money that was held: `as_gift` books it as a manual gift of the
     * day on which it came. Fails with {@link InvalidInput} of `money` where that is missing or there is none, of `as_gift` and
     * `donor_id` where no gift can be made of it, and with {@link IllegalTransition} for one that is resolved.
     */
    const resolve = Effect.fn("PaymentExceptions.resolve")(function* (id: PaymentExceptionId, input: Resolution) {
      const caller = yield* requireStaff(operations.resolve)
      const held = yield* change.take(caller.organisation, id)
      const { at, before } = held
      const by = `${caller.actor.type} ${caller.actor.id}`
      const { state } = yield* change.settle(operations.resolve.requires.name, held, [
        { _tag: "Resolve", at, note: input.note, by }
      ])
      const postings = yield* Effect.fromResult(releasePostings(before, input))
      if (input.as_gift === true)
        yield* bookGift(operations.resolve.requires.name, caller.organisation, before, input, at)
      yield* writeLedger(before, [{ cause: "exception", cause_id: id, postings }], at)
      return state
    }, transaction.run)

    return yield* serviceInOrganisationTime(operations, { list, resolve })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** The operations of {@link PaymentExceptions}. */
export const paymentExceptionOperations = operationsOf(PaymentExceptions, operations)
