import { NoticeRecord } from "../../../domain/payments/Notice.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Notices, takes } from "../Notices.ts"

const notices = operationsOf(Notices)

/** The operations of {@link Notices}. */
export const noticeOperations = {
  list: notices.forOperator({
    says: "List what payment processors told of, newest first, and what became of it",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(NoticeRecord),
    run: (use, asked) => use.list(asked)
  }),
  read: notices.forOperator({
    says: "Show a notice of a payment processor",
    asks: asks.read,
    takes: takes.read,
    gives: NoticeRecord,
    run: (use, id) => use.read(id)
  }),
  retry: notices.forOperator({
    says: "Have a notice applied anew that was given up or ignored",
    asks: asks.retry,
    takes: takes.retry,
    gives: NoticeRecord,
    run: (use, id) => use.retry(id)
  }),
  unclaimed: notices.forInstallation({
    says: "List the notices of the installation's own accounts at processors that belong to no organisation",
    takes: takes.unclaimed,
    gives: pageOf(NoticeRecord),
    run: (use, asked) => use.unclaimed(asked)
  })
}
