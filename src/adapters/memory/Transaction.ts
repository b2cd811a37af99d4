import { Transaction } from "../../ports/kernel/Transaction.ts"
import { storeOf } from "./Memory.ts"

/** Transactions by snapshot and restore, one after the other. */
export const layer = storeOf(Transaction, ({ afterCommit, run }) => ({ afterCommit, run }))
