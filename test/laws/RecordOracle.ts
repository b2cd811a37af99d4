import { DateTime } from "effect"

/** A record whose fields are looked at by name. */
type Drawn = Readonly<Record<string, unknown>>

const there = (record: Drawn, field: string): boolean => record[field] !== null && record[field] !== undefined

const millis = (value: unknown): number => (DateTime.isDateTime(value) ? DateTime.toEpochMillis(value) : Number.NaN)

const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

/**
 * Which fields have a value in which statuses, as docs/state-machines.md tells what each command writes: `=` exactly in these,
 * `<` in none but these.
 */
const byStatus: Readonly<Record<string, ReadonlyArray<string>>> = {
  charge: [
    "ended_at = SUCCEEDED FAILED CANCELLED",
    "failure_code = FAILED CANCELLED",
    "sealed_token < NEW WAITING",
    "waiting_since < WAITING PROCESSING SUCCEEDED FAILED CANCELLED",
    "ending < NEW WAITING PROCESSING FAILED CANCELLED",
    "processor_fee_cents < SUCCEEDED FAILED CANCELLED"
  ],
  checkoutLink: ["donation_id = COMPLETED", "pending_donation_id < ACTIVE CANCELED"],
  campaign: [
    "generated_at = GENERATED",
    "generated_count = GENERATED",
    "without_email = GENERATED",
    "public_ref = GENERATED"
  ],
  delivery: ["next_attempt_at = PENDING", "completed_at = DELIVERED FAILED"],
  dispute: ["ended_at = WON LOST", "refund_id < WON LOST"],
  donation: ["failure_code = FAILED", "received_date < CONFIRMED REFUNDED", "received_day < CONFIRMED REFUNDED"],
  donationForm: ["archived_at = ARCHIVED", "activated_at < ACTIVE PAUSED ARCHIVED"],
  introduction: [
    "linked_at = LINKED",
    "accepted_recipient_org_account_link_id = LINKED",
    "linked_by_user_id = LINKED",
    "revoked_at = REVOKED",
    "viewed_at < VIEWED ACCEPTED LINKED EXPIRED REVOKED",
    "accepted_at < ACCEPTED LINKED EXPIRED REVOKED"
  ],
  invoice: ["donation_id = PAID", "next_attempt_at < OPEN", "ended_at = PAID FAILED"],
  mandate: ["reference < ACTIVE REVOKED", "revoked_at = REVOKED"],
  notice: ["apply_at = RECEIVED WAITING", "ended_at = APPLIED IGNORED FAILED", "error < RECEIVED WAITING FAILED"],
  payment: ["succeeded_at = SUCCEEDED", "failed_at = FAILED LAPSED", "failure_code = FAILED LAPSED"],
  paymentException: ["note = RESOLVED", "resolved_by = RESOLVED", "resolved_at = RESOLVED", "donation_id < RESOLVED"],
  refund: ["refunded_at < SUCCEEDED FAILED"],
  subscription: [
    "next_charge_on = INCOMPLETE ACTIVE PAST_DUE",
    "cancelled_at = CANCELLED",
    "cancel_reason < CANCELLED",
    "donor_cancel_reason_code < CANCELLED",
    "donor_cancel_reason < CANCELLED",
    "last_paid_invoice_id < ACTIVE PAST_DUE CANCELLED"
  ],
  transferAttempt: ["failure_code = FAILED", "look_at = NEW", "ended_at = SUCCEEDED FAILED", "reference < SUCCEEDED"]
}

