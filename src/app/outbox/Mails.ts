import { Context, Effect, Layer } from "effect"
import { staffReads } from "../../domain/access/Policy.ts"
import { listing, MailRecord } from "../../domain/kernel/Mail.ts"
import { MailOutbox } from "../../ports/kernel/MailOutbox.ts"
import { listRow, operationsOf, operationTable } from "../access/operation/Operation.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"

const operations = operationTable({
  list: listRow(
    "List mails, newest first: what was sent, what waits until when and for which budget",
    staffReads("mails.list"),
    listing,
    MailRecord
  )
})

/** Reads the mails of an organisation, sent or waiting, without address and text. docs/decisions/0027. */
export class Mails extends Context.Service<Mails>()("almoner/app/Mails", {
  make: Effect.gen(function* () {
    const outbox = yield* MailOutbox

    /** A page of mails, newest first. For operators. */
    const list = listMethod("Mails.list", operations.list, outbox)

    return checkedService(operations, { list })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** The operations of {@link Mails}. */
export const mailOperations = operationsOf(Mails, operations)
