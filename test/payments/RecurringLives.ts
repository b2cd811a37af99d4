import type { TestMandate } from "../../src/domain/payments/TestCharge.ts"
import {
  type Act,
  bank,
  debit,
  hours,
  type Life,
  open,
  paidLife,
  processingLife,
  progress,
  submit,
  work
} from "./Life.ts"

// The lives of gifts that are repeated each month.

const renew: Act = { _tag: "renew" }
const workOn: Act = { _tag: "workOnRenewals" }
const mandate = (set: TestMandate): Act => ({ _tag: "mandate", set })
const renewal = (how: "settle" | "dispute" | "loseDispute"): Act => ({ _tag: "renewal", how })
const end: Act = { _tag: "end" }
const hear: Act = { _tag: "hear" }

/** So many days after the beginning. A month has passed after 32 of them, and the next one not before 59. */
const days = (count: number): Act => hours(24 * count)
const month = days(32)
/** Beyond the tries after 3, 5 and 7 days, each of them a day late. */
const retries: ReadonlyArray<Act> = [36, 42, 50].flatMap((each) => [days(each), renew])

const monthly = { frequency: "MONTHLY" } as const
const renewed = ["donation.created", "donation.succeeded"]
const failed = ["donation.created", "donation.failed", "subscription.payment_failed"]

/** What is as it is after the first charge. */
const setUp = {
  statuses: ["ACTIVE", "ACTIVE", "PAID"],
  gifts: [],
  left: [0, 0],
  told: ["subscription.created"]
} as const

export const recurringLives: ReadonlyArray<Life> = [
  {
    name: "is to be repeated",
    given: monthly,
    acts: [open, submit, progress, work, renew],
    outcome: { ...paidLife, recurring: setUp }
  },
  {
    name: "is repeated",
    given: monthly,
    acts: [submit, month, renew, renew],
    outcome: {
      ...paidLife,
      recurring: {
        statuses: ["ACTIVE", "ACTIVE", "PAID", "PAID"],
        gifts: ["CONFIRMED"],
        left: [5_000, 1],
        told: [...setUp.told, ...renewed]
      }
    }
  },
  {
    name: "fails a month later, and is repeated after three days",
    isAlone: true,
    given: monthly,
    acts: [submit, mandate("DECLINING"), month, renew, mandate("WORKING"), days(36), renew],
    outcome: {
      ...paidLife,
      recurring: {
        statuses: ["ACTIVE", "ACTIVE", "PAID", "PAID"],
        gifts: ["FAILED", "CONFIRMED"],
        left: [5_000, 2],
        told: [...setUp.told, ...failed, ...renewed]
      }
    }
  },
  {
    name: "fails a month later, and with each try",
    isAlone: true,
    given: monthly,
    acts: [submit, mandate("DECLINING"), month, renew, ...retries, days(51), renew],
    outcome: {
      ...paidLife,
      recurring: {
        statuses: ["CANCELLED", "REVOKED", "PAID", "FAILED"],
        gifts: ["FAILED"],
        left: [0, 4],
        told: [...setUp.told, ...failed, "subscription.cancelled"]
      }
    }
  },
  {
    name: "is ended while it is repeated",
    given: { ...debit, ...monthly },
    acts: [submit, bank("settle"), work, month, renew, end, renewal("settle"), workOn, renew],
    outcome: {
      ...processingLife(paidLife),
      recurring: {
        statuses: ["CANCELLED", "REVOKED", "PAID", "PAID"],
        gifts: ["CONFIRMED"],
        left: [5_000, 1],
        told: [...setUp.told, "subscription.cancelled", ...renewed]
      }
    }
  },
  {
    name: "ends when it is repeated and disputed",
    given: monthly,
    acts: [submit, month, renew, renewal("dispute"), workOn, renewal("loseDispute"), workOn, renew],
    outcome: {
      ...paidLife,
      recurring: {
        statuses: ["CANCELLED", "REVOKED", "PAID", "PAID"],
        gifts: ["REFUNDED"],
        left: [0, 1],
        told: [...setUp.told, ...renewed, "donation.refunded", "subscription.cancelled"]
      }
    }
  },
  {
    name: "ends when the bank tells that its donor has revoked the mandate",
    given: monthly,
    acts: [submit, work, renew, mandate("REVOKED"), hear, renew],
    outcome: {
      ...paidLife,
      recurring: {
        ...setUp,
        statuses: ["CANCELLED", "REVOKED", "PAID"],
        told: [...setUp.told, "subscription.cancelled"]
      }
    }
  }
]
