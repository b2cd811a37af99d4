import { type DateTime, Result } from "effect"
import { Limits } from "../kernel/Limits.ts"
import { LimitReached } from "../kernel/Rejection.ts"
import { type Introduction, statusAt } from "./Introduction.ts"

/**
 * Refuses the 51st with `LimitReached`; `counted` of the inviter's introductions count. service-spec, Limits: Introductions per inviter.
 * @example
 * Result.isSuccess(IntroductionLimits.checkLimit(49)) // => true
 * Result.isFailure(IntroductionLimits.checkLimit(50)) // => true
 */
export const checkLimit = (counted: number): Result.Result<void, LimitReached> =>
  counted < Limits.introductionsPending
    ? Result.void
    : Result.fail(
        new LimitReached({
          message: `At most ${Limits.introductionsPending} introductions of the last ${Limits.introductionWindowHours} hours may be pending. Revoke one, or wait until an invitee has looked at one.`
        })
      )

/**
 * Refuses the fourth resend with `LimitReached`, the error of a limit. In statuses that allow no resend at all, the machine refuses it.
 * service-spec, POST /introductions/{id}/resend_email.
 */
export const checkResends = (introduction: Introduction, now: DateTime.Utc): Result.Result<void, LimitReached> =>
  ["PENDING", "VIEWED"].includes(statusAt(introduction, now)) && introduction.resend_count >= Limits.introductionResends
    ? Result.fail(
        new LimitReached({
          message: `An introduction is resent at most ${Limits.introductionResends} times. Share its invite_url in another way.`
        })
      )
    : Result.void
