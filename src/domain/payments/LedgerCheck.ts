import { Record, Schema, Struct } from "effect"
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
  readonly unmatched_by_records: bigint
  readonly disagreements: ReadonlyArray<Disagreement>
}

/** What a charge and the books disagree about. */
const ofCharge: Readonly<Record<Exclude<What, "unpaid" | "record">, string>> = {
  taken: "what was taken for it",
  credits: "the payments to a bank account that it was paid with",
  fees: "its fees",
  refunded: "what was refunded of it",
  disputed: "what of it is disputed",
  transferred: "what was transferred of it",
  attempts: "its transfers to recipients",
  recipients: "its payment and the gifts of its recipients",
  invoice: "its invoice",
  gift: "its gift",
  currency: "its currency"
}

const sentenceOf = ({ subject_id, what }: Disagreement): string => {
  if (what === "unpaid") return `The payment ${subject_id} says that it is paid, and no charge paid it.`
  return what === "record"
    ? `The record ${subject_id} and its entries in the books disagree, or one of them is missing.`
    : `The charge ${subject_id} and the books disagree about ${ofCharge[what]}.`
}

const different = (account: "held" | "unmatched", balances: Balances, records: bigint, what: string) =>
  balances[account] === records ? [] : [`The account ${account} has ${balances[account]}; ${what} say ${records}.`]

const faultsOf = (kept: Kept): ReadonlyArray<string> => {
  const { balances, disagreements, held_by_records, unmatched_by_records } = kept
  const sum = BalancedAccount.literals.reduce((total, account) => total + balances[account], 0n)
  return [
    ...(sum === 0n ? [] : [`The accounts add up to ${sum}, and not to 0.`]),
    ...overdrawn(balances).map(
      (account) => `The account ${account} has ${balances[account]}, which is less than nothing.`
    ),
    ...different("held", balances, held_by_records, "pending refunds and transfers and open exceptions"),
    ...different("unmatched", balances, unmatched_by_records, "payments for gifts that wait for the rest"),
    ...disagreements.map(sentenceOf)
  ]
}

/** The faults of an organisation's books. money, section 2: Ledger entry. */
export const checkOf = (kept: Kept): LedgerCheck => ({
  organisation_id: kept.organisation_id,
  currency: kept.currency,
  balances: Record.map(kept.balances, String),
  faults: faultsOf(kept)
})
