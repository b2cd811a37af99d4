import { Result, Schema } from "effect"
import { clearable } from "../kernel/Fields.ts"
import { Limits } from "../kernel/Limits.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import { TextUpTo, textOrNull } from "../kernel/Text.ts"
import { DonorCancelReasonCode } from "./Subscription.ts"

/**
 * The donor's answer on ending a recurring gift in the portal; nothing where the donor chose not to. service-spec,
 * subscription.* data.
 */
export const Answer = Schema.Struct({
  donor_cancel_reason_code: clearable(DonorCancelReasonCode),
  donor_cancel_reason: clearable(TextUpTo(Limits.donorCancelReasonCharacters))
}).annotate({
  identifier: "DonorCancelAnswer",
  meanings: {
    donor_cancel_reason_code: "The reason that the donor chose; null where the donor chose none.",
    donor_cancel_reason: "The donor's own words, with a reason that the donor chose."
  }
})
export type Answer = typeof Answer.Type

/**
 * The answer as it is kept. Fails with {@link InvalidInput} of `donor_cancel_reason_code` for words without a reason: the
 * reason tells that the donor ended the gift. service-spec, subscription.* data.
 * @example
 * DonorCancellation.storedAnswer({ donor_cancel_reason_code: "cost", donor_cancel_reason: "" })
 * // => Result.succeed({ donor_cancel_reason_code: "cost", donor_cancel_reason: null })
 * Result.isFailure(DonorCancellation.storedAnswer({ donor_cancel_reason: "Too dear" })) // => true
 */
export const storedAnswer = ({ donor_cancel_reason, donor_cancel_reason_code: code = null }: Answer) => {
  const words = textOrNull(donor_cancel_reason)
  return code === null && words !== null
    ? Result.fail(
        new InvalidInput({
          param: "donor_cancel_reason_code",
          message:
            "donor_cancel_reason_code must be given with donor_cancel_reason: prefer_not_to_say where none was chosen."
        })
      )
    : Result.succeed({ donor_cancel_reason_code: code, donor_cancel_reason: words })
}
