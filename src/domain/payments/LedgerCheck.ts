import { Schema, Struct } from "effect"
import { OrganisationId } from "../kernel/Ids.ts"
import type { Disagreement, What } from "./Disagreement.ts"
import { BalancedAccount, type Balances, LedgerEntry, overdrawn } from "./Ledger.ts"

/** A ledger entry as staff see it. */
export const LedgerEntryRecord = LedgerEntry.mapFields((fields) => ({
  ...Struct.omit(fields, ["organisation_id"]),
  // Accounts of recipients are texts of any id: printed types cannot say more of them.
  from_account: Schema.String,
  to_account: Schema.String
})).annotate({
  identifier: "LedgerEntryRecord",
  meanings: {
    from_account: "Where the money was: an account of the books, or `recipient:` and the id of a link.",
    to_account: "Where it went, likewise."
  }
})

/** The balances of an organisation in one currency, minor units as texts of any length, and what is wrong about them. */
export const LedgerCheck = Schema.Struct({
  organisation_id: OrganisationId,
  currency: Schema.String,
  balances: Schema.Record(BalancedAccount, Schema.String),
  faults: Schema.Array(Schema.String)
}).annotate({ identifier: "LedgerCheck" })
export type LedgerCheck = typeof LedgerCheck.Type

interface Kept {
  readonly organisation_id: OrganisationId
  readonly currency: string
  readonly balances: Balances
  readonly held_by_records: bigint
  readonly disagreements: ReadonlyArray<Disagreement>
}

const disagreeing: Readonly<Record<What, string>> = {
  taken: "what was taken for it",
  fees: "its fees",
  refunded: "what was refunded of it",
  disputed: "what of it is disputed",
  transferred: "what was transferred of it",
  attempts: "its transfers to recipients",
  recipients: "the gifts of its recipients",
  invoice: "its invoice",
  gift: "its gift",
  currency: "its currency"
}

const faultsOf = ({ balances, disagreements, held_by_records }: Kept): ReadonlyArray<string> => {
  const sum = BalancedAccount.literals.reduce((total, account) => total + balances[account], 0n)
  return [
    ...(sum === 0n ? [] : [`The accounts add up to ${sum}, and not to 0.`]),
    ...overdrawn(balances).map(
      (account) => `The account ${account} has ${balances[account]}, which is less than nothing.`
    ),
    ...(balances.held === held_by_records
      ? []
      : [
          `The account held has ${balances.held}; pending refunds and transfers and open exceptions say ${held_by_records}.`
        ]),
    ...disagreements.map(
      ({ charge_id, what }) => `The charge ${charge_id} and the books disagree about ${disagreeing[what]}.`
    )
  ]
}

/** The faults of an organisation's books. money, section 2: Ledger entry. */
export const checkOf = (kept: Kept): LedgerCheck => ({
  organisation_id: kept.organisation_id,
  currency: kept.currency,
  balances: {
    donor: String(kept.balances.donor),
    bank: String(kept.balances.bank),
    unmatched: String(kept.balances.unmatched),
    held: String(kept.balances.held),
    processor_fees: String(kept.balances.processor_fees),
    platform_fees: String(kept.balances.platform_fees),
    organisation: String(kept.balances.organisation),
    disputed: String(kept.balances.disputed),
    recipients: String(kept.balances.recipients)
  },
  faults: faultsOf(kept)
})
