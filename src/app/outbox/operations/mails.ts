import { listing, MailRecord } from "../../../domain/kernel/Mail.ts"
import { operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, Mails } from "../Mails.ts"

const mails = operationsOf(Mails)

/** The operations of {@link Mails}. */
export const mailOperations = {
  list: mails.forOperator({
    asks: asks.list,
    takes: [query(listing)],
    gives: pageOf(MailRecord),
    run: (use, asked) => use.list(asked)
  })
}