/** What is true of every record of a kind that commands lead to. */
const rules: Readonly<Record<string, Readonly<Record<string, (record: Drawn) => boolean>>>> = {
  charge: {
    "a token is not kept of what shall end": (each) => !there(each, "sealed_token") || !there(each, "ending"),
    "what waits knows since when": (each) => each["status"] !== "WAITING" || there(each, "waiting_since")
  },
  checkoutLink: {
    "a bank transfer is of a gift": (each) =>
      each["pending_bank_transfer"] !== true || there(each, "pending_donation_id"),
    "visits are dated": (each) => number(each["visit_count"]) > 0 === there(each, "last_visited_at")
  },
  donationForm: {
    "a form that is live was activated": (each) =>
      !["ACTIVE", "PAUSED"].includes(String(each["status"])) || there(each, "activated_at"),
    "amounts ascend": (each) => {
      const amounts = ["minimum", "default", "maximum"].flatMap((name) => each[`${name}_amount_cents`] ?? [])
      return amounts.every((amount, at) => at === 0 || number(amounts[at - 1]) <= number(amount))
    },
    "suggestions ascend, from one to eight": ({ suggested_amounts_cents }) => {
      const amounts = suggested_amounts_cents as ReadonlyArray<number>
      return (
        amounts.length >= 1 &&
        amounts.length <= 8 &&
        amounts.every((each, at) => at === 0 || each > Number(amounts[at - 1]))
      )
    },
    "what may be repeated says how often": (each) =>
      each["allow_recurring"] !== true || (each["recurring_frequencies"] as ReadonlyArray<string>).length > 0
  },
  delivery: {
    "what is pending has an attempt and an interruption left": (each) =>
      each["status"] !== "PENDING" || (number(each["attempt_count"]) < 6 && number(each["interruption_count"]) < 6)
  },
  donation: {
    "what is given back goes with the status": ({ amount_cents, refunded_amount_cents, status }) => {
      const [whole, back] = [number(amount_cents), number(refunded_amount_cents)]
      if (status === "REFUNDED") return back === whole
      return status === "CONFIRMED" ? back >= 0 && back < whole : back === 0
    }
  },
  introduction: {
    "who accepted is known from then on": (each) =>
      ["accepted_organisation_id", "accepted_by_user_id"].every(
        (field) => there(each, field) === there(each, "accepted_at")
      ),
    "what was accepted was viewed": (each) => !there(each, "accepted_at") || there(each, "viewed_at"),
    "a status has what led to it": (each) =>
      (each["status"] !== "VIEWED" || there(each, "viewed_at")) &&
      (!["ACCEPTED", "LINKED"].includes(String(each["status"])) || there(each, "accepted_at")),
    "resends are dated, and at most three": (each) =>
      number(each["resend_count"]) > 0 === there(each, "last_resent_at") && number(each["resend_count"]) <= 3,
    "it ends after what happened to it": (each) =>
      ["created_at", "viewed_at", "accepted_at", "linked_at", "last_resent_at"].every(
        (field) => !there(each, field) || millis(each[field]) < millis(each["expires_at"])
      )
  },
  invoice: {
    "failures are dated": (each) => number(each["failures"]) > 0 === there(each, "failed_at"),
    "a gift has failed where an attempt has": (each) =>
      !there(each, "failed_donation_id") || number(each["failures"]) > 0,
    "what was paid or tried was charged": (each) =>
      (each["status"] !== "PAID" && number(each["failures"]) === 0) || there(each, "charge_id")
  },
  mandate: { "what is charged has a reference": (each) => each["status"] !== "ACTIVE" || there(each, "reference") },
  notice: {
    "what went wrong was tried": (each) =>
      !there(each, "error") || number(each["attempts"]) > 0 || each["status"] === "FAILED"
  },
  payment: {
    "fees and net amounts are the total": (each) => {
      const parts = each["allocations"] as ReadonlyArray<{ readonly net_amount_cents: number }>
      const net = parts.reduce((sum, { net_amount_cents }) => sum + net_amount_cents, 0)
      return (
        net + number(each["platform_fee_cents"]) + number(each["processor_fee_cents"]) === each["total_amount_cents"]
      )
    },
    "gross amounts are the total": (each) => {
      const parts = each["allocations"] as ReadonlyArray<{ readonly gross_amount_cents: number }>
      return parts.reduce((sum, { gross_amount_cents }) => sum + gross_amount_cents, 0) === each["total_amount_cents"]
    },
    "transfers are dated as they stand": (each) =>
      (each["allocations"] as ReadonlyArray<Drawn>).every(
        (part) =>
          there(part, "failed_at") === (part["transfer_status"] === "failed") &&
          there(part, "reversed_at") === (part["transfer_status"] === "reversed") &&
          there(part, "succeeded_at") === ["succeeded", "reversed"].includes(String(part["transfer_status"]))
      ),
    "nothing goes on before it was paid": (each) =>
      each["payment_status"] === "SUCCEEDED" ||
      (each["allocations"] as ReadonlyArray<Drawn>).every((part) => part["transfer_status"] === "pending"),
    "only a bank transfer is awaited": (each) =>
      !["AWAITING_FUNDS", "LAPSED"].includes(String(each["payment_status"])) ||
      each["payment_method_type"] === "bank_transfer"
  },
  paymentException: {
    "no more is held than it is about": (each) => number(each["held_cents"]) <= number(each["amount_cents"])
  },
  recipientAccount: {
    "what is not active is dated": (each) => each["is_active"] === true || there(each, "deactivated_at")
  },
  recommendationSet: {
    "amounts are those of its mode": ({ allocations, amount_mode }) =>
      (allocations as ReadonlyArray<{ readonly amount_cents: number }>).every(({ amount_cents }) =>
        amount_mode === "OPEN" ? amount_cents === 0 : amount_cents >= 1
      ),
    "each recipient is there once": ({ allocations }) => {
      const links = (allocations as ReadonlyArray<Drawn>).map((each) => each["recipient_org_account_link_id"])
      return new Set(links).size === links.length && links.length > 0
    },
    "a floor can be met": ({ allocations, amount_mode, min_total_cents }) => {
      const total = (allocations as ReadonlyArray<{ readonly amount_cents: number }>).reduce(
        (sum, each) => sum + each.amount_cents,
        0
      )
      return (
        min_total_cents === null ||
        (number(min_total_cents) >= 1 && (amount_mode !== "FIXED" || number(min_total_cents) <= total))
      )
    },
    "what is archived is not active": (each) => !there(each, "archived_at") || each["is_active"] === false
  },
  refund: { "what succeeded is dated": (each) => each["status"] !== "SUCCEEDED" || there(each, "refunded_at") },
  subscription: {
    "a donor's words come with a code": (each) =>
      !there(each, "donor_cancel_reason") || there(each, "donor_cancel_reason_code"),
    "what is active was paid": (each) => each["status"] !== "ACTIVE" || there(each, "last_paid_invoice_id"),
    "the next day is no earlier than the first": (each) =>
      !there(each, "next_charge_on") || String(each["next_charge_on"]) >= String(each["anchor_day"]),
    "no charge is newer than the next day": (each) =>
      !there(each, "next_charge_on") ||
      !there(each, "last_charged_on") ||
      String(each["last_charged_on"]) <= String(each["next_charge_on"])
  },
  transferAttempt: {
    "what ended was sent": (each) => each["status"] === "NEW" || there(each, "sent_at"),
    "what succeeded has a reference": (each) => each["status"] !== "SUCCEEDED" || there(each, "reference")
  },
  webhookEndpoint: {
    "what is not active says why": (each) => (each["is_active"] === false) === there(each, "disabled_reason")
  }
}

