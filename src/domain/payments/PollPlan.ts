import { DateTime, Duration } from "effect"
import type { Refund } from "../giving/Refund.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import { type Charge, lapseCode, lapsesAt } from "./Charge.ts"
import type { ChargeState } from "./Settlement.ts"
import type { ChargeSnapshot } from "./Snapshot.ts"

/** The next call of the processor. */
export type Action =
  | { readonly _tag: "Begin" }
  | { readonly _tag: "Confirm" }
  | { readonly _tag: "Cancel" }
  | { readonly _tag: "Refund"; readonly refund: Refund }
  | { readonly _tag: "Fetch" }

const isOpen = ({ status }: Charge): boolean => status === "NEW" || status === "WAITING"

/** A refund that the processor was not told of, or whose answer never came. */
const unsent = ({ refunds }: ChargeState): Refund | undefined =>
  refunds.find(({ processor_reference, status }) => status === "PENDING" && processor_reference === null)

/**
 * The next thing to do for a charge at its processor. `isConfirmable`: whether the donor's means of payment is at hand,
 * without which nothing can be confirmed. Whatever is done, the processor's present state is fetched after it.
 */
export const nextAction = (local: ChargeState, isConfirmable: boolean): Action => {
  const { charge } = local
  if (isOpen(charge) && charge.ending !== null) return { _tag: charge.reference === null ? "Fetch" : "Cancel" }
  if (charge.status === "PROCESSING" && charge.ending !== null) return { _tag: "Cancel" }
  if (charge.status === "NEW" && charge.reference === null) return { _tag: "Begin" }
  if (isOpen(charge) && charge.confirmed_at === null && isConfirmable) return { _tag: "Confirm" }
  const refund = unsent(local)
  return refund === undefined ? { _tag: "Fetch" } : { _tag: "Refund", refund }
}

/** How long a key is sent again whose outcome is unknown: processors forget keys after a day. money, section 1. */
export const keyLives = Duration.hours(23)

/**
 * Whether a charge is confirmed here and not at its processor, which has it and was not told to take its money: whoever wrote
 * the confirmation was cut off before it was sent, or it was lost. It is sent again under its key, while that lives.
 * `isConfirmable`: whether the means of payment is at hand. money, section 1.
 */
export const isUnconfirmedThere = (charge: Charge, remote: ChargeSnapshot["status"], isConfirmable: boolean): boolean =>
  isConfirmable && isOpen(charge) && charge.ending === null && charge.confirmed_at !== null && remote === "created"

/**
 * Whether a key that was first sent then may be sent again now.
 * @example
 * PollPlan.maySendAgain(at, DateTime.add(at, { hours: 22 })) // => true
 * PollPlan.maySendAgain(at, DateTime.add(at, { hours: 23 })) // => false
 */
export const maySendAgain = (sent_at: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, addTime(sent_at, keyLives))

/** How long a charge that the processor never heard of is tried. money, section 2: Charge. */
export const unreachableAfter = Duration.minutes(15)

/**
 * Whether a statement covers the last day of a bank transfer, so that no more money can come in time; null where its bank is
 * simulated, which has no statements.
 */
export type IsCovered = boolean | null

const days = (count: number): Duration.Duration => Duration.days(count)

/** When a charge is given up whatever else is known, first where its bank is simulated. money, section 11: A bank transfer lapses. */
const endsOf = (charge: Charge): readonly [simulated: DateTime.Utc, real: DateTime.Utc] => {
  const lapse = lapsesAt(charge)
  return charge.method === "bank_transfer"
    ? [addTime(lapse, days(Limits.bankTransferSimulatedDays)), addTime(lapse, days(Limits.bankTransferUncoveredDays))]
    : [lapse, lapse]
}

/** Whether a charge is a bank transfer whose last day is over, so that statements say whether it goes on. */
export const isForStatements = (charge: Charge, now: DateTime.Utc): boolean =>
  charge.method === "bank_transfer" && isOpen(charge) && DateTime.isLessThanOrEqualTo(lapsesAt(charge), now)

/**
 * The code with which a charge that waits is given up now: its donor did nothing for too long, or the processor was not
 * reached. Null while it may go on.
 */
export const abandonCode = (charge: Charge, now: DateTime.Utc, isCovered: IsCovered): string | null => {
  if (!isOpen(charge) || charge.ending !== null) return null
  const unreachableAt = addTime(charge.created_at, unreachableAfter)
  if (charge.reference === null && DateTime.isLessThanOrEqualTo(unreachableAt, now)) return "processor_unreachable"
  const [simulated, real] = endsOf(charge)
  const end = isCovered === true ? lapsesAt(charge) : isCovered === null ? simulated : real
  return DateTime.isLessThanOrEqualTo(end, now) ? lapseCode(charge) : null
}

/** Delays until a charge is looked at again, after each look that changed nothing. money, section 8. */
const looks = [Duration.minutes(10), Duration.hours(1), Duration.hours(6)] as const

/** Delays until a processor is tried again that was not reached. */
const retries = [Duration.seconds(2), Duration.seconds(10), Duration.seconds(30), Duration.minutes(2)] as const

/** How long a charge is looked at on which nothing changes. money, section 8. */
export const silentAfter = Duration.days(30)

/** Whether the processor is to say something of it still. */
export const isExpected = ({ charge, disputes, isLate, refunds }: ChargeState): boolean =>
  isOpen(charge) ||
  charge.status === "PROCESSING" ||
  ((charge.status === "SUCCEEDED" || isLate) && charge.processor_fee_cents === null) ||
  refunds.some(({ status }) => status === "PENDING") ||
  disputes.some(({ status }) => status === "OPEN")

const delayOf = (delays: ReadonlyArray<Duration.Duration>, index: number): Duration.Duration =>
  delays[Math.min(index, delays.length - 1)] ?? Duration.zero

const lastChange = ({ charge, disputes, refunds }: ChargeState): DateTime.Utc =>
  [...refunds, ...disputes].reduce((last, { updated_at }) => DateTime.max(last, updated_at), charge.updated_at)

const earlier = (a: DateTime.Utc, b: DateTime.Utc): DateTime.Utc => (DateTime.isLessThan(a, b) ? a : b)

/**
 * When a charge is looked at next: at the end of its patience at the latest, and null where nothing more is expected of it
 * or nothing has changed for 30 days. `wasReached`: whether the processor answered.
 */
export const nextPollAt = (local: ChargeState, now: DateTime.Utc, wasReached: boolean): DateTime.Utc | null => {
  const { charge } = local
  if (!isExpected(local)) return null
  const delay = wasReached ? delayOf(looks, charge.looks) : delayOf(retries, charge.looks)
  const next = addTime(now, delay)
  if (isOpen(charge) && charge.ending === null) {
    return endsOf(charge).reduce((at, end) => (DateTime.isLessThan(now, end) ? earlier(at, end) : at), next)
  }
  const silentAt = addTime(lastChange(local), silentAfter)
  return DateTime.isLessThan(silentAt, now) ? null : next
}
