import { DateTime, Effect } from "effect"
import type { Caller } from "../../domain/access/Caller.ts"
import { startOfDay } from "../../domain/kernel/CalendarDate.ts"
import { PaymentExceptionId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { type ListQuery, parse } from "../../domain/kernel/Listing.ts"
import {
  heldSums,
  ManyResolutions,
  ManyResolved,
  PaymentExceptionRecord,
  Resolution
} from "../../domain/payments/ExceptionResolution.ts"
import { PaymentExceptionDetail } from "../../domain/payments/GiftCandidate.ts"
import * as PaymentException from "../../domain/payments/PaymentException.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { PaymentExceptionStore } from "../../ports/payments/PaymentExceptionStore.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makeExceptionResolver } from "./bank/ExceptionResolver.ts"
import { makeGiftCandidates } from "./exception/GiftCandidates.ts"

const operations = Row.table("payment_exceptions", {
  list: Row.staffList(
    "List what somebody must look at about money, newest first; open ones when nothing else is said",
    PaymentException.listing,
    PaymentExceptionDetail
  ),
  read: Row.staffRead(
    "Show what somebody must look at, and the gifts that a payment to a bank account may be for",
    [id(PaymentExceptionId, "payment exception")],
    PaymentExceptionDetail
  ),
  resolve: Row.staffChange(
    "Say what was done about it, and what became of the money that was held",
    [id(PaymentExceptionId, "payment exception"), body(Resolution)],
    PaymentExceptionRecord
  ),
  resolveAll: Row.staffChange(
    "Resolve open exceptions of one kind from before a day, all in the same way",
    [body(ManyResolutions)],
    ManyResolved
  )
})

/** Exceptions about money that people resolve. money, section 2: Exception. */
export class PaymentExceptions extends Service<PaymentExceptions>()("almoner/app/PaymentExceptions", function* () {
  const store = yield* PaymentExceptionStore
  const resolver = yield* makeExceptionResolver
  const transaction = yield* Transaction

  const withCandidates = yield* makeGiftCandidates

  /** A page of exceptions, each with the gifts that its money may be for. */
  const list = Effect.fn("PaymentExceptions.list")(function* (query: ListQuery) {
    const { organisation } = yield* requireStaff(operations.list)
    const { data, has_more } = yield* store.list(organisation.id, query)
    return { data: yield* withCandidates(organisation, data), has_more }
  })

  /** An exception, with the gifts that its money may be for. */
  const read = Effect.fn("PaymentExceptions.read")(function* (id: PaymentExceptionId) {
    const { organisation } = yield* requireStaff(operations.read)
    const found = yield* store.find(organisation.id, id).pipe(orNotFound("payment exception", id))
    const [shown] = yield* withCandidates(organisation, [found])
    return shown ?? (yield* Effect.die(new Error(`The exception ${id} was not shown`)))
  })

  /**
   * Says that somebody has looked, and what became of the money that was held: `as_gift` books it as a manual gift of the
   * day on which it came. Fails with {@link InvalidInput} of `money` where that is missing, there is none or it came, of
   * `as_gift` and `donor_id` where no gift can be made of it, and with {@link IllegalTransition} for one that is resolved.
   */
  const resolve = Effect.fn("PaymentExceptions.resolve")(function* (id: PaymentExceptionId, input: Resolution) {
    const caller = yield* requireStaff(operations.resolve)
    return yield* resolver(operations.resolve.requires.name, caller, id, input)
  }, transaction.run)

  /** Open exceptions of a kind from before a day, the newest first, as many as are resolved at once. */
  const openBefore = ({ organisation }: Caller, { before, kind }: ManyResolutions) => {
    const asked = [
      ["kind", kind],
      ["status", "OPEN"],
      ["created_at[lt]", DateTime.formatIso(startOfDay(before, organisation.timezone))],
      ["limit", String(Limits.pageMaximum)]
    ] as const
    return Effect.flatMap(Effect.fromResult(parse(PaymentException.listing, asked)), (query) =>
      store.list(organisation.id, query)
    ).pipe(Effect.orDie)
  }

  const writeMany = Effect.fnUntraced(function* (caller: Caller, input: ManyResolutions) {
    const { data, has_more } = yield* openBefore(caller, input)
    const is_dry_run = input.is_dry_run === true
    for (const { held_cents, id } of data) {
      const money = held_cents === 0 ? null : (input.money ?? null)
      yield* resolver(operations.resolveAll.requires.name, caller, id, { note: input.note, money })
    }
    const result: ManyResolved = {
      count: data.length,
      held: heldSums(data),
      ids: data.map(({ id }) => id),
      has_more,
      is_dry_run
    }
    if (is_dry_run) return yield* Effect.fail({ _tag: "Rehearsed", result } as const)
    return result
  }, transaction.run)

  /** Resolves open exceptions of a kind at once, all in the same way or none. Fails as {@link resolve} does. */
  const resolveAll = Effect.fn("PaymentExceptions.resolveAll")(function* (input: ManyResolutions) {
    const caller = yield* requireStaff(operations.resolveAll)
    return yield* writeMany(caller, input).pipe(Effect.catchTag("Rehearsed", ({ result }) => Effect.succeed(result)))
  })

  return yield* serviceInOrganisationTime(operations, { list, read, resolve, resolveAll })
}) {}

/** The operations of {@link PaymentExceptions}. */
export const paymentExceptionOperations = operationsOf(PaymentExceptions, operations)
