import { Effect, Schema } from "effect"
import { listing } from "../../domain/payments/Ledger.ts"
import { checkOf, LedgerCheck, LedgerEntryRecord } from "../../domain/payments/LedgerCheck.ts"
import { LedgerStore } from "../../ports/payments/LedgerStore.ts"
import { operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"

const operations = Row.table("ledger", {
  list: Row.staffList(
    "List what moved between the accounts of an organisation's books, newest first",
    listing,
    LedgerEntryRecord
  ),
  check: Row.keeper(
    "Compute every balance of every organisation anew, and say what is wrong about it",
    [],
    Schema.Struct({ data: Schema.Array(LedgerCheck) })
  )
})

/** The books: every cent that moved, and whether they add up. money, section 2: Ledger entry. */
export class Ledger extends Service<Ledger>()("almoner/app/Ledger", function* () {
  const store = yield* LedgerStore

  const list = listMethod("Ledger.list", operations.list, store)

  /** The balances of all organisations, computed anew, each with what is wrong about it. For operators. */
  const check = Effect.map(store.balances, (all) => ({ data: all.map(checkOf) }))

  return yield* serviceInOrganisationTime(operations, { list, check })
}) {}

/** The operations of {@link Ledger}. */
export const ledgerOperations = operationsOf(Ledger, operations)
