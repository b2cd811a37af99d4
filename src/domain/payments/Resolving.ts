import { Result, Schema, Struct } from "effect"
import { clearable } from "../kernel/Fields.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import { LongText } from "../kernel/Text.ts"
import { type Posting, posting } from "./Ledger.ts"
import { PaymentException } from "./PaymentException.ts"

const meanings = {
  status: "OPEN until somebody has looked.",
  charge_id: "The charge that it is about.",
  subject_id: "The refund, dispute, account or charge that it is about.",
  held_cents: "How much is held until it is resolved, in minor units.",
  reason: "What is the matter.",
  note: "What was done about it.",
  money: "What became of the money that was held: `returned` to the donor by hand, or `kept` by the organisation.",
  resolved_by: "Who resolved it, as the audit has it."
}

/** An exception as staff see it. */
export const PaymentExceptionRecord = PaymentException.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "PaymentException",
  meanings
})

/** The input that resolves an exception. */
export const Resolution = Schema.Struct({
  note: LongText.check(Schema.isPattern(/\S/, { description: "what was done about it" })),
  money: clearable(Schema.Literals(["returned", "kept"]))
}).annotate({ identifier: "PaymentExceptionResolution", meanings })
export type Resolution = typeof Resolution.Type

/**
 * What resolving an exception moves: whoever resolves one that holds money says what became of it. Fails with
 * {@link InvalidInput} of `money` where that is missing, or said of nothing. money, section 2: Ledger entry.
 */
export const releasing = (
  { held_cents }: Pick<PaymentException, "held_cents">,
  { money }: Resolution
): Result.Result<ReadonlyArray<Posting>, InvalidInput> => {
  const said = money ?? null
  if ((said === null) === (held_cents === 0)) {
    return Result.succeed(posting("held", said === "returned" ? "donor" : "organisation", held_cents))
  }
  const message =
    said === null
      ? `money must be returned or kept: ${held_cents} are held until it is said what became of them.`
      : "money must not be given, because nothing is held."
  return Result.fail(new InvalidInput({ param: "money", message }))
}
