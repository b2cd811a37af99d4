import { DateTime, Effect } from "effect"
import { overlap } from "../../../domain/payments/Reconciliation.ts"
import type { NoticePage } from "../../../ports/payments/ProcessorNotices.ts"
import { NoticeReceiver } from "../notice/NoticeReceiver.ts"
import type { AccountRun, AccountRunFailure } from "./ChargeRepair.ts"

/** Applies the notices that were lost on their way. money, section 8. */
export const makeNoticeBackfill = Effect.gen(function* () {
  const { takeUnseen } = yield* NoticeReceiver

  /**
   * Takes what the processor lists from where the last time ended. What is kept is the place of a day ago: a processor may
   * list a notice later than another that it made after it.
   */
  return Effect.fnUntraced(function* (run: AccountRun): Effect.fn.Return<void, AccountRunFailure> {
    const settled = DateTime.subtractDuration(yield* DateTime.now, overlap)
    let cursor = run.reached().notices_cursor
    for (let hasMore = true; hasMore; ) {
      yield* run.pace
      const page: NoticePage = yield* run.processor.noticesSince(run.integration, cursor)
      run.count("notices_applied", yield* takeUnseen(run.integration, page.notices))
      const isOld = page.notices.every(({ created_at }) => DateTime.isLessThan(created_at, settled))
      yield* run.keep(isOld && page.notices.length > 0 ? { notices_cursor: page.cursor } : {})
      hasMore = page.has_more && page.cursor !== cursor
      cursor = page.cursor
    }
  })
})
