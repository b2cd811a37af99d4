import { Effect } from "effect"
import { NoticeId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { decide } from "../../domain/kernel/Machine.ts"
import { listing, machine, NoticeRecord } from "../../domain/payments/Notice.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { NoticeStore } from "../../ports/payments/NoticeStore.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { id, operationsOf, pageOf, query } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod, readMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"

const noticeId = id(NoticeId, "notice")

const operations = Row.table("notices", {
  list: Row.staffList(
    "List the webhooks of payment processors, newest first, and the state of each",
    listing,
    NoticeRecord
  ),
  read: Row.staffRead("Show a webhook of a payment processor", [noticeId], NoticeRecord),
  retry: Row.staffChange(
    "Apply a webhook of a payment processor again that was given up or ignored",
    [noticeId],
    NoticeRecord
  ),
  unclaimed: Row.keeper(
    "List the webhooks of the installation's own accounts at processors that belong to no organisation",
    [query(listing)],
    pageOf(NoticeRecord)
  )
})

/** The notices of payment processors and their results. money, section 2: Notice. */
export class Notices extends Service<Notices>()("almoner/app/Notices", function* () {
  const store = yield* NoticeStore
  const changeLog = yield* ChangeLog
  const transaction = yield* Transaction

  /** A page of an organisation's notices, newest first. */
  const list = listMethod("Notices.list", operations.list, store)
  const read = readMethod("Notices.read", operations.read, "notice", store)

  /** Has a notice applied anew that was given up or ignored. Fails with {@link IllegalTransition} for any other. */
  const retry = Effect.fn("Notices.retry")(function* (id: NoticeId) {
    const { organisation } = yield* requireStaff(operations.retry)
    yield* store.find(organisation.id, id).pipe(orNotFound("notice", id))
    const held = yield* store.hold(id).pipe(orNotFound("notice", id))
    const { state } = yield* Effect.fromResult(decide(machine, held, { _tag: "Retry", at: yield* store.now }))
    yield* store.update(state)
    yield* changeLog.write({
      operation: operations.retry.requires.name,
      subject_id: id,
      at: yield* organisationNow,
      events: []
    })
    return state
  }, transaction.run)

  /** A page of the notices that belong to no organisation: of the installation's own accounts at processors. */
  const unclaimed = Effect.fn("Notices.unclaimed")(function* (query: ListQuery) {
    return yield* store.unclaimed(query)
  })

  return yield* serviceInOrganisationTime(operations, { list, read, retry, unclaimed })
}) {}

/** The operations of {@link Notices}. */
export const noticeOperations = operationsOf(Notices, operations)
