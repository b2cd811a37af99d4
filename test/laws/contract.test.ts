import { assert, describe, it } from "@effect/vitest"
import { machines, type PrintedMachine } from "../../src/printing/ReferenceMachines.ts"

/**
 * The contract's machines, written a second time: births, then each command with where it starts, where it leads, what it
 * emits, and `?` where a condition stands before it. decisions, section 5.
 */
const contract: Readonly<Record<string, ReadonlyArray<string>>> = {
  Introduction: [
    "* → PENDING [introduction.created]",
    "Open: PENDING → VIEWED [introduction.viewed] ?",
    "Accept: VIEWED → ACCEPTED [introduction.accepted] ?",
    "Link: ACCEPTED → LINKED [introduction.linked, recipient_org_account_link.created] ?",
    "Expire: PENDING, VIEWED, ACCEPTED → EXPIRED [introduction.expired] ?",
    "Revoke: PENDING, VIEWED, ACCEPTED → REVOKED [introduction.revoked] ?",
    "Resend: PENDING, VIEWED → same ?"
  ],
  Donation: [
    "* → PENDING [donation.created]",
    "* → CONFIRMED [donation.created, donation.succeeded]",
    "EnterNetwork: PENDING → PENDING [donation.processing] ?",
    "Settle: PENDING → CONFIRMED [donation.succeeded] ?",
    "SettleTransfer: PENDING → CONFIRMED [donation.succeeded] ?",
    "Fail: PENDING → FAILED [donation.failed]",
    "Lapse: PENDING → FAILED [donation.failed] ?",
    "RefundPart: CONFIRMED → CONFIRMED [donation.refunded] ?",
    "RefundRest: CONFIRMED → REFUNDED [donation.refunded] ?",
    "ReverseRefund: CONFIRMED, REFUNDED → CONFIRMED [donation.refund_reversed] ?",
    "LoseChargeback: CONFIRMED → REFUNDED [donation.refunded] ?",
    "LoseChargebackPart: CONFIRMED → CONFIRMED [donation.refunded] ?"
  ],
  Refund: ["* → PENDING", "* → SUCCEEDED", "Succeed: PENDING → SUCCEEDED", "Fail: PENDING, SUCCEEDED → FAILED"],
  Charge: [
    "* → NEW",
    "Refer: NEW, FAILED, CANCELLED → same ?",
    "Confirm: NEW, WAITING → same ?",
    "Wait: NEW → WAITING",
    "Process: NEW, WAITING → PROCESSING",
    "Succeed: NEW, WAITING, PROCESSING → SUCCEEDED",
    "Fail: NEW, WAITING, PROCESSING → FAILED",
    "End: NEW, WAITING, PROCESSING → same",
    "Cancel: NEW, WAITING → CANCELLED",
    "LearnFee: SUCCEEDED, FAILED, CANCELLED → same ?"
  ],
  Dispute: ["* → OPEN", "* → LOST", "Win: OPEN, LOST → WON", "Lose: OPEN → LOST", "LearnFee: OPEN, WON, LOST → same ?"],
  "Payment exception": ["* → OPEN", "Resolve: OPEN → RESOLVED"],
  Notice: [
    "* → RECEIVED",
    "Apply: RECEIVED, WAITING → APPLIED",
    "Ignore: RECEIVED, WAITING → IGNORED",
    "Wait: RECEIVED, WAITING → WAITING",
    "Delay: RECEIVED, WAITING → same",
    "Fail: RECEIVED, WAITING → FAILED",
    "Retry: IGNORED, FAILED → RECEIVED"
  ],
  "Recommendation set payment": [
    "* → PENDING",
    "AwaitFunds: PENDING → AWAITING_FUNDS ?",
    "Succeed: PENDING, AWAITING_FUNDS → SUCCEEDED [recommendation_set.payment_succeeded]",
    "Fail: PENDING, AWAITING_FUNDS → FAILED [recommendation_set.payment_failed]",
    "Lapse: AWAITING_FUNDS → LAPSED [recommendation_set.payment_failed] ?"
  ],
  Transfer: [
    "* → pending",
    "Retry: pending → pending ?",
    "Succeed: pending → succeeded [recommendation_set.distribution_succeeded] ?",
    "Fail: pending → failed [recommendation_set.distribution_failed] ?",
    "Skip: pending → succeeded ?",
    "Restart: failed, reversed → pending",
    "Reverse: succeeded → reversed"
  ],
  "Transfer attempt": ["* → NEW", "Send: NEW → NEW ?", "Succeed: NEW → SUCCEEDED", "Refuse: NEW → FAILED"],
  "Recommendation set": [
    "* → ACTIVE [recommendation_set.created]",
    "Change: ACTIVE, DEACTIVATED → same [recommendation_set.updated] ?",
    "Deactivate: ACTIVE → DEACTIVATED [recommendation_set.deactivated]",
    "Reactivate: DEACTIVATED → ACTIVE [recommendation_set.updated] ?",
    "Archive: ACTIVE, DEACTIVATED → ARCHIVED [recommendation_set.archived]"
  ],
  "Checkout link": [
    "* → ACTIVE [checkout_link.created]",
    "Visit: ACTIVE → ACTIVE",
    "Begin: ACTIVE → ACTIVE ?",
    "Release: ACTIVE, CANCELED, ARCHIVED → same ?",
    "Complete: ACTIVE, CANCELED → COMPLETED [checkout_link.updated] ?",
    "CompleteArchived: ARCHIVED → ARCHIVED [checkout_link.updated] ?",
    "Change: ACTIVE → ACTIVE [checkout_link.updated] ?",
    "Expire: ACTIVE → EXPIRED [checkout_link.updated] ?",
    "ExpireArchived: ARCHIVED → ARCHIVED [checkout_link.updated] ?",
    "Cancel: ACTIVE → CANCELED [checkout_link.cancelled] ?",
    "Archive: ACTIVE, COMPLETED, EXPIRED, CANCELED → ARCHIVED [checkout_link.archived] ?"
  ],
  "Consent prompt": ["* → ACTIVE", "Change: ACTIVE → ACTIVE", "Archive: ACTIVE → ARCHIVED"],
  "Donation form": [
    "* → DRAFT [donation_form.created]",
    "Activate: DRAFT → ACTIVE [donation_form.updated]",
    "Pause: ACTIVE → PAUSED [donation_form.updated]",
    "Resume: PAUSED → ACTIVE [donation_form.updated]",
    "Change: DRAFT, ACTIVE, PAUSED → same [donation_form.updated] ?",
    "Archive: DRAFT, ACTIVE, PAUSED → ARCHIVED [donation_form.archived]"
  ],
  Subscription: [
    "* → INCOMPLETE [subscription.created]",
    "Activate: INCOMPLETE, PAST_DUE → ACTIVE",
    "Renew: ACTIVE → same",
    "MakeInvoice: INCOMPLETE, ACTIVE, PAST_DUE → same ?",
    "FailInvoice: INCOMPLETE, ACTIVE, PAST_DUE → PAST_DUE [subscription.payment_failed] ?",
    "Cancel: INCOMPLETE, ACTIVE, PAST_DUE → CANCELLED [subscription.cancelled] ?"
  ],
  Invoice: [
    "* → OPEN",
    "Attempt: OPEN → same",
    "FailAttempt: OPEN → same",
    "Pay: OPEN → PAID",
    "GiveUp: OPEN → FAILED"
  ],
  Mandate: ["* → PENDING", "Activate: PENDING → ACTIVE", "Revoke: PENDING, ACTIVE → REVOKED"],
  Campaign: ["* → DRAFT", "Change: DRAFT → DRAFT", "Generate: DRAFT → GENERATED"],
  Disclosure: [
    "* → PENDING [disclosure.created]",
    "Review: PENDING → REVIEW [disclosure.updated]",
    "Return: REVIEW → PENDING [disclosure.updated]",
    "Recount: PENDING, REVIEW → same [disclosure.updated] ?",
    "Complete: PENDING, REVIEW → COMPLETED [disclosure.updated]",
    "Cancel: PENDING, REVIEW → CANCELLED [disclosure.updated] ?",
    "Supersede: PENDING, REVIEW, COMPLETED, CANCELLED → SUPERSEDED [disclosure.updated]"
  ],
  "Webhook endpoint": [
    "* → ACTIVE",
    "Disable: ACTIVE → DISABLED",
    "DisableFailing: ACTIVE → DISABLED ?",
    "Enable: DISABLED → ACTIVE",
    "Delete: ACTIVE, DISABLED → DELETED"
  ],
  "Webhook delivery": [
    "* → PENDING",
    "* → PENDING",
    "Deliver: PENDING → DELIVERED",
    "Retry: PENDING → PENDING ?",
    "Exhaust: PENDING → FAILED ?",
    "Interrupt: PENDING → PENDING ?",
    "GiveUp: PENDING → FAILED ?",
    "Abandon: PENDING → FAILED"
  ],
  "Consumed event": [
    "* → PENDING",
    "Handle: PENDING → HANDLED",
    "Retry: PENDING → PENDING ?",
    "Park: PENDING → PARKED ?",
    "Interrupt: PENDING → PENDING ?",
    "GiveUp: PENDING → PARKED ?",
    "Resume: PENDING, PARKED → PENDING",
    "Skip: PENDING, PARKED → SKIPPED"
  ],
  "Recipient account link": [
    "* → ACTIVE [recipient_org_account_link.created]",
    "* → ACTIVE",
    "Deactivate: ACTIVE → INACTIVE [recipient_org_account_link.deactivated]",
    "Reactivate: INACTIVE → ACTIVE [recipient_org_account_link.updated]",
    "Introduce: ACTIVE, INACTIVE → ACTIVE",
    "Rename: ACTIVE, INACTIVE → same [recipient_org_account_link.updated]"
  ],
  "API key": ["* → ACTIVE", "Revoke: ACTIVE → REVOKED"],
  Donor: [
    "* → ACTIVE [donor.created]",
    "Change: ACTIVE → ACTIVE [donor.updated] ?",
    "Merge: ACTIVE → ACTIVE [donor.merged] ?",
    "MergeInto: ACTIVE → ARCHIVED",
    "Archive: ACTIVE → ARCHIVED [donor.archived]"
  ],
  "Contact log": ["* → ACTIVE", "Change: ACTIVE → ACTIVE", "Delete: ACTIVE → DELETED"],
  "Revenue code": ["* → ACTIVE", "* → ACTIVE", "Change: ACTIVE → ACTIVE", "Archive: ACTIVE → ARCHIVED"]
}

const emitted = (emits: ReadonlyArray<string>): string => (emits.length === 0 ? "" : ` [${emits.join(", ")}]`)

const linesOf = ({ births, table }: PrintedMachine): ReadonlyArray<string> => [
  ...births.map(({ emits, to }) => `* → ${to}${emitted(emits)}`),
  ...Object.entries(table).map(
    ([tag, { emits, from, to, when }]) =>
      `${tag}: ${from.join(", ")} → ${to}${emitted(emits)}${when === undefined ? "" : " ?"}`
  )
]

describe("the tables say what the contract says", () => {
  it.each(Object.entries(contract))("%s", (name, lines) => {
    const machine = machines.find((each) => each.name === name) ?? assert.fail(`there is no machine ${name}`)
    assert.deepStrictEqual(linesOf(machine), lines)
  })

  it("for every machine", () => {
    assert.sameMembers(
      machines.map(({ name }) => name),
      Object.keys(contract)
    )
  })
})
