import { Schema } from "effect"
import { LedgerCheck, LedgerEntryRecord } from "../../../domain/payments/LedgerCheck.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Ledger, takes } from "../Ledger.ts"

const ledger = operationsOf(Ledger)

/** The operations of {@link Ledger}. */
export const ledgerOperations = {
  list: ledger.forOperator({
    says: "List what moved between the accounts of an organisation's books, newest first",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(LedgerEntryRecord),
    run: (use, asked) => use.list(asked)
  }),
  check: ledger.forInstallation({
    says: "Compute every balance of every organisation anew, and say what is wrong about it",
    takes: [],
    gives: Schema.Struct({ data: Schema.Array(LedgerCheck) }),
    run: (use) => use.check
  })
}
