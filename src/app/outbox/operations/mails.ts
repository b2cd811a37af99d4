import { MailRecord } from "../../../domain/kernel/Mail.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Mails, takes } from "../Mails.ts"

const mails = operationsOf(Mails)

/** The operations of {@link Mails}. */
export const mailOperations = {
  list: mails.forOperator({
    says: "List mails, newest first: what was sent, what waits until when and for which budget",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(MailRecord),
    run: (use, asked) => use.list(asked)
  })
}
