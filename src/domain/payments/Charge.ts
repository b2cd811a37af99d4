import { type DateTime, Duration, Schema } from "effect"
import { PaymentMethod } from "../giving/DonationKinds.ts"
import { ChargeId, IntegrationId, MandateId, OrganisationId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, birth, byField, type Condition, define, type MachineType, requires } from "../kernel/Machine.ts"
import type { Template } from "../kernel/Mail.ts"
import { Cents, Currency } from "../kernel/Money.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { Rate } from "./Fees.ts"
import * as PaymentMessages from "./PaymentMessages.ts"

/** The states of a charge. */
export const Status = Schema.Literals(["NEW", "WAITING", "PROCESSING", "SUCCEEDED", "FAILED", "CANCELLED"]).annotate({
  identifier: "ChargeStatus"
})
export type Status = typeof Status.Type

/**
 * The subject of a charge: one gift, one payment to all recipients of a recommendation set, or an invoice of a recurring
 * gift, whose gift is written when it ends. money, sections 2 and 7.
 */
export const Purpose = Schema.Literals(["donation", "payment", "invoice"]).annotate({ identifier: "ChargePurpose" })
export type Purpose = typeof Purpose.Type

const nullableText = Schema.NullOr(Schema.String)
const nullableInstant = Schema.NullOr(Instant)

/** The meanings of a charge's fields. */
export const meanings = {
  integration_id: "The organisation's account at the processor that takes the money.",
  purpose: "What is paid: a gift, a payment to a recommendation set, or an invoice of a recurring gift.",
  subject_id: "The gift, the payment or the invoice.",
  mandate_id: "The mandate that it saves or is taken by; null for a gift that is given once.",
  method: "How the donor pays.",
  amount_cents: "How much is taken, in minor units of the currency.",
  status:
    "NEW until the processor knows it, WAITING while the donor must act, PROCESSING while the bank network has it; then how it ended.",
  reference: "The processor's own identifier, or what the donor writes on a bank transfer; null until there is one.",
  submission_id:
    "The identifier that the donor's page made: a repetition with it is the same charge. Of a gift that is given anew, the charge that ended without its money.",
  failure_code: "Why no money came; null otherwise.",
  processor_fee_cents: "What the processor took for it, in minor units; null until it says so.",
  platform_rate: "The platform's rate at the time of the charge.",
  confirmed_at: "When the processor was first told to take the money, which it does once; null before.",
  ended_at: "When it succeeded, failed or was cancelled; null before."
}

/**
 * One attempt to take money from a donor at a processor. The row is there before the processor is asked, and its id is the
 * key under which it is asked. money, sections 1 and 2.
 */
