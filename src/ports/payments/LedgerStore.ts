import type { Effect } from "effect"
import { Context } from "effect"
import type { LedgerEntryId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { Disagreement } from "../../domain/payments/Disagreement.ts"
import type { Balances, LedgerEntry } from "../../domain/payments/Ledger.ts"
import type { RecordReader } from "../kernel/RecordStore.ts"

/** The balances of one organisation in one currency. */
export interface OrganisationBalances {
  readonly organisation_id: OrganisationId
  readonly currency: string
  readonly balances: Balances
  /** The sum that PENDING refunds and open exceptions hold, minor units. */
  readonly held_by_records: bigint
  /** The sum of payments to bank accounts that wait for the rest of a gift's money, minor units. */
  readonly unmatched_by_records: bigint
  /**
   * Records of which the books say something else (`disagreementOf`, `misbookedRecords`), and payments that nothing paid: the
   * first {@link shownMaximum}.
   */
  readonly disagreements: ReadonlyArray<Disagreement>
}

/** The most records of an organisation and currency that are named. */
export const shownMaximum = 20

/** Keeps the ledger. What was written MUST never change nor go, whoever asks the database. */
export class LedgerStore extends Context.Service<
  LedgerStore,
  RecordReader<LedgerEntry, LedgerEntryId> & {
    append(entries: ReadonlyArray<LedgerEntry>): Effect.Effect<void>
    /** The balances of every organisation that has entries or charges, computed anew from all of them at one moment. */
    readonly balances: Effect.Effect<ReadonlyArray<OrganisationBalances>>
  }
>()("almoner/ports/LedgerStore") {}
