import { type DateTime, Effect } from "effect"
import type { LedgerEntry } from "../../../domain/payments/Ledger.ts"
import type { LedgerMove } from "../../../domain/payments/StepApplication.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { LedgerStore } from "../../../ports/payments/LedgerStore.ts"

/** Writes movements of money to the ledger, in the surrounding transaction. */
export const makeLedgerWriter = Effect.gen(function* () {
  const ledger = yield* LedgerStore
  const tokens = yield* Tokens

  return Effect.fnUntraced(function* (
    { charge_id, currency, organisation_id }: Pick<LedgerEntry, "charge_id" | "currency" | "organisation_id">,
    moved: ReadonlyArray<LedgerMove>,
    at: DateTime.Utc
  ) {
    const entries: Array<LedgerEntry> = []
    for (const { cause, cause_id, postings } of moved) {
      for (const posting of postings) {
        const id = yield* tokens.id("ledgerEntry")
        entries.push({ id, organisation_id, charge_id, cause, cause_id, ...posting, currency, at })
      }
    }
    if (entries.length > 0) yield* ledger.append(entries)
  })
})
