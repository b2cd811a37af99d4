import { DateTime, Duration, Schema, Struct } from "effect"
import type { Donation } from "../giving/Donation.ts"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { DisclosureId, DonationId, DonorId, OrganisationId } from "../kernel/Ids.ts"
import { subtractTime } from "../kernel/InstantRange.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { define } from "../kernel/Machine.ts"
import { Cents } from "../kernel/Money.ts"
import * as Refusals from "../kernel/Refusals.ts"
import { compareCodePoints } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { Comparison, crosses, type Period, type Regime } from "./Regime.ts"

/** The states of a disclosure. */
export const Status = Schema.Literals(["PENDING", "REVIEW", "COMPLETED", "CANCELLED", "SUPERSEDED"]).annotate({
  identifier: "DisclosureStatus"
})
export type Status = typeof Status.Type

/** A notice to be given about a donor who crossed a threshold; amounts in minor units. decisions, section 11. */
export class Disclosure extends Schema.Opaque<Disclosure>()(
  Schema.Struct({
    id: DisclosureId,
    organisation_id: OrganisationId,
    donor_id: DonorId,
    jurisdiction: Schema.String,
    period: Schema.String.annotate({ description: "Name of the period, such as 2025-26 or 2027" }),
    starts_on: CalendarDate,
    ends_on: CalendarDate,
    status: Status,
    threshold_cents: Cents.annotate({ description: "The threshold that was crossed" }),
    /** How the total is compared with the threshold. */
    comparison: Comparison,
    total_cents: Cents.annotate({ description: "Gifts that count, in-kind included, less refunds" }),
    in_kind_cents: Cents.annotate({ description: "The part of the total that was given in kind" }),
    crossed_at: Instant.annotate({ description: "When the gift was given that crossed the threshold" }),
    due_at: Schema.NullOr(Instant).annotate({
      description: "The last instant at which notice is in time; null where none is asked for"
    }),
    donation_ids: Schema.Array(DonationId),
    completed_at: Schema.NullOr(Instant),
    lodgement_reference: Schema.NullOr(Schema.String),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredDisclosure" })
) {}

const internal = ["organisation_id", "comparison"] as const

/** A disclosure as it is shown. decisions, section 11: Record. */
export const DisclosureRecord = Disclosure.mapFields(Struct.omit(internal)).annotate({ identifier: "Disclosure" })

/** The data of the disclosure events: the record. decisions, sections 6 and 11. */
export const eventData = Disclosure.mapFields(Struct.omit(internal)).annotate({ identifier: "DisclosureEventData" })

/** A disclosure as it is shown. */
export const recordOf = (disclosure: Disclosure): (typeof DisclosureRecord)["Type"] => Struct.omit(disclosure, internal)

/** The data of a disclosure's event in its present state. */
export const eventDataOf = (disclosure: Disclosure): (typeof eventData)["Type"] => recordOf(disclosure)

/** The list of disclosures. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Status" },
    donor_id: { kind: "text", description: "Donor" },
    jurisdiction: { kind: "text", description: "Jurisdiction" },
    period: { kind: "text", description: "Name of the period" },
    due_at: { kind: "timestamp", description: "When notice is due" },
    created_at: { kind: "timestamp", description: "When the disclosure was made" }
  }
} as const satisfies ListSpec

/** The facts, beside the gift itself, that decide whether it counts toward a threshold. */
export interface Reach {
  readonly regime: Regime
  readonly period: Period
  /** Ids of the revenue codes that are assigned to the regime's jurisdiction. */
  readonly assigned: ReadonlySet<string>
}

/**
 * Whether a gift counts toward a threshold: CONFIRMED, in the regime's currency, under a revenue code of the
 * jurisdiction, and given within the period by the organisation's calendar. decisions, section 11.
 */
export const counts = (gift: Donation, { assigned, period, regime }: Reach): boolean =>
  gift.status === "CONFIRMED" &&
  gift.deleted_at === null &&
  gift.currency === regime.currency &&
  gift.revenue_code_id !== null &&
  assigned.has(gift.revenue_code_id) &&
  period.starts_on <= gift.donation_day &&
  gift.donation_day <= period.ends_on

/** The sum of a donor's gifts in a period, minor units. */
export interface Tally {
  readonly total_cents: number
  readonly in_kind_cents: number
  /** In the order in which they were given. */
  readonly donation_ids: ReadonlyArray<DonationId>
  /** When the gift was given that crossed the threshold; null while it is not crossed. */
  readonly crossed_at: DateTime.Utc | null
}

const byGiving = (a: Donation, b: Donation): number =>
  compareCodePoints(a.donation_day, b.donation_day) ||
  DateTime.toEpochMillis(a.donation_date) - DateTime.toEpochMillis(b.donation_date) ||
  compareCodePoints(a.id, b.id)

/** Adds up the gifts of one donor that count: gross amounts less refunds, gifts in kind included. decisions, section 11. */
export const tally = (gifts: ReadonlyArray<Donation>, reach: Reach): Tally => {
  const counted = gifts.filter((gift) => counts(gift, reach)).toSorted(byGiving)
  let total_cents = 0
  let in_kind_cents = 0
  let crossed_at: DateTime.Utc | null = null
  for (const gift of counted) {
    const kept = gift.amount_cents - gift.refunded_amount_cents
    total_cents += kept
    if (gift.donation_type === "IN_KIND") in_kind_cents += kept
    if (crossed_at === null && crosses(reach.regime, total_cents)) crossed_at = gift.donation_date
  }
  return { total_cents, in_kind_cents, donation_ids: counted.map(({ id }) => id), crossed_at }
}

const totals = { total_cents: Cents, in_kind_cents: Cents, donation_ids: Schema.Array(DonationId) }

/** The commands of the machine of a disclosure. */
export const Command = Schema.TaggedUnion({
  Review: { at: Instant },
  Return: { at: Instant },
  Recount: { at: Instant, ...totals },
  Complete: { at: Instant, lodgement_reference: Schema.NullOr(Schema.String) },
  Cancel: { at: Instant, ...totals },
  Supersede: { at: Instant }
})
export type Command = typeof Command.Type

const told = { data: eventData, of: eventDataOf }
const events = { "disclosure.created": told, "disclosure.updated": told }

const updated = ["disclosure.updated"] as const
const rule = "decisions, section 5: Disclosure"
const recountRule = "decisions, section 11"

type Totals = Pick<Tally, "total_cents" | "in_kind_cents" | "donation_ids">

const recounted = (
  _: Disclosure,
  { at, donation_ids, in_kind_cents, total_cents }: Totals & { readonly at: DateTime.Utc }
): Partial<Disclosure> => ({ total_cents, in_kind_cents, donation_ids, updated_at: at })

const dated = (_: Disclosure, { at }: { readonly at: DateTime.Utc }): Partial<Disclosure> => ({ updated_at: at })

/**
 * decisions, section 5: Disclosure. A recount follows a gift, refund or merge that changes a total which still crosses
 * the threshold.
 */
export const machine = define({
  name: "Disclosure",
  state: Disclosure,
  command: Command,
  events,
  wording: Refusals.disclosure,
  statuses: Status.literals,
  births: { crossed: { by: "a donor crosses a threshold", to: "PENDING", emits: ["disclosure.created"], rule } },
  table: {
    Review: { from: ["PENDING"], to: "REVIEW", emits: updated, patch: dated, rule },
    Return: { from: ["REVIEW"], to: "PENDING", emits: updated, patch: dated, rule },
    Recount: {
      from: ["PENDING", "REVIEW"],
      to: "same",
      emits: updated,
      when: "the total still crosses the threshold",
      guard: (self, { total_cents }) => crosses(self, total_cents),
      patch: recounted,
      rule: recountRule
    },
    Complete: {
      from: ["PENDING", "REVIEW"],
      to: "COMPLETED",
      emits: updated,
      patch: (_, { at, lodgement_reference }) => ({ lodgement_reference, completed_at: at, updated_at: at }),
      rule
    },
    Cancel: {
      from: ["PENDING", "REVIEW"],
      to: "CANCELLED",
      emits: updated,
      when: "the total no longer crosses the threshold",
      guard: (self, { total_cents }) => !crosses(self, total_cents),
      patch: recounted,
      rule
    },
    Supersede: {
      from: ["PENDING", "REVIEW", "COMPLETED", "CANCELLED"],
      to: "SUPERSEDED",
      emits: updated,
      patch: dated,
      rule
    }
  },
  statusOf: (disclosure) => disclosure.status,
  enter: (status) => ({ status }),
  milestones: { completed_at: ["COMPLETED"] }
})

/** The days before its due date in which a disclosure counts as due soon. */
export const dueSoonDays = 7

/** The urgency of a disclosure; null where it needs no notice, or no longer. decisions, section 5: Disclosure. */
export const urgencyOf = (disclosure: Disclosure, now: DateTime.Utc): "OVERDUE" | "DUE_SOON" | "LATER" | null => {
  const { due_at, status } = disclosure
  if (due_at === null || (status !== "PENDING" && status !== "REVIEW")) return null
  if (DateTime.isGreaterThan(now, due_at)) return "OVERDUE"
  const soonFrom = subtractTime(due_at, Duration.days(dueSoonDays))
  return DateTime.isGreaterThanOrEqualTo(now, soonFrom) ? "DUE_SOON" : "LATER"
}
