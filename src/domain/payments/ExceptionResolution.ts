import { Result, Schema, Struct } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { clearable, type Forms, type InForms, inForms } from "../kernel/Fields.ts"
import { Limits } from "../kernel/Limits.ts"
import { Cents } from "../kernel/Money.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import { compareCodePoints, GivenId, LongText, visibleChecks } from "../kernel/Text.ts"
import { type Posting, posting } from "./Ledger.ts"
import { PaymentException } from "./PaymentException.ts"

const meanings = {
  status: "OPEN until somebody has looked.",
  charge_id: "The charge that it is about.",
  subject_id: "The refund, dispute, account or charge that it is about.",
  held_cents: "How much is held until it is resolved, in minor units.",
  reason: "What is the matter.",
  note: "What was done about it.",
  donation_id: "The gift that the money was booked as.",
  money:
    "What became of the money that was held: `returned` to the donor by hand, or `kept` by the organisation; or that it `never_came` to the bank account.",
  as_gift: "Whether the money is booked as a gift of the day on which it came.",
  donor_id: "The donor of that gift.",
  charge_ids:
    "The bank transfers that the money is for, by the ids of their charges; one that has ended without its money is charged anew.",
  amounts_cents: "How much is for each of them; what each waits for when not given.",
  resolved_by: "Who resolved it, as the audit has it."
}

/** An exception as staff see it. */
export const PaymentExceptionRecord = PaymentException.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "PaymentException",
  meanings
})

/** What may have become of money that was held. */
export const HeldMoneyOutcome = Schema.Literals(["returned", "kept", "never_came"]).annotate({
  identifier: "HeldMoneyOutcome"
})

const ChargeIds = Schema.Array(GivenId).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(Limits.creditCharges),
  Schema.isUnique()
)

const resolutionFields = Schema.Struct({
  note: LongText.check(...visibleChecks("what was done about it")),
  money: clearable(HeldMoneyOutcome),
  as_gift: clearable(Schema.Boolean),
  donor_id: clearable(GivenId),
  charge_ids: clearable(ChargeIds),
  amounts_cents: clearable(
    Schema.Array(Cents.check(Schema.isGreaterThan(0))).check(Schema.isMaxLength(Limits.creditCharges))
  )
}).annotate({ identifier: "PaymentExceptionResolution", meanings })

const noGift = { as_gift: [false, null], donor_id: "absent" } as const
const noCharges = { charge_ids: "absent", amounts_cents: "absent" } as const

/** Money has one end: it went somewhere, is a gift of a donor, or is for charges. */
const forms = [
  { ...noGift, ...noCharges },
  { as_gift: [true], donor_id: "given", money: "absent", ...noCharges },
  { charge_ids: "given", money: "absent", ...noGift }
] as const satisfies Forms

/** The input that resolves an exception. */
export const Resolution = inForms(resolutionFields, forms)
export type Resolution = InForms<typeof resolutionFields.Type, typeof forms>

/** Where money goes that was held. */
const places = { returned: "donor", kept: "organisation", never_came: "bank" } as const

/** Exceptions that are resolved at once. */
export const ManyResolutions = Schema.Struct({
  kind: PaymentException.fields.kind,
  before: CalendarDate,
  note: Resolution.fields.note,
  money: Resolution.fields.money,
  is_dry_run: clearable(Schema.Boolean)
}).annotate({
  identifier: "PaymentExceptionResolutions",
  meanings: {
    ...meanings,
    kind: "What is the matter with them.",
    before: "The day before which they were found, in the organisation's timezone.",
    is_dry_run: "Whether to say what would be resolved, and keep nothing."
  }
})
export type ManyResolutions = typeof ManyResolutions.Type

/** Money of one currency that exceptions held. */
const HeldSum = Schema.Struct({ currency: PaymentException.fields.currency, held_cents: Schema.Int }).annotate({
  identifier: "HeldSum",
  meanings: { held_cents: "How much they held together, in minor units." }
})

/** What exceptions hold together, each currency by itself; none of one of which nothing is held. */
export const heldSums = (
  exceptions: ReadonlyArray<Pick<PaymentException, "currency" | "held_cents">>
): ReadonlyArray<typeof HeldSum.Type> => {
  const sums = new Map<string, number>()
  for (const { currency, held_cents } of exceptions) {
    if (held_cents > 0) sums.set(currency, (sums.get(currency) ?? 0) + held_cents)
  }
  return [...sums]
    .toSorted(([a], [b]) => compareCodePoints(a, b))
    .map(([currency, held_cents]) => ({ currency, held_cents }))
}

/** What came of resolving exceptions at once. */
export const ManyResolved = Schema.Struct({
  count: Schema.Int,
  held: Schema.Array(HeldSum),
  ids: Schema.Array(Schema.String),
  has_more: Schema.Boolean,
  is_dry_run: Schema.Boolean
}).annotate({
  identifier: "PaymentExceptionsResolved",
  meanings: {
    count: "How many they are.",
    held: "What they held, each currency by itself.",
    ids: "Their ids.",
    has_more: "Whether there are more of them: say it again.",
    is_dry_run: "Whether nothing was kept of it."
  }
})
export type ManyResolved = typeof ManyResolved.Type

/**
 * The entries of resolving an exception: whoever resolves one that holds money says what became of it. Fails with
 * {@link InvalidInput} of `money` where that is missing, or said of nothing. money, section 2: Ledger entry.
 * @example
 * ExceptionResolution.releasePostings({ held_cents: 20_00 }, { note: "Paid back.", money: "returned" })
 * // => Result.succeed(Ledger.posting("held", "donor", 20_00))
 * Result.isFailure(ExceptionResolution.releasePostings({ held_cents: 20_00 }, { note: "Looked." })) // => true
 * Result.isFailure(ExceptionResolution.releasePostings({ held_cents: 0 }, { note: "Looked.", money: "kept" })) // => true
 */
export const releasePostings = (
  { held_cents }: Pick<PaymentException, "held_cents">,
  { amounts_cents, as_gift, charge_ids, donor_id, money }: typeof resolutionFields.Type
): Result.Result<ReadonlyArray<Posting>, InvalidInput> => {
  const isGift = as_gift === true
  if (isGift !== (typeof donor_id === "string")) {
    return Result.fail(
      new InvalidInput({ param: "donor_id", message: "donor_id must be given with as_gift, and only then." })
    )
  }
  if (isGift && typeof money === "string") {
    return Result.fail(new InvalidInput({ param: "money", message: "money must not be given beside as_gift." }))
  }
  if (charge_ids == null && amounts_cents != null) {
    return Result.fail(
      new InvalidInput({ param: "amounts_cents", message: "amounts_cents must stand beside charge_ids." })
    )
  }
  if (charge_ids != null) {
    return isGift || typeof money === "string"
      ? Result.fail(
          new InvalidInput({ param: "charge_ids", message: "charge_ids must stand alone: the money has one end." })
        )
      : Result.succeed(posting("held", "unmatched", held_cents))
  }
  const said = isGift ? "kept" : (money ?? null)
  if ((said === null) === (held_cents === 0)) {
    return Result.succeed(posting("held", places[said ?? "kept"], held_cents))
  }
  const param = isGift ? "as_gift" : "money"
  const message =
    said === null
      ? `money must be returned, kept or never_came: ${held_cents} are held until it is said what became of them.`
      : `${param} must not be given, because nothing is held.`
  return Result.fail(new InvalidInput({ param, message }))
}
