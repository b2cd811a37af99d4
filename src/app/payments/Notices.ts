import { Context, DateTime, Effect, Layer } from "effect"
import { staffReads, staffWrites } from "../../domain/access/Policy.ts"
import { NoticeId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { decide } from "../../domain/kernel/Machine.ts"
import { listing, machine } from "../../domain/payments/Notice.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { NoticeStore } from "../../ports/payments/NoticeStore.ts"
import { checkedInTime } from "../access/steps/Checked.ts"
import { Journal } from "../access/steps/Journal.ts"
import { id, query } from "../access/steps/Operation.ts"
import { permittedToStaff } from "../access/steps/Permission.ts"
import { orNotFound } from "../kernel/steps/RecordChecks.ts"

const noticeId = id(NoticeId, "notice")

/** The scope that each operation requires. */
export const asks = {
  list: staffReads("notices.list"),
  read: staffReads("notices.read"),
  retry: staffWrites("notices.retry")
}

/** What each use case takes: the service refuses anything else. */
export const takes = {
  list: [query(listing)],
  read: [noticeId],
  retry: [noticeId],
  unclaimed: [query(listing)]
} as const

/** What payment processors told of, and what became of it. money, section 2: Notice. */
export class Notices extends Context.Service<Notices>()("almoner/app/Notices", {
  make: Effect.gen(function* () {
    const store = yield* NoticeStore
    const journal = yield* Journal
    const transaction = yield* Transaction

    /** A page of an organisation's notices, newest first. */
    const list = Effect.fn("Notices.list")(function* (query: ListQuery) {
      const { organisation } = yield* permittedToStaff(asks.list)
      return yield* store.list(organisation.id, query)
    })

    const read = Effect.fn("Notices.read")(function* (id: NoticeId) {
      const { organisation } = yield* permittedToStaff(asks.read)
      return yield* store.find(organisation.id, id).pipe(orNotFound("notice", id))
    })

    /** Has a notice applied anew that was given up or ignored. Fails with {@link IllegalTransition} for any other. */
    const retry = Effect.fn("Notices.retry")(function* (id: NoticeId) {
      const { organisation } = yield* permittedToStaff(asks.retry)
      yield* store.find(organisation.id, id).pipe(orNotFound("notice", id))
      const held = yield* store.hold(id).pipe(orNotFound("notice", id))
      const { state } = yield* Effect.fromResult(decide(machine, held, { _tag: "Retry", at: yield* store.now }))
      yield* store.update(state)
      yield* journal.write({ operation: asks.retry.name, subject_id: id, at: yield* DateTime.now, events: [] })
      return state
    }, transaction.run)

    /** A page of the notices that belong to no organisation: of the installation's own accounts at processors. */
    const unclaimed = Effect.fn("Notices.unclaimed")(function* (query: ListQuery) {
      return yield* store.unclaimed(query)
    })

    return yield* checkedInTime(asks, takes, { list, read, retry, unclaimed })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
