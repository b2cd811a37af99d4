import { type DateTime, Result } from "effect"
import { addTime } from "../kernel/InstantRange.ts"
import { advance, type Refusal } from "./TestBank.ts"
import type { TestCharge, TestMandate } from "./TestCharge.ts"
import { type Act, ruleOf, type Stage, type TestRule } from "./TestRules.ts"

// Mandates at the simulated bank of the test processor.

const refuse = (code: string, message: string): Result.Result<never, Refusal> => Result.fail({ code, message })

/** The code of a later charge that is declined because somebody has set that. */
const declinedCode = "card_declined"

/** The steps of a first charge that a later one goes through, too: nobody is there to approve it. */
const unattended = ({ approved, confirmed, renewed }: TestRule): ReadonlyArray<Stage<Act>> => {
  const works = confirmed.filter(({ act }) => act._tag !== "Wait")
  return renewed ?? (works.length > 0 ? works : (approved ?? [{ after_seconds: 0, act: { _tag: "Succeed" } }]))
}

/** Takes the money of a charge with what an earlier one has kept, once: a charge that was taken stays as it is. */
export const chargeMandate = (
  charge: TestCharge,
  saved: TestCharge,
  now: DateTime.Utc
): Result.Result<TestCharge, Refusal> => {
  const { mandate, method, payment_token } = saved
  const rule = payment_token === null ? undefined : ruleOf(method, payment_token)
  if (mandate === null || mandate === "REVOKED" || rule === undefined) {
    return refuse("mandate_revoked", "The mandate was revoked.")
  }
  if (charge.status === "cancelled") return refuse("charge_cancelled", "The charge was cancelled.")
  if (charge.status !== "created") return Result.succeed(charge)
  const stages: ReadonlyArray<Stage<Act>> =
    mandate === "DECLINING" ? [{ after_seconds: 0, act: { _tag: "Fail", code: declinedCode } }] : unattended(rule)
  const scheduled = stages.map(({ act, after_seconds }) => ({ at: addTime(now, { seconds: after_seconds }), act }))
  return Result.succeed(advance({ ...charge, payment_token: rule.token, scheduled }, now))
}

/** Has what a charge keeps behave in another way from now on. */
export const mandateSet = (
  charge: TestCharge,
  mandate: TestMandate,
  now: DateTime.Utc
): Result.Result<TestCharge, Refusal> => {
  if (charge.mandate === null) return refuse("no_mandate", "The charge keeps nothing for later ones.")
  if (charge.mandate === mandate) return Result.succeed(charge)
  if (charge.mandate === "REVOKED") return refuse("mandate_revoked", "The mandate was revoked, which is final.")
  return Result.succeed({ ...charge, mandate, updated_at: now })
}
