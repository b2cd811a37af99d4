import { CreditImportResult, CreditRecord } from "../../../domain/payments/Credit.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Credits, takes } from "../Credits.ts"

const credits = operationsOf(Credits)

/** The operations of {@link Credits}. */
export const creditOperations = {
  import: credits.forOperator({
    says: "Import a file of a bank statement: each line counts once, and pays the gift whose reference it names",
    asks: asks.import,
    takes: takes.import,
    gives: CreditImportResult,
    run: (use, input) => use.import(input)
  }),
  record: credits.forOperator({
    says: "Record one line of a bank statement by hand",
    asks: asks.record,
    takes: takes.record,
    gives: CreditRecord,
    run: (use, input) => use.record(input)
  }),
  read: credits.forOperator({
    says: "Show a line of a bank statement",
    asks: asks.read,
    takes: takes.read,
    gives: CreditRecord,
    run: (use, id) => use.read(id)
  }),
  list: credits.forOperator({
    says: "List what came to bank accounts, newest first",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(CreditRecord),
    run: (use, asked) => use.list(asked)
  })
}