/** The kinds of records of which something is known. */
export const knownKinds: ReadonlyArray<string> = [...new Set([...Object.keys(byStatus), ...Object.keys(rules)])]

/** Instants that somebody says, or at which something is due: they lie where they will. */
const free = new Set([
  "created_at",
  "updated_at",
  "look_at",
  "next_attempt_at",
  "apply_at",
  "follow_up_at",
  "follow_up_completed_at",
  "occurred_at",
  "marketing_consent_at",
  "recorded_at",
  "polling_at",
  "effective_from"
])

/** What is wrong about a record, in words; empty where commands may have led to it. */
export const faultsOf = (kind: string, record: Drawn): ReadonlyArray<string> => {
  const status = String(record["status"] ?? record["payment_status"])
  const misplaced = (byStatus[kind] ?? []).filter((sentence) => {
    const [field = "", sign, ...statuses] = sentence.split(" ")
    const belongs = statuses.includes(status)
    return sign === "=" ? there(record, field) !== belongs : there(record, field) && !belongs
  })
  const broken = Object.entries(rules[kind] ?? {}).flatMap(([name, holds]) => (holds(record) ? [] : [name]))
  const untimely = Object.keys(record).filter(
    (field) =>
      /_(?:at|since)$/u.test(field) &&
      !free.has(field) &&
      !/expires?_at$/u.test(field) &&
      there(record, field) &&
      (millis(record[field]) < millis(record["created_at"]) || millis(record[field]) > millis(record["updated_at"]))
  )
  return [...misplaced, ...broken, ...untimely.map((field) => `${field} lies in the record's life`)]
}
