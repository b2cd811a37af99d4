import { type DateTime, Effect } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import type { LedgerEntry } from "../../../domain/payments/Ledger.ts"
import type { LedgerMove } from "../../../domain/payments/StepApplication.ts"
import { rateAt } from "../../../domain/payments/Tariff.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { LedgerStore } from "../../../ports/payments/LedgerStore.ts"
import { TariffStore } from "../../../ports/payments/TariffStore.ts"

/** The lookup of the platform's fees. money, section 5. */
export const makePlatformFeeLookup = Effect.map(TariffStore, (tariffs) => ({
  /** The rate of an organisation's plan at an instant, which a charge keeps. */
  of: ({ plan }: Organisation, at: DateTime.Utc) => Effect.map(tariffs.all, (all) => rateAt(all, plan, at))
}))

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
