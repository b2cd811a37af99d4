import { DateTime, Duration } from "effect"
import type { Refund } from "../giving/Refund.ts"
import type { RefundId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { type Charge, isOwn } from "./Charge.ts"
import type { Dispute } from "./Dispute.ts"
import type { ChargeSnapshot, DisputeSnapshot, RefundSnapshot } from "./Snapshot.ts"

/** A charge as we know it, with all that hangs on it. */
export interface ChargeState {
  readonly charge: Charge
  /** Its refunds, those among them that a lost dispute wrote. */
  readonly refunds: ReadonlyArray<Refund>
  readonly disputes: ReadonlyArray<Dispute>
  /** Whether money that came after the end is in a person's hands already. */
  readonly isLate: boolean
  /** Whether a person was told that the processor's figures are not ours. */
  readonly isMismatched: boolean
}

/** One step by which our state comes to agree with the processor's. */
export type Step =
  | { readonly _tag: "Refer"; readonly reference: string }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Process" }
  | { readonly _tag: "Succeed" }
  /** The attempt was refused: its intent is cancelled at the processor, and then the charge fails. */
  | { readonly _tag: "End"; readonly failure_code: string }
  | { readonly _tag: "Fail"; readonly failure_code: string }
  | { readonly _tag: "Cancel"; readonly failure_code: string }
  | { readonly _tag: "LearnFee"; readonly processor_fee_cents: number }
  | { readonly _tag: "SucceedRefund"; readonly refund_id: RefundId; readonly reference: string }
  /** `reference` is the processor's own identifier; there is none of a refund that it refused to make. */
  | { readonly _tag: "FailRefund"; readonly refund_id: RefundId; readonly reference?: string }
  /** A refund that was made at the processor. */
  | { readonly _tag: "RecordRefund"; readonly refund: RefundSnapshot }
  | { readonly _tag: "OpenDispute"; readonly dispute: DisputeSnapshot }
  | { readonly _tag: "LoseDispute"; readonly dispute: DisputeSnapshot }
  | { readonly _tag: "WinDispute"; readonly dispute: DisputeSnapshot }
  | { readonly _tag: "LearnDisputeFee"; readonly dispute: DisputeSnapshot; readonly fee_cents: number }
  /** Money came after the charge had ended without. */
  | { readonly _tag: "TakeLate" }
  /** The processor's figures are not ours: a person looks, and nothing is applied. */
  | { readonly _tag: "Mismatch"; readonly reason: string }

/** The code of a refusal for which the processor gave none. */
export const refusedWithoutCode = "payment_refused"

const hasEnded = ({ status }: Charge): boolean =>
  status === "SUCCEEDED" || status === "FAILED" || status === "CANCELLED"

/** One that was given up unheard, and that the processor has after all, is referred to too. */
const referring = ({ reference, status }: Charge, remote: ChargeSnapshot): ReadonlyArray<Step> =>
  (status === "NEW" || status === "FAILED" || status === "CANCELLED") && reference === null && remote.reference !== null
    ? [{ _tag: "Refer", reference: remote.reference }]
    : []

/** How a charge ends that brought no money: as the one who ended it said. */
const ended = ({ ending, status }: Charge): Step => {
  const failure_code = ending ?? "cancelled"
  return status === "PROCESSING" || !isOwn(failure_code)
    ? { _tag: "Fail", failure_code }
    : { _tag: "Cancel", failure_code }
}

const chargeSteps = (charge: Charge, remote: ChargeSnapshot): ReadonlyArray<Step> => {
  const refer = referring(charge, remote)
  switch (remote.status) {
    case "absent":
      return charge.ending !== null && charge.reference === null ? [ended(charge)] : []
    case "created":
      return refer
    case "waiting":
      return charge.status === "NEW" ? [...refer, { _tag: "Wait" }] : []
    case "processing":
      return charge.status === "PROCESSING" ? [] : [...refer, { _tag: "Process" }]
    case "succeeded":
      return [...refer, { _tag: "Succeed" }]
    case "failed":
      return charge.ending === null
        ? [...refer, { _tag: "End", failure_code: remote.failure_code ?? refusedWithoutCode }]
        : []
    case "cancelled":
      return [...refer, ended(charge)]
  }
}

/**
 * Money that came late costs a fee too: by now it is taken. A fee that was known may become another. One that is counted in
 * another currency is not known here, and a person is told: the parts of a set's payment wait for it. money, section 11.
 */
const feeSteps = ({ charge, isMismatched }: ChargeState, remote: ChargeSnapshot): ReadonlyArray<Step> => {
  const known = charge.processor_fee_cents
  if (remote.status !== "succeeded") return []
  if (remote.fee_cents !== null) {
    return remote.fee_cents === known ? [] : [{ _tag: "LearnFee", processor_fee_cents: remote.fee_cents }]
  }
  if (known !== null || remote.fee_currency === undefined || isMismatched) return []
  const parts = charge.purpose === "payment" ? " The parts of the payment wait until it is known." : ""
  const reason = `The processor counts its fee in ${remote.fee_currency}, and the charge is in ${charge.currency}.${parts}`
  return [{ _tag: "Mismatch", reason }]
}

const sameRefund =
  (remote: RefundSnapshot) =>
  ({ id, processor_reference }: Refund): boolean =>
    id === remote.refund_id || processor_reference === remote.reference

const refundSteps = ({ charge, isMismatched, refunds }: ChargeState, remote: RefundSnapshot): ReadonlyArray<Step> => {
  const ours = refunds.find(sameRefund(remote))
  const { reference, status } = remote
  if (ours === undefined) {
    // Money that was paid back of a set's payment becomes no refund here: somebody is told of it, once.
    const isTold = charge.purpose === "payment" && isMismatched
    const isNothing = status === "failed" || remote.amount_cents === 0
    return isTold || isNothing ? [] : [{ _tag: "RecordRefund", refund: remote }]
  }
  if (status === "succeeded" && ours.status === "PENDING") {
    return [{ _tag: "SucceedRefund", refund_id: ours.id, reference }]
  }
  return status === "failed" && ours.status !== "FAILED" ? [{ _tag: "FailRefund", refund_id: ours.id, reference }] : []
}

/** One that was won before we heard of it was open once. */
const opening = (status: Dispute["status"] | "NONE", dispute: DisputeSnapshot): ReadonlyArray<Step> =>
  status === "NONE" ? [{ _tag: "OpenDispute", dispute }] : []

const disputeSteps = ({ disputes }: ChargeState, remote: DisputeSnapshot): ReadonlyArray<Step> => {
  const status = disputes.find(({ reference }) => reference === remote.reference)?.status ?? "NONE"
  switch (remote.status) {
    case "open":
      return opening(status, remote)
    case "lost":
      return status === "LOST" ? [] : [{ _tag: "LoseDispute", dispute: remote }]
    case "won":
      return status === "WON" ? [] : [...opening(status, remote), { _tag: "WinDispute", dispute: remote }]
  }
}

/** The cost of a dispute, won or lost, once it was heard of, and again whenever some of it came back. money, section 11. */
const disputeFeeSteps = ({ disputes }: ChargeState, dispute: DisputeSnapshot): ReadonlyArray<Step> => {
  const { fee_cents = null, reference } = dispute
  const known = disputes.find((each) => each.reference === reference)?.fee_cents ?? null
  return fee_cents === null || fee_cents === known ? [] : [{ _tag: "LearnDisputeFee", dispute, fee_cents }]
}

/** Money that came back to the gift is heard of first: what was taken since may be of that money. */
const partSteps = (local: ChargeState, { disputes, refunds }: ChargeSnapshot): ReadonlyArray<Step> => {
  const refundsThat = (failed: boolean) =>
    refunds.filter(({ status }) => (status === "failed") === failed).flatMap((refund) => refundSteps(local, refund))
  const disputesThat = (won: boolean) =>
    disputes.filter(({ status }) => (status === "won") === won).flatMap((dispute) => disputeSteps(local, dispute))
  const fees = disputes.flatMap((dispute) => disputeFeeSteps(local, dispute))
  return [...refundsThat(true), ...disputesThat(true), ...refundsThat(false), ...disputesThat(false), ...fees]
}

/** What happened at a processor may not be in its answers for as long. */
const answersLag = Duration.hours(1)

/**
 * What the processor had, and has no more though it was asked long after it was written here: a person is told. What donors
 * transfer is with no processor. money, section 11.
 */
const goneSteps = (
  { charge, disputes, isMismatched, refunds }: ChargeState,
  remote: ChargeSnapshot
): ReadonlyArray<Step> => {
  const { asked_at } = remote
  if (asked_at === undefined || isMismatched || charge.method === "bank_transfer") return []
  const isOld = ({ updated_at }: { readonly updated_at: DateTime.Utc }) =>
    DateTime.isLessThan(addTime(updated_at, answersLag), asked_at)
  const isTaken = charge.reference !== null && (charge.status === "SUCCEEDED" || charge.status === "PROCESSING")
  const isOfDispute = ({ id }: Refund) => disputes.some(({ refund_id }) => refund_id === id)
  const gone =
    remote.status === "absent"
      ? [charge].filter((each) => isTaken && isOld(each)).map(({ reference }) => `charge ${reference}`)
      : [
          ...refunds
            .filter((each) => each.status !== "FAILED" && each.processor_reference !== null && isOld(each))
            .filter((each) => !isOfDispute(each) && !remote.refunds.some((theirs) => sameRefund(theirs)(each)))
            .map(({ processor_reference }) => `refund ${processor_reference}`),
          ...disputes
            .filter((each) => isOld(each) && !remote.disputes.some(({ reference }) => reference === each.reference))
            .map(({ reference }) => `dispute ${reference}`)
        ]
  const reason = `The processor had the ${gone.join(" and the ")}, and has it no more.`
  return gone.length === 0 ? [] : [{ _tag: "Mismatch", reason }]
}

/**
 * How a refund differs from ours for good: its amount, or that the processor refused to make it and its money went back all
 * the same. One that it made and that failed there has its reference: a snapshot of it that succeeded is an old one.
 */
const refundDifference = ({ refunds }: ChargeState, remote: RefundSnapshot): string | null => {
  const ours = refunds.find(sameRefund(remote))
  if (ours === undefined) return null
  if (ours.amount_cents !== remote.amount_cents) {
    return `Of the refund ${remote.reference} the processor has ${remote.amount_cents}, and we have ${ours.amount_cents}.`
  }
  return remote.status === "succeeded" && ours.status === "FAILED" && ours.processor_reference === null
    ? `The refund ${remote.reference} failed here, and has succeeded at the processor.`
    : null
}

const disputeDifference = ({ disputes }: ChargeState, remote: DisputeSnapshot): string | null => {
  const ours = disputes.find(({ reference }) => reference === remote.reference)
  return ours === undefined || ours.amount_cents === remote.amount_cents
    ? null
    : `Of the dispute ${remote.reference} the processor has ${remote.amount_cents}, and we have ${ours.amount_cents}.`
}

const firstOf = <A>(all: ReadonlyArray<A>, difference: (each: A) => string | null): string | null => {
  for (const each of all) {
    const found = difference(each)
    if (found !== null) return found
  }
  return null
}

const partDifference = (local: ChargeState, remote: ChargeSnapshot): string | null =>
  firstOf(remote.refunds, (each) => refundDifference(local, each)) ??
  firstOf(remote.disputes, (each) => disputeDifference(local, each))

const differenceOf = (local: ChargeState, remote: ChargeSnapshot): string | null => {
  const { charge } = local
  if (remote.status === "absent") return null
  const part = partDifference(local, remote)
  if (part !== null) return part
  if (remote.currency !== charge.currency)
    return `The processor has ${remote.currency}, and we have ${charge.currency}.`
  if (remote.amount_cents === charge.amount_cents) return null
  return `The processor has ${remote.amount_cents}, and we have ${charge.amount_cents}.`
}

/**
 * The steps that our state needs to agree with the processor's present one: the single way in which anything that a processor says
 * becomes true here. A snapshot that is behind what we know needs nothing, so notices, answers and looks may come late,
 * twice and in any order, and planning again after the steps are taken gives none. money, section 1.
 */
export const plan = (local: ChargeState, remote: ChargeSnapshot): ReadonlyArray<Step> => {
  const { charge, isLate, isMismatched } = local
  const reason = differenceOf(local, remote)
  if (reason !== null) return isMismatched ? [] : [{ _tag: "Mismatch", reason }]
  const isLateSuccess = remote.status === "succeeded" && (charge.status === "FAILED" || charge.status === "CANCELLED")
  const first: ReadonlyArray<Step> = isLateSuccess && !isLate ? [{ _tag: "TakeLate" }] : []
  return [
    ...first,
    ...(hasEnded(charge) ? referring(charge, remote) : chargeSteps(charge, remote)),
    ...feeSteps(local, remote),
    ...partSteps(local, remote),
    ...goneSteps(local, remote)
  ]
}
