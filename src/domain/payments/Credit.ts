import { Schema, Struct } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { clearable } from "../kernel/Fields.ts"
import { ChargeId, CreditId, IntegrationId, OrganisationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { Cents, Currency, CurrencyInUse } from "../kernel/Money.ts"
import { GivenId, TextUpTo } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"

const meanings = {
  integration_id: "The organisation's account at the bank that the money came to.",
  account: "BSB and number of the account as they were then.",
  day: "The day on which the bank has it.",
  amount_cents: "How much came, in minor units of the currency.",
  text: "What the statement says, white space run together.",
  reference: "The reference of a charge that was found in the text; null where none was.",
  digest: "SHA-256 of day, amount and text: a line that is imported again is known by it.",
  number: "Which it is of the lines that are alike, from 1.",
  charge_id: "The charge that it pays; null where it pays none, and a payment exception says why."
}

const amount = Cents.check(Schema.isGreaterThan(0))

/** A line of a bank statement: money that came. It is written once. money, section 2: Credit. */
export class Credit extends Schema.Opaque<Credit>()(
  Schema.Struct({
    id: CreditId,
    organisation_id: OrganisationId,
    integration_id: IntegrationId,
    account: Schema.String,
    day: CalendarDate,
    amount_cents: amount,
    currency: Currency,
    text: Schema.String,
    reference: Schema.NullOr(Schema.String),
    digest: Schema.String,
    number: Schema.Int.check(Schema.isGreaterThan(0)),
    charge_id: Schema.NullOr(ChargeId),
    created_at: Instant
  }).annotate({ identifier: "StoredCredit" })
) {}

/** A credit as staff see it. */
export const CreditRecord = Credit.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "Credit",
  meanings
})

/** The list of credits. */
export const listing = {
  filters: {
    integration_id: { kind: "text", description: "The account that the money came to" },
    charge_id: { kind: "text", description: "The charge that it pays" },
    reference: { kind: "text", description: "The reference that was found" },
    created_at: { kind: "timestamp", description: "When it was recorded" }
  }
} as const satisfies ListSpec

/**
 * Which lines are alike: the texts of two exports differ in white space at most.
 *
 * @example
 * ```ts
 * const line = { day: CalendarDate.CalendarDate.make("2026-04-02"), amount_cents: 50_00, text: 'GIFT "KIM"' }
 * Credit.digestedText(line) // => '["2026-04-02",5000,"GIFT \\"KIM\\""]'
 * ```
 */
export const digestedText = ({ amount_cents, day, text }: Pick<Credit, "amount_cents" | "day" | "text">): string =>
  JSON.stringify([day, amount_cents, text])

/**
 * The text of a line as it is kept.
 * @example Credit.keptText("  GIFT\t KIM \n LEE ") // => "GIFT KIM LEE"
 */
export const keptText = (text: string): string => text.replace(/\s+/gu, " ").trim()

/** A credit that a person records. */
export const NewCredit = Schema.Struct({
  integration_id: GivenId,
  day: CalendarDate,
  amount_cents: amount,
  currency: clearable(CurrencyInUse),
  text: TextUpTo(Limits.creditTextCharacters),
  number: clearable(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.creditLines })))
}).annotate({
  identifier: "NewCredit",
  meanings: {
    ...meanings,
    text: "What the statement says; the donor's reference is looked for in it.",
    currency: "The currency of the account, which is taken when not given.",
    number: "Which it is of the lines that are alike; 1 when not given."
  }
})
export type NewCredit = typeof NewCredit.Type

/** The result of an import. */
export const CreditImportResult = Schema.Struct({
  /** Lines of the file that tell of money. */
  lines: Schema.Int,
  /** Lines that took money away, or moved none: these are no credits. */
  skipped: Schema.Int,
  /** Lines that were recorded before. */
  known: Schema.Int,
  recorded: Schema.Int,
  /** Of those recorded, how many pay a charge. */
  matched: Schema.Int,
  /** How many need somebody to look. */
  exceptions: Schema.Int,
  is_dry_run: Schema.Boolean
}).annotate({
  identifier: "CreditImportResult",
  meanings: {
    lines: "Lines of the file, without its heading.",
    skipped: "Lines by which no money came.",
    known: "Lines that were recorded before.",
    recorded: "Lines that were recorded now.",
    matched: "Lines of those that pay a charge.",
    exceptions: "What somebody must look at now.",
    is_dry_run: "Whether nothing was kept of it."
  }
})
export type CreditImportResult = typeof CreditImportResult.Type
