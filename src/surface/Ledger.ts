export { Account, LedgerEntry, type Posting } from "../domain/payments/Ledger.ts"