export class Charge extends Schema.Opaque<Charge>()(
  Schema.Struct({
    id: ChargeId,
    organisation_id: OrganisationId,
    integration_id: IntegrationId,
    purpose: Purpose,
    subject_id: Schema.String,
    mandate_id: Schema.NullOr(MandateId),
    method: PaymentMethod,
    amount_cents: Cents.check(Schema.isGreaterThan(0)),
    currency: Currency,
    status: Status,
    reference: nullableText,
    submission_id: Schema.String,
    failure_code: nullableText,
    processor_fee_cents: Schema.NullOr(Cents),
    platform_rate: Rate,
    /** The payment token, as the processor's page made it: sealed, and there until the processor is known to have it. */
    sealed_token: nullableText,
    /** The claims of the donor's own link that it was submitted with, as `PersonalisedLink.claimsTextOf` has them. */
    link_claims: nullableText,
    confirmed_at: nullableInstant,
    /** Why it shall end without money; it ends once the processor agrees. Null while it may succeed. */
    ending: nullableText,
    /** When it is looked at next; null where nothing more is expected of it. */
    look_at: nullableInstant,
    /** Looks since it changed last. */
    looks: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    waiting_since: nullableInstant,
    ended_at: nullableInstant,
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredCharge" })
) {}

/** The list of charges. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Status of the charge" },
    purpose: { kind: "enum", values: Purpose.literals, description: "What is paid" },
    subject_id: { kind: "text", description: "The gift, the payment or the invoice" },
    mandate_id: { kind: "text", description: "The mandate that it saves or is taken by" },
    method: { kind: "enum", values: PaymentMethod.literals, description: "How the donor pays" },
    created_at: { kind: "timestamp", description: "When the donor submitted it" }
  }
} as const satisfies ListSpec

const { every, is } = Rule.rulesOf<Charge>()

/** Charges whose money is held for the recipients of a set: all of it, and less the fees once they are known. */
export const sharedRule = every(is("purpose", "payment"), is("status", "SUCCEEDED"))

/** The transfers of such a charge's payment whose money is still held. */
export const undistributedRule = Rule.rulesOf<{ readonly transfer_status: string }>().is("transfer_status", "pending")

/** The transfers of such a charge's payment whose money is with their recipients. */
export const distributedRule = Rule.rulesOf<{ readonly transfer_status: string }>().is("transfer_status", "succeeded")

/** The commands of the machine of a charge. */
export const Command = Schema.TaggedUnion({
  Refer: { at: Instant, reference: Schema.String },
  Confirm: { at: Instant },
  Wait: { at: Instant },
  Process: { at: Instant },
  Succeed: { at: Instant },
  Fail: { at: Instant, failure_code: Schema.String },
  End: { at: Instant, failure_code: Schema.String },
  Cancel: { at: Instant, failure_code: Schema.String },
  LearnFee: { at: Instant, processor_fee_cents: Cents }
})
export type Command = typeof Command.Type

const rule = "money, section 2: Charge"
const open = ["NEW", "WAITING"] as const
const notEnded = [...open, "PROCESSING"] as const
/** Money that came after the end costs a fee too. */
const ended = ["SUCCEEDED", "FAILED", "CANCELLED"] as const

const unreferred: Condition<Charge, { readonly reference: string }> = [
  "it has no reference yet",
  (self) => self.reference === null
]
const unconfirmed: Condition<Charge, unknown> = [
  "the processor was not told to take the money yet",
  (self) => self.confirmed_at === null
]

/** How charges come to be. */
export const births = {
  submitted: { by: "a donor submits a gift or a payment", to: "NEW", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Charge",
  state: Charge,
  command: Command,
  wording: PaymentMessages.charge,
  ...byField(Status),
  rule,
  births,
  table: {
    Refer: {
      // One that was given up unheard has its reference when the processor is found to have it after all.
      from: ["NEW", "FAILED", "CANCELLED"],
      to: "same",
      ...requires(unreferred),
      patch: (_, { at, reference }) => ({ reference, updated_at: at }),
      rule: "money, section 1: its reference committed, then confirmed"
    },
    Confirm: {
      from: open,
      to: "same",
      ...requires(unconfirmed),
      // The payment token is kept: whoever writes this may be gone before the processor hears of it.
      patch: (_, { at }) => ({ confirmed_at: at, updated_at: at }),
      rule: "money, section 2: one confirmation per charge"
    },
    Wait: {
      from: ["NEW"],
      to: "WAITING",
      patch: (self, { at }) => ({
        waiting_since: at,
        sealed_token: self.confirmed_at === null ? self.sealed_token : null,
        updated_at: at
      })
    },
    Process: {
      from: open,
      to: "PROCESSING",
      // Whoever gave it up was too late: how it ends is the bank's to say.
      patch: (_, { at }) => ({ ending: null, sealed_token: null, updated_at: at })
    },
    Succeed: {
      from: notEnded,
      to: "SUCCEEDED",
      patch: (_, { at }) => ({ ending: null, sealed_token: null, ended_at: at, updated_at: at })
    },
    Fail: {
      from: notEnded,
      to: "FAILED",
      patch: (_, { at, failure_code }) => ({ failure_code, sealed_token: null, ended_at: at, updated_at: at })
    },
    End: {
      from: notEnded,
      to: "same",
      // From now on it is never confirmed, so what the donor pays with is needed no more.
      patch: (_, { at, failure_code }) => ({
        ending: failure_code,
        sealed_token: null,
        look_at: at,
        looks: 0,
        updated_at: at
      }),
      rule: "money, section 2: its intent is cancelled at the processor"
    },
    Cancel: {
      from: open,
      to: "CANCELLED",
      patch: (_, { at, failure_code }) => ({ failure_code, sealed_token: null, ended_at: at, updated_at: at })
    },
    LearnFee: {
      from: ended,
      to: "same",
      when: "the fee is another one",
      guard: (self, { processor_fee_cents }) => self.processor_fee_cents !== processor_fee_cents,
      patch: (_, { at, processor_fee_cents }) => ({ processor_fee_cents, updated_at: at }),
      rule: "money, sections 5 and 11"
    }
  }
})

export interface machine extends MachineType<typeof defined> {}
/** money, section 2: Charge. The events of a charge are those of its gift or payment. */
export const machine: machine = defined

/** What nobody knows yet of a new charge. */
const unknownYet = {
  reference: null,
  failure_code: null,
  processor_fee_cents: null,
  confirmed_at: null,
  ending: null,
  looks: 0,
  waiting_since: null,
  ended_at: null
}

type Born = Omit<Charge, keyof typeof unknownYet | "status" | "created_at" | "updated_at">

/** A charge that was submitted now. */
export const newCharge = (given: Born, at: DateTime.Utc): Charge =>
  birth(
    machine,
    births.submitted,
    (status): Charge => ({ ...given, ...unknownYet, status, created_at: at, updated_at: at })
  ).state

/** Another charge for what one was to pay that has ended without money: which one, its submission says. */
export const chargedAnew = (
  ended: Charge,
  given: Pick<Charge, "id" | "look_at" | "subject_id">,
  at: DateTime.Utc
): Charge => newCharge({ ...ended, ...given, submission_id: ended.id, sealed_token: null }, at)

/** Charges that have not ended. */
export const unendedRule = is("status", ...notEnded)

/** Bank transfers that their donors are to make. */
export const awaitedTransferRule = every(is("status", "WAITING"), is("method", "bank_transfer"))

/** Bank transfers whose donors did not make them in time. */
export const lapsedTransferRule = every(is("method", "bank_transfer"), is("failure_code", "bank_transfer_lapsed"))

/** Charges whose money has arrived. */
export const paidRule = is("status", "SUCCEEDED")

/** Charges that ended without money. */
export const unpaid = is("status", "FAILED", "CANCELLED")

/**
 * Whether money may still come without the donor doing anything. money, section 4: Link with a gift in progress.
 * @example
 * Charge.mayStillArrive({ status: "NEW", method: "bank_transfer" }) // => true
 * Charge.mayStillArrive({ status: "WAITING", method: "payto" }) // => false
 */
export const mayStillArrive = (charge: Pick<Charge, "status" | "method">): boolean =>
  charge.status === "PROCESSING" ||
  (charge.method === "bank_transfer" && (charge.status === "NEW" || charge.status === "WAITING"))

const patience = {
  card: Duration.hours(Limits.cardWaitHours),
  au_becs_debit: Duration.hours(Limits.cardWaitHours),
  payto: Duration.days(Limits.paytoWaitDays),
  bank_transfer: Duration.days(Limits.bankTransferLapseDays)
} as const

/** When a charge that waits for its donor is given up. money, section 2: Charge. */
export const lapsesAt = ({ created_at, method, waiting_since }: Charge): DateTime.Utc =>
  addTime(method === "bank_transfer" ? created_at : (waiting_since ?? created_at), patience[method])

/**
 * The failure code of a charge that was given up because its donor did nothing.
 * @example Charge.lapseCode({ method: "payto" }) // => "abandoned"
 */
export const lapseCode = ({ method }: Pick<Charge, "method">): string =>
  method === "bank_transfer" ? "bank_transfer_lapsed" : "abandoned"

/** The codes with which we end a charge ourselves. All others are the processor's. money, section 2: Charge. */
const ownCodes = ["abandoned", "bank_transfer_lapsed", "cancelled", "processor_unreachable"] as const

/** Whether a charge was ended by us, and not by its processor. */
export const isOwn = (code: string): boolean => ownCodes.some((own) => own === code)

/**
 * The code with which a charge failed, or will: a decline shows at once, while the processor is still told that nothing more
 * comes of it. Of one that we end, money may come until the processor has answered. money, section 2: Charge.
 * @example
 * Charge.failureOf({ status: "SUCCEEDED", failure_code: "declined", ending: null }) // => null
 * Charge.failureOf({ status: "WAITING", failure_code: null, ending: "declined" }) // => "declined"
 * Charge.failureOf({ status: "WAITING", failure_code: null, ending: "cancelled" }) // => null
 */
export const failureOf = ({
  ending,
  failure_code,
  status
}: Pick<Charge, "ending" | "failure_code" | "status">): string | null => {
  const declined = ending !== null && isOwn(ending) ? null : ending
  return status === "SUCCEEDED" ? null : (failure_code ?? declined)
}

/** Whether a charge ended without money, and nobody wanted it so. */
const hasFailed = ({ failure_code, status }: Pick<Charge, "failure_code" | "status">): boolean =>
  status === "FAILED" || (status === "CANCELLED" && failure_code !== "cancelled")

/**
 * The mail that its donor is owed once a charge has moved; null where none is. Whoever pays by card sees on the page how it
 * goes; a renewal is taken while nobody looks. pages, section 2.
 * @example
 * const asked = { failure_code: null, method: "payto", purpose: "donation" } as const
 * Charge.owedMail({ ...asked, status: "NEW" }, { ...asked, status: "WAITING" }) // => "payment_processing"
 * Charge.owedMail({ ...asked, status: "WAITING" }, { ...asked, status: "PROCESSING" }) // => null
 * Charge.owedMail({ ...asked, status: "NEW" }, { ...asked, method: "card", status: "FAILED" }) // => null
 */
export const owedMail = (
  before: Pick<Charge, "status">,
  after: Pick<Charge, "failure_code" | "method" | "purpose" | "status">
): Extract<Template, "payment_processing" | "payment_failed"> | null => {
  if (before.status === after.status) return null
  if (after.purpose === "invoice") return hasFailed(after) ? "payment_failed" : null
  const isFollowed = after.status === "WAITING" || after.status === "PROCESSING"
  if (after.method === "card") return null
  if (before.status === "NEW") return isFollowed ? "payment_processing" : null
  return hasFailed(after) ? "payment_failed" : null
}
