import { listing, MailRecord } from "../../domain/kernel/Mail.ts"
import { MailOutbox } from "../../ports/kernel/MailOutbox.ts"
import { operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"

const operations = Row.table("mails", {
  list: Row.staffList(
    "List mails, newest first: what was sent, what waits until when and for which budget",
    listing,
    MailRecord
  )
})

/** Reads the mails of an organisation, sent or waiting, without address and text. docs/decisions/0027. */
export class Mails extends Service<Mails>()("almoner/app/Mails", function* () {
  const outbox = yield* MailOutbox

  /** A page of mails, newest first. For operators. */
  const list = listMethod("Mails.list", operations.list, outbox)

  return checkedService(operations, { list })
}) {}

/** The operations of {@link Mails}. */
export const mailOperations = operationsOf(Mails, operations)
