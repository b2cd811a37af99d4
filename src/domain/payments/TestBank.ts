import { DateTime, Result } from "effect"
import type { RefundId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { feeOf } from "./Fees.ts"
import type { ChargeSnapshot } from "./Snapshot.ts"
import type { ScheduledStep, Status, TestCharge, TestDispute, TestMovement, TestRefund } from "./TestCharge.ts"
import {
  type Act,
  disputeFeeCents,
  keyHours,
  type RefundAct,
  rejectedCodes,
  ruleOf,
  type Stage,
  testRates
} from "./TestRules.ts"

// The simulated bank of the test processor. It shares nothing with the code that follows it (Settlement, Applying, Books),
// so that it can be held against them. money, section 3: Test processor.

/** The bank said no. */
export interface Refusal {
  readonly code: string
  readonly message: string
}

type Moved<A = TestCharge> = Result.Result<A, Refusal>

const refuse = (code: string, message: string): Result.Result<never, Refusal> => Result.fail({ code, message })

/** Where a charge may go from each status. */
const moves: Readonly<Record<Status, ReadonlyArray<Status>>> = {
  created: ["waiting", "processing", "succeeded", "failed", "cancelled"],
  waiting: ["processing", "succeeded", "failed", "cancelled"],
  processing: ["succeeded", "failed"],
  failed: ["cancelled"],
  succeeded: [],
  cancelled: []
}

const to = (charge: TestCharge, status: Status, at: DateTime.Utc): TestCharge =>
  moves[charge.status].includes(status) ? { ...charge, status, updated_at: at } : charge

const sum = (parts: ReadonlyArray<{ readonly amount_cents: number }>): number =>
  parts.reduce((total, { amount_cents }) => total + amount_cents, 0)

/** How much of a charge is still there, minor units: what was taken, without what went back or is asked back. */
export const leftCents = ({ amount_cents, disputes, refunds, status }: TestCharge): number =>
  status === "succeeded"
    ? amount_cents -
      sum(refunds.filter((each) => each.status !== "failed")) -
      sum(disputes.filter((each) => each.status !== "won"))
    : 0

const ruleFor = ({ method, payment_token }: TestCharge) =>
  payment_token === null ? undefined : ruleOf(method, payment_token)

const feeFor = (charge: TestCharge): number => {
  const above = ruleFor(charge)?.fee_above_cents
  if (above !== undefined) return charge.amount_cents + above
  return charge.method === "bank_transfer" ? 0 : feeOf(charge.amount_cents, testRates[charge.method])
}

/** Writes a line of the account's statement. */
export const withMovement = (
  charge: TestCharge,
  kind: TestMovement["kind"],
  { amount_cents, at, fee_cents = 0 }: Pick<TestMovement, "amount_cents" | "at"> & { readonly fee_cents?: number }
): TestCharge => ({
  ...charge,
  movements: [
    ...charge.movements,
    { reference: `${charge.id}_m${charge.movements.length + 1}`, kind, amount_cents, fee_cents, at }
  ]
})

const inSeconds = (at: DateTime.Utc, seconds: number): DateTime.Utc => addTime(at, { seconds })

const succeeded = (charge: TestCharge, at: DateTime.Utc): TestCharge => {
  const arrived = to(charge, "succeeded", at)
  const after = arrived === charge ? charge : withMovement(arrived, "charge", { amount_cents: charge.amount_cents, at })
  const fee_at = inSeconds(at, ruleFor(charge)?.fee_after_seconds ?? 0)
  return after === charge
    ? charge
    : { ...after, scheduled: [...after.scheduled, { at: fee_at, act: { _tag: "LearnFee" } }] }
}

const failed = (charge: TestCharge, code: string, at: DateTime.Utc): TestCharge => {
  const after = to(charge, "failed", at)
  return after === charge ? charge : { ...after, failure_code: code }
}

const asked = (charge: TestCharge, status: "open" | "lost", at: DateTime.Utc, amount_cents: number): TestCharge => {
  const reference = `${charge.id}_d${charge.disputes.length + 1}`
  const fee_cents = disputeFeeCents
  const dispute: TestDispute = { reference, amount_cents, status, fee_cents }
  return amount_cents === 0
    ? charge
    : withMovement({ ...charge, disputes: [...charge.disputes, dispute], updated_at: at }, "dispute", {
        amount_cents: -amount_cents,
        fee_cents,
        at
      })
}

const withRefund = (
  charge: TestCharge,
  reference: string,
  from: ReadonlyArray<TestRefund["status"]>,
  status: TestRefund["status"],
  at: DateTime.Utc
): TestCharge => {
  const refund = charge.refunds.find((each) => each.reference === reference && from.includes(each.status))
  if (refund === undefined) return { ...charge, updated_at: at }
  const refunds = charge.refunds.map((each) => (each === refund ? { ...each, status } : each))
  const after = { ...charge, updated_at: at, refunds }
  if (status === "succeeded") return withMovement(after, "refund", { amount_cents: -refund.amount_cents, at })
  return refund.status === "succeeded"
    ? withMovement(after, "refund", { amount_cents: refund.amount_cents, at })
    : after
}

/** The charge after an act; none where the act comes too late. */
const happened = (charge: TestCharge, { act, at }: ScheduledStep): TestCharge => {
  switch (act._tag) {
    case "Wait":
      return to(charge, "waiting", at)
    case "Process":
      return to(charge, "processing", at)
    case "Succeed":
      return succeeded(charge, at)
    case "Fail":
      return failed(charge, act.code, at)
    case "LearnFee": {
      const fee_cents = feeFor(charge)
      return withMovement({ ...charge, fee_cents, updated_at: at }, "charge", { amount_cents: 0, fee_cents, at })
    }
    case "OpenDispute":
      return asked(charge, "open", at, leftCents(charge))
    case "LoseDispute":
      return asked(charge, "lost", at, leftCents(charge))
    case "PayRefund":
      return withRefund(charge, act.reference, ["pending"], "succeeded", at)
    case "FailRefund":
      return withRefund(charge, act.reference, ["pending", "succeeded"], "failed", at)
  }
}

const inOrder = (scheduled: ReadonlyArray<ScheduledStep>): ReadonlyArray<ScheduledStep> =>
  scheduled.toSorted((a, b) => DateTime.toEpochMillis(a.at) - DateTime.toEpochMillis(b.at))

/** The charge at a time: after all that was scheduled until then. */
export const advance = (charge: TestCharge, now: DateTime.Utc): TestCharge => {
  let state = charge
  for (;;) {
    const [next, ...rest] = inOrder(state.scheduled)
    if (next === undefined || DateTime.isGreaterThan(next.at, now)) return state
    state = happened({ ...state, scheduled: rest }, next)
  }
}

const scheduledFrom = (stages: ReadonlyArray<Stage<Act>>, now: DateTime.Utc): ReadonlyArray<ScheduledStep> =>
  stages.map(({ act, after_seconds }) => ({ at: inSeconds(now, after_seconds), act }))

/** Makes known what follows, and does what follows at once. */
const follow = (charge: TestCharge, scheduled: ReadonlyArray<ScheduledStep>, now: DateTime.Utc): TestCharge =>
  advance({ ...charge, scheduled: [...charge.scheduled, ...scheduled] }, now)

/** Takes the money with what the donor pays with, once: a charge that was confirmed stays as it is. */
export const confirm = (charge: TestCharge, payment_token: string, now: DateTime.Utc): Moved => {
  if (charge.status === "cancelled") return refuse("charge_cancelled", "The charge was cancelled.")
  if (charge.status !== "created") return Result.succeed(charge)
  const rule = ruleOf(charge.method, payment_token)
  if (rule === undefined) {
    return refuse(
      "incorrect_number",
      `The test processor knows no such number for ${charge.method}: docs/guides/test-processor.md has them all.`
    )
  }
  return Result.succeed(follow({ ...charge, payment_token: rule.token }, scheduledFrom(rule.confirmed, now), now))
}

/** Ends a charge that brought no money; one that did, or that the bank works on, stays as it is. */
export const cancel = (charge: TestCharge, now: DateTime.Utc): TestCharge => to(charge, "cancelled", now)

const only = (charge: TestCharge, status: Status, what: string): Moved =>
  charge.status === status
    ? Result.succeed(charge)
    : refuse("wrong_status", `Only a charge that is ${status} can be ${what}; this one is ${charge.status}.`)

/** The donor approves: 3-D Secure, or an agreement in the bank's app. */
export const approve = (charge: TestCharge, now: DateTime.Utc): Moved =>
  Result.map(only(charge, "waiting", "approved"), (waiting) => {
    const stages = ruleFor(charge)?.approved ?? [{ after_seconds: 0, act: { _tag: "Succeed" } }]
    return follow(waiting, scheduledFrom(stages, now), now)
  })

/** The donor refuses. */
export const decline = (charge: TestCharge, now: DateTime.Utc): Moved =>
  Result.map(only(charge, "waiting", "declined"), (waiting) => {
    const code = charge.method === "bank_transfer" ? rejectedCodes.card : rejectedCodes[charge.method]
    return failed(waiting, code, now)
  })

/** The money that the bank works on arrives. */
export const settle = (charge: TestCharge, now: DateTime.Utc): Moved =>
  Result.map(only(charge, "processing", "settled"), (processing) => advance(succeeded(processing, now), now))

/** The money that the bank works on does not come. */
export const dishonour = (charge: TestCharge, code: string, now: DateTime.Utc): Moved =>
  Result.map(only(charge, "processing", "failed"), (processing) => failed(processing, code, now))

/** Who asks for a refund: a caller under a key, with its own id; or somebody at the bank. */
export interface RefundOrigin {
  readonly refund_id: RefundId | null
  readonly idempotency_key: string | null
  readonly amount_cents: number
}

/**
 * Whether the bank still knows a key that it was given at a time.
 * @example TestBank.remembers(at, DateTime.add(at, { hours: 24 })) // => false
 */
export const remembers = (given_at: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThan(addTime(given_at, { hours: keyHours }), now)

const refundActs: Readonly<Record<RefundAct, "PayRefund" | "FailRefund">> = { Pay: "PayRefund", Fail: "FailRefund" }

/** Pays back, once for each key that is remembered. */
export const refund = (
  charge: TestCharge,
  { amount_cents, idempotency_key, refund_id }: RefundOrigin,
  now: DateTime.Utc
): Moved<{ readonly charge: TestCharge; readonly reference: string }> => {
  const known = charge.refunds.find(
    (each) => idempotency_key !== null && each.idempotency_key === idempotency_key && remembers(each.created_at, now)
  )
  if (known !== undefined) return Result.succeed({ charge, reference: known.reference })
  if (charge.status !== "succeeded") {
    return refuse("charge_not_paid", `Only a charge that has succeeded can be refunded; this one is ${charge.status}.`)
  }
  if (charge.disputes.some(({ status }) => status === "open")) {
    return refuse("charge_disputed", "The charge is disputed: it can be refunded once the dispute is decided.")
  }
  if (amount_cents < 1 || amount_cents > leftCents(charge)) {
    return refuse("amount_too_large", `The charge has ${leftCents(charge)} left to refund.`)
  }
  const reference = `${charge.id}_r${charge.refunds.length + 1}`
  const refund: TestRefund = { reference, refund_id, idempotency_key, amount_cents, status: "pending", created_at: now }
  const stages = ruleFor(charge)?.refunded ?? [{ after_seconds: 0, act: "Pay" }]
  const scheduled = stages.map(({ act, after_seconds }) => ({
    at: inSeconds(now, after_seconds),
    act: { _tag: refundActs[act], reference }
  }))
  return Result.succeed({
    charge: follow({ ...charge, refunds: [...charge.refunds, refund], updated_at: now }, scheduled, now),
    reference
  })
}

/** A refund does not arrive: the newest that has not failed. */
export const refundFailed = (charge: TestCharge, now: DateTime.Utc): Moved => {
  const refund = charge.refunds.findLast(({ status }) => status !== "failed")
  if (refund === undefined) return refuse("no_refund", "The charge has no refund that could fail.")
  return Result.succeed(withRefund(charge, refund.reference, ["pending", "succeeded"], "failed", now))
}

/** The donor's bank asks money back: as much as is given, or all that is left. A debit's is lost at once. */
export const dispute = (charge: TestCharge, amount_cents: number | null, now: DateTime.Utc): Moved => {
  const left = leftCents(charge)
  if (charge.status !== "succeeded") {
    return refuse("charge_not_paid", `Only a charge that has succeeded can be disputed; this one is ${charge.status}.`)
  }
  const cents = amount_cents ?? left
  if (cents < 1 || cents > left) return refuse("amount_too_large", `The charge has ${left} left to dispute.`)
  return Result.succeed(asked(charge, charge.method === "card" ? "open" : "lost", now, cents))
}

const decided = (
  charge: TestCharge,
  from: ReadonlyArray<TestDispute["status"]>,
  status: TestDispute["status"],
  now: DateTime.Utc
): Moved => {
  const dispute = charge.disputes.findLast((each) => from.includes(each.status))
  if (dispute === undefined) return refuse("no_dispute", `The charge has no dispute that could be ${status}.`)
  const disputes = charge.disputes.map((each) => (each === dispute ? { ...each, status } : each))
  const after = { ...charge, disputes, updated_at: now }
  return Result.succeed(
    status === "won" ? withMovement(after, "dispute", { amount_cents: dispute.amount_cents, at: now }) : after
  )
}

/** The newest dispute that is open, or was lost, is won. */
export const disputeWon = (charge: TestCharge, now: DateTime.Utc): Moved =>
  decided(charge, ["open", "lost"], "won", now)

/** The newest dispute that is open is lost. */
export const disputeLost = (charge: TestCharge, now: DateTime.Utc): Moved => decided(charge, ["open"], "lost", now)

/** The bank's snapshot of a charge. */
export const snapshotOf = (charge: TestCharge): ChargeSnapshot => ({
  status: charge.status,
  reference: charge.id,
  amount_cents: charge.amount_cents,
  currency: charge.currency,
  fee_cents: charge.fee_cents,
  failure_code: charge.failure_code,
  refunds: charge.refunds.map(({ amount_cents, reference, refund_id, status }) => ({
    amount_cents,
    reference,
    refund_id,
    status
  })),
  disputes: charge.disputes,
  mandate_reference: charge.mandate !== null && charge.status === "succeeded" ? charge.id : null
})

/** When the bank next does something with a charge by itself; null where it does nothing more. */
export const nextActAt = ({ scheduled }: TestCharge): DateTime.Utc | null => inOrder(scheduled)[0]?.at ?? null
