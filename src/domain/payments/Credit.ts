import { Schema, Struct } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { clearable } from "../kernel/Fields.ts"
import { ChargeId, CreditId, IntegrationId, OrganisationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { Cents, Currency, CurrencyInUse } from "../kernel/Money.ts"
import { GivenId, LongText, TextUpTo, visibleChecks } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"

const meanings = {
  integration_id: "The organisation's account at the bank that the money came to.",
  account: "BSB and number of the account as they were then.",
  day: "The day on which the bank has it.",
  amount_cents: "How much came, in minor units of the currency.",
  text: "What the statement says, white space run together.",
  reference: "The reference of a charge that was found in the text; null where none was.",
  digest: "SHA-256 of day, amount and text, as lines that are alike have it.",
  number: "Which it is of the lines that are alike, from 1.",
  bank_id: "The bank's own id of it; null where the statement had none.",
  balance_cents: "The balance of the account after it; null where the statement had none.",
  import_id: "The file that it came with, by its content; null where a person recorded it.",
  part_of: "The payment of which it is a part that a person had pay a gift; null for a line of a statement.",
  voided_at: "When it was found that the money never came; null where it did.",
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
    bank_id: Schema.NullOr(Schema.String),
    balance_cents: Schema.NullOr(Schema.Int),
    import_id: Schema.NullOr(Schema.String),
    voided_at: Schema.NullOr(Instant),
    part_of: Schema.NullOr(CreditId),
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
    import_id: { kind: "text", description: "The file that it came with" },
    reference: { kind: "text", description: "The reference that was found" },
    created_at: { kind: "timestamp", description: "When it was recorded" }
  }
} as const satisfies ListSpec

/**
 * The text of a line as it is kept.
 * @example Credit.keptText("  GIFT\t KIM \n LEE ") // => "GIFT KIM LEE"
 */
export const keptText = (text: string): string => text.replace(/\s+/gu, " ").trim()

const pending = /^\W*pending\b\W*/iu

/**
 * Whether a line says of itself that it is pending.
 * @example Credit.isPending("PENDING - GIFT KIM") // => true
 */
export const isPending = (text: string): boolean => pending.test(text)

/**
 * The text by which lines are alike: two exports may differ in case, white space, width, invisible characters, how accents are
 * composed, and in a line's having been pending.
 * @example Credit.foldedText("Pending: ＧＩＦＴ  Zoe\u0301") // => "GIFT ZOÉ"
 */
export const foldedText = (text: string): string =>
  keptText(
    text
      .normalize("NFKC")
      .replace(/\p{Cf}/gu, "")
      .replace(pending, "")
  ).toUpperCase()

/**
 * What lines that are alike have in common.
 * @example
 * const line = { day: CalendarDate.CalendarDate.make("2026-04-02"), amount_cents: 50_00, text: 'Gift "Kim"' }
 * Credit.digestedText(line) // => '["2026-04-02",5000,"GIFT \\"KIM\\""]'
 */
export const digestedText = ({ amount_cents, day, text }: Pick<Credit, "amount_cents" | "day" | "text">): string =>
  JSON.stringify([day, amount_cents, foldedText(text)])

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
    number: "Which it is of the lines of its day and amount; 1 when not given."
  }
})
export type NewCredit = typeof NewCredit.Type

/** The result of an import. */
export const CreditImportResult = Schema.Struct({
  /** Lines of the file that tell of money. */
  lines: Schema.Int,
  skipped: Schema.Int,
  passed_over: Schema.Int,
  passed: Schema.Array(Schema.Struct({ line: Schema.Int, says: Schema.String })),
  known: Schema.Int,
  recorded: Schema.Int,
  matched: Schema.Int,
  /** How many need somebody to look. */
  exceptions: Schema.Int,
  import_id: Schema.String,
  is_dry_run: Schema.Boolean
}).annotate({
  identifier: "CreditImportResult",
  meanings: {
    lines: "Lines of the file, without its heading.",
    skipped: "Lines by which no money came.",
    passed_over: "Lines that are no payments, and were passed over.",
    passed: "The first of those, each with what it is.",
    known: "Lines that were recorded before.",
    recorded: "Lines that were recorded now.",
    matched: "Lines of those that pay a charge.",
    exceptions: "What somebody must look at now.",
    import_id: "The file, by its content: with it the import is undone.",
    is_dry_run: "Whether nothing was kept of it."
  }
})
export type CreditImportResult = typeof CreditImportResult.Type

/** What came of lines of a file, in numbers. */
export type CreditCounts = Omit<CreditImportResult, "import_id" | "is_dry_run" | "passed" | "passed_over">

/** Those of no line. */
export const noCounts: CreditCounts = { lines: 0, skipped: 0, known: 0, recorded: 0, matched: 0, exceptions: 0 }

/** Those of two parts of a file. */
export const addCounts = (one: CreditCounts, other: CreditCounts): CreditCounts => ({
  lines: one.lines + other.lines,
  skipped: one.skipped + other.skipped,
  known: one.known + other.known,
  recorded: one.recorded + other.recorded,
  matched: one.matched + other.matched,
  exceptions: one.exceptions + other.exceptions
})

const note = LongText.check(...visibleChecks("why it never came"))

/** Why a payment is voided. */
export const CreditVoid = Schema.Struct({ note }).annotate({
  identifier: "CreditVoid",
  meanings: { note: "Why it never came." }
})
export type CreditVoid = typeof CreditVoid.Type

/** A file whose import is undone. */
export const ImportUndo = Schema.Struct({
  import_id: GivenId,
  note,
  is_dry_run: clearable(Schema.Boolean)
}).annotate({
  identifier: "CreditImportUndo",
  meanings: {
    import_id: "The id of the import.",
    note: "Why its payments never came.",
    is_dry_run: "Whether to say what would be voided, and keep nothing."
  }
})
export type ImportUndo = typeof ImportUndo.Type

/** What came of undoing an import. */
export const ImportUndone = Schema.Struct({
  import_id: Schema.String,
  voided: Schema.Int,
  amount_cents: Schema.Int,
  is_dry_run: Schema.Boolean
}).annotate({
  identifier: "CreditImportUndone",
  meanings: {
    import_id: "The id of the import.",
    voided: "How many payments were voided.",
    amount_cents: "How much they were together, in minor units.",
    is_dry_run: "Whether nothing was kept of it."
  }
})
export type ImportUndone = typeof ImportUndone.Type
