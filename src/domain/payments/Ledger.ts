import { Schema } from "effect"
import { ChargeId, LedgerEntryId, OrganisationId, RecipientAccountLinkId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { Cents, Currency, centsOf } from "../kernel/Money.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** Before the id of the link of a recipient, in the name of its account. */
const recipient = "recipient:"

const isRecipient = Schema.is(Schema.TemplateLiteral([recipient, RecipientAccountLinkId]))

/**
 * Whose the money of a transfer is: the account of a recipient, by its link. money, section 2: Ledger entry.
 * @example
 * const id = Ids.RecipientAccountLinkId.make("roal_01jqz6x8h4e5vb9m2k7ncw3t5d")
 * Ledger.recipientOf(id) // => "recipient:roal_01jqz6x8h4e5vb9m2k7ncw3t5d"
 */
export const recipientOf = (id: RecipientAccountLinkId): Account => `${recipient}${id}`

/** The accounts of which there is one in each organisation's books. */
export const SingleAccount = Schema.Literals([
  "donor",
  "bank",
  "unmatched",
  "held",
  "processor_fees",
  "platform_fees",
  "organisation",
  "disputed"
]).annotate({ identifier: "SingleLedgerAccount" })

/** The accounts of which balances tell; `recipients` stands for those of all recipients together. */
export const BalancedAccount = Schema.Literals([...SingleAccount.literals, "recipients"]).annotate({
  identifier: "BalancedLedgerAccount"
})
export type BalancedAccount = typeof BalancedAccount.Type

/**
 * Where money is. `donor` and `bank` are the world outside, from which it comes and to which it goes back; `unmatched` is on
 * the organisation's bank account and belongs to nobody yet; `held` is neither the organisation's nor gone: refunds and
 * transfers under way, and what a person must look at. `recipient:` and the id of a link are what went to that recipient. money, section 2: Ledger entry.
 */
export const Account = Schema.Union([
  SingleAccount,
  Schema.TemplateLiteral([recipient, RecipientAccountLinkId])
]).annotate({ identifier: "LedgerAccount" })
export type Account = typeof Account.Type

/** The cause of an entry. */
export const Cause = Schema.Literals([
  "charge",
  "refund",
  "dispute",
  "credit",
  "exception",
  "transfer",
  "reversal"
]).annotate({ identifier: "LedgerCause" })
export type Cause = typeof Cause.Type

/** Cents that moved from one account to another. It is written once and never changed. */
export class LedgerEntry extends Schema.Opaque<LedgerEntry>()(
  Schema.Struct({
    id: LedgerEntryId,
    organisation_id: OrganisationId,
    /** The charge whose money it is; null for a credit that no charge was found for. */
    charge_id: Schema.NullOr(ChargeId),
    cause: Cause,
    cause_id: Schema.String,
    from_account: Account,
    to_account: Account,
    amount_cents: Cents.check(Schema.isGreaterThan(0)),
    currency: Currency,
    at: Instant
  }).annotate({ identifier: "LedgerEntry" })
) {}

/** The list of ledger entries. */
export const listing = {
  filters: {
    charge_id: { kind: "text", description: "The charge whose money moved" },
    cause: { kind: "enum", values: Cause.literals, description: "What moved it" },
    at: { kind: "timestamp", column: "created_at", description: "When it moved" }
  }
} as const satisfies ListSpec

/** A movement before it is written. */
export interface Posting {
  readonly from_account: Account
  readonly to_account: Account
  readonly amount_cents: number
}

/**
 * A movement of an amount; none where the amount is 0. Throws a `RangeError` for what is no amount.
 * @example
 * Ledger.posting("donor", "held", 5) // => [{ from_account: "donor", to_account: "held", amount_cents: 5 }]
 * Ledger.posting("donor", "held", 0) // => []
 * Ledger.posting("donor", "held", -5) // => throws RangeError
 */
export const posting = (from_account: Account, to_account: Account, amount_cents: number): ReadonlyArray<Posting> =>
  centsOf("amount_cents", amount_cents) === 0 ? [] : [{ from_account, to_account, amount_cents }]

/** The balance of each account, minor units; sums are exact at any size. */
export type Balances = Readonly<Record<BalancedAccount, bigint>>

const balanced = (account: Account): BalancedAccount => (isRecipient(account) ? "recipients" : account)

/**
 * The balances after some movements. They add up to 0, whatever moved.
 * @example
 * const balances = Ledger.balancesOf(Ledger.posting("donor", "held", 50_00))
 * balances.donor // => -5_000n
 * Object.values(balances).reduce((sum, balance) => sum + balance) // => 0n
 */
export const balancesOf = (postings: Iterable<Posting>): Balances => {
  const balances: Record<BalancedAccount, bigint> = {
    donor: 0n,
    bank: 0n,
    unmatched: 0n,
    held: 0n,
    processor_fees: 0n,
    platform_fees: 0n,
    organisation: 0n,
    disputed: 0n,
    recipients: 0n
  }
  for (const { amount_cents, from_account, to_account } of postings) {
    const cents = BigInt(centsOf("amount_cents", amount_cents))
    balances[balanced(from_account)] -= cents
    balances[balanced(to_account)] += cents
  }
  return balances
}

/** The accounts that may be below 0: the world outside, and an organisation that owes. money, section 2: Ledger entry. */
const mayBeNegative: ReadonlySet<BalancedAccount> = new Set(["donor", "bank", "organisation"])

/**
 * The accounts that hold less than nothing, which is an error in the books.
 * @example
 * Ledger.overdrawn(Ledger.balancesOf(Ledger.posting("organisation", "donor", 1))) // => []
 * Ledger.overdrawn(Ledger.balancesOf(Ledger.posting("held", "donor", 1))) // => ["held"]
 */
export const overdrawn = (balances: Balances): ReadonlyArray<BalancedAccount> =>
  BalancedAccount.literals.filter((account) => balances[account] < 0n && !mayBeNegative.has(account))
