import { amount, type Life } from "./Life.ts"
import type { LifeOutcome } from "./LifeReport.ts"

/** Whether one process lives a life, or two do at the same moment. */
export type How = "alone" | "beside"

const isEnding = (type: string): boolean => type === "subscription.cancelled"

/** The events of a recurring gift, its end last. */
const endingLast = (types: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...types.filter((type) => !isEnding(type)),
  ...types.filter(isEnding)
]

/** What is wrong about a recurring gift beside its first gift. */
const faultsOfRecurring = ({ acts, outcome }: Life, { recurring }: LifeOutcome, how: How): ReadonlyArray<string> => {
  // Of two processes one may have staff end it before or after the other has the bank pay.
  const isEndedAnyTime = how === "beside" && acts.some(({ _tag }) => _tag === "end")
  const told = (types: ReadonlyArray<string>) => (isEndedAnyTime ? endingLast(types) : types)
  const wanted = outcome.recurring
  if (recurring === null || wanted === undefined) {
    return differences("is recurring", recurring !== null, wanted !== undefined)
  }
  return [
    ...differences("statuses", recurring.statuses, wanted.statuses),
    ...differences("gifts after the first", recurring.gifts, wanted.gifts),
    ...differences("left of the charges after the first", recurring.left, wanted.left),
    ...differences("events of the recurring gift", told(recurring.told), told(wanted.told)),
    ...differences("never two charges on one day", recurring.on_a_day <= 1, true)
  ]
}

const differences = (what: string, is: unknown, wanted: unknown): ReadonlyArray<string> =>
  JSON.stringify(is) === JSON.stringify(wanted) ? [] : [`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`]

/** What is wrong about a gift after its life; nothing where all is as it must be. */
export const faultsOfLife = (life: Life, lived: LifeOutcome | null | undefined, how: How): ReadonlyArray<string> => {
  if (lived === null || lived === undefined) return ["It was lost."]
  const { given, outcome, page, recipients = 1 } = life
  // The parts of a payment reach their recipients in no order.
  const told = (types: ReadonlyArray<string>) => (recipients > 1 ? types.toSorted() : types)
  const hasMoney = outcome.gift === "CONFIRMED" || outcome.gift === "REFUNDED"
  const isTransfer = given?.method === "bank_transfer"
  const isPayment = page === "set"
  const hasDonor = !isPayment || outcome.gift === "SUCCEEDED"
  return [
    ...differences("charge", lived.charge, outcome.charge),
    ...differences("gift", lived.gift, outcome.gift),
    ...differences("amount", lived.amount, amount),
    ...differences("left at the bank", lived.left, outcome.left),
    ...differences("refunded", lived.refunded, hasMoney && !isTransfer ? amount - outcome.left : 0),
    ...differences("charges at the bank", lived.taken <= 1, true),
    ...differences("refunds at the bank", new Set(lived.paidBack).size, lived.paidBack.length),
    ...differences("events", told(lived.told), told([...(isPayment ? [] : ["donation.created"]), ...outcome.told])),
    ...differences("events of the donor", lived.donor, hasDonor ? ["donor.created"] : []),
    ...differences("corrected receipts", ...lived.corrections),
    ...differences("refunds", lived.refunds, outcome.refunds ?? []),
    // Two that look at one gift at once may each raise one of them first.
    ...differences("exceptions", lived.raised.toSorted(), (outcome.raised ?? []).toSorted()),
    ...differences("credits", lived.came, outcome.came ?? []),
    ...differences("gifts that were booked", lived.booked, outcome.booked ?? []),
    ...differences("transfers", lived.transfers, outcome.transfers ?? []),
    ...(outcome.theirs === undefined ? [] : differences("gifts of the recipients", lived.theirs, outcome.theirs)),
    ...(outcome.sent === undefined ? [] : differences("parts that the bank sent on", lived.sent, outcome.sent)),
    ...(outcome.summaries === undefined ? [] : differences("summaries", lived.summaries, outcome.summaries)),
    ...differences("link", lived.link, outcome.link ?? []),
    ...differences("next on the link", lived.next, outcome.next ?? []),
    ...faultsOfRecurring(life, lived, how)
  ]
}
