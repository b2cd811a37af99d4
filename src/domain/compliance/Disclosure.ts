import { type DateTime, Schema, Struct } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { DisclosureId, DonationId, DonorId, OrganisationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, define, type MachineType } from "../kernel/Machine.ts"
import { Cents } from "../kernel/Money.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { CapLevel, capLevelOf, remainingCapCents } from "./CapLevel.ts"
import { Duty, isFulfilled, isOpen, LodgedGift } from "./Duty.ts"
import { Comparison, Regime } from "./Regime.ts"

const meanings = {
  jurisdiction: "Where the law holds, such as AU.",
  period: "Name of the period, such as 2025-26 or 2027.",
  starts_on: "First day of the period.",
  ends_on: "Last day of the period.",
  status:
    "PENDING or in REVIEW while a duty is open, COMPLETED once fulfilled, CANCELLED when nothing is asked any more, SUPERSEDED after a merge.",
  threshold_cents: "The threshold that was crossed.",
  total_cents: "Gifts that count, in kind included, less what went back.",
  in_kind_cents: "The part of the total that was given in kind.",
  cap_cents: "The cap of the donor; null where the law has none.",
  cap_used_cents: "Gifts that count toward the cap.",
  cap_remaining_cents: "What the donor may still give under the cap; 0 over it.",
  cap_level: "How near the sum is to the cap: AMBER from 60 %, RED from 90 %, CRITICAL from 98 %, OVER.",
  crossed_at: "When the gift was given that crossed the threshold.",
  due_at: "The last instant in time for the earliest open duty; null where none is open, or has a term.",
  donation_ids: "Gifts that count, in the order of their days; the latest ones where there are very many.",
  duties: "What is asked of the organisation, and what was: open duties first, by when they are due.",
  completed_at: "When the last open duty was fulfilled; null while one is open.",
  lodgement_reference: "The authority's reference of the latest lodgement."
}

/** The states of a disclosure. */
export const Status = Schema.Literals(["PENDING", "REVIEW", "COMPLETED", "CANCELLED", "SUPERSEDED"]).annotate({
  identifier: "DisclosureStatus"
})
export type Status = typeof Status.Type

/**
 * What a recipient owes an authority about a donor's gifts of a period in a jurisdiction; amounts in minor units.
 * decisions, section 11; law, section 4. A tool, not legal advice.
 */
export class Disclosure extends Schema.Opaque<Disclosure>()(
  Schema.Struct({
    id: DisclosureId,
    organisation_id: OrganisationId,
    donor_id: DonorId,
    jurisdiction: Schema.String,
    period: Schema.String,
    starts_on: CalendarDate,
    ends_on: CalendarDate,
    status: Status,
    threshold_cents: Cents,
    /** How the total is compared with the threshold. */
    comparison: Comparison,
    total_cents: Cents,
    in_kind_cents: Cents,
    cap_cents: Schema.NullOr(Cents),
    cap_used_cents: Schema.NullOr(Cents),
    crossed_at: Instant,
    due_at: Schema.NullOr(Instant),
    donation_ids: Schema.Array(DonationId),
    duties: Schema.Array(Duty),
    /** Gifts as the authority was last told of them. */
    lodged_gifts: Schema.Array(LodgedGift),
    /** The law as it judges the period. A period that has ended keeps the one that judged it. law, section 2. */
    regime: Regime,
    completed_at: Schema.NullOr(Instant),
    lodgement_reference: Schema.NullOr(Schema.String),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredDisclosure" })
) {}

const internal = ["organisation_id", "comparison", "lodged_gifts", "regime"] as const

const shownFields = Disclosure.mapFields((fields) => ({
  ...Struct.omit(fields, internal),
  cap_remaining_cents: Schema.NullOr(Cents),
  cap_level: Schema.NullOr(CapLevel)
}))

/** A disclosure as it is shown. decisions, section 11: Record; its duties and its cap: law, section 4. */
export const DisclosureRecord = shownFields.annotate({ identifier: "Disclosure", meanings })

/** The data of the disclosure events: the record. decisions, sections 6 and 11. */
export const eventData = shownFields.annotate({ identifier: "DisclosureEventData" })

const byUrgency = (a: Duty, b: Duty): number =>
  Number(isOpen(b)) - Number(isOpen(a)) ||
  (isOpen(a)
    ? (a.due_at?.epochMilliseconds ?? Infinity) - (b.due_at?.epochMilliseconds ?? Infinity) || a.number - b.number
    : b.number - a.number)

const capOf = ({ cap_cents, cap_used_cents }: Disclosure) =>
  cap_cents === null || cap_used_cents === null
    ? { cap_remaining_cents: null, cap_level: null }
    : {
        cap_remaining_cents: remainingCapCents(cap_used_cents, cap_cents),
        cap_level: capLevelOf(cap_used_cents, cap_cents)
      }

/** A disclosure as it is shown. */
export const recordOf = (disclosure: Disclosure): (typeof DisclosureRecord)["Type"] => ({
  ...Struct.omit(disclosure, internal),
  donation_ids: disclosure.donation_ids.slice(-Limits.disclosureGiftsShown),
  duties: disclosure.duties.toSorted(byUrgency).slice(0, Limits.disclosureDutiesShown),
  ...capOf(disclosure)
})

/** The data of a disclosure's event in its present state. */
export const eventDataOf = (disclosure: Disclosure): (typeof eventData)["Type"] => recordOf(disclosure)

/** Disclosures whose place no other has taken. */
export const presentRule = Rule.rulesOf<Disclosure>().is("status", "PENDING", "REVIEW", "COMPLETED", "CANCELLED")

/** Columns that are computed from a disclosure for sorting: those of which nothing is due come after every due date. */
export const derivedColumns = ({ due_at }: Disclosure) => ({
  due_key: due_at?.epochMilliseconds ?? Number.MAX_SAFE_INTEGER
})

/** The list of disclosures. Its order by due date: law, section 5. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Status" },
    donor_id: { kind: "text", description: "Donor" },
    jurisdiction: { kind: "text", description: "Jurisdiction" },
    period: { kind: "text", description: "Name of the period" },
    due_at: { kind: "timestamp", description: "When notice is due" },
    created_at: { kind: "timestamp", description: "When the disclosure was made" }
  },
  sorts: { created_at: "created_at", due_at: "due_key" },
  sortsBeyondContract: true
} as const satisfies ListSpec

/** The parts of a disclosure that follow from its gifts. */
const assessed = [
  "regime",
  "threshold_cents",
  "comparison",
  "total_cents",
  "in_kind_cents",
  "cap_cents",
  "cap_used_cents",
  "crossed_at",
  "due_at",
  "donation_ids",
  "duties",
  "lodged_gifts",
  "lodgement_reference"
] as const

const assessment = Struct.pick(Disclosure.fields, assessed)
/** A disclosure's gifts, sums and duties as they are to be. */
export type Assessment = Pick<Disclosure, (typeof assessed)[number]>

/** The commands of the machine of a disclosure. */
export const Command = Schema.TaggedUnion({
  Review: { at: Instant },
  Return: { at: Instant },
  Recount: { at: Instant, ...assessment },
  Reopen: { at: Instant, ...assessment },
  Complete: { at: Instant, ...assessment },
  Cancel: { at: Instant, ...assessment },
  Supersede: { at: Instant, ...assessment }
})
export type Command = typeof Command.Type

const told = { data: eventData, of: eventDataOf }
const events = { "disclosure.created": told, "disclosure.updated": told }

const updated = ["disclosure.updated"] as const
const rule = "decisions, section 5: Disclosure"
const dutyRule = "law, section 4"

type Assessing = Assessment & { readonly at: DateTime.Utc }

const reassessed = (_: Disclosure, { at, ...rest }: Assessing): Partial<Disclosure> => ({
  ...Struct.pick(rest, assessed),
  updated_at: at
})

const dated = (_: Disclosure, { at }: { readonly at: DateTime.Utc }): Partial<Disclosure> => ({ updated_at: at })

const hasOpenDuty = ({ duties }: Pick<Assessment, "duties">): boolean => duties.some(isOpen)

const wasLodged = ({ duties }: Pick<Assessment, "duties">): boolean => duties.some(isFulfilled)

const isPending = ({ status }: Disclosure): boolean => status === "PENDING" || status === "REVIEW"

/** How disclosures come to be. */
export const births = {
  crossed: { by: "a donor crosses a threshold", to: "PENDING", emits: ["disclosure.created"], rule }
} as const satisfies Births<Status, keyof typeof events>

const defined = define({
  name: "Disclosure",
  state: Disclosure,
  command: Command,
  events,
  wording: Refusals.disclosure,
  statuses: Status.literals,
  rule,
  births,
  table: {
    Review: { from: ["PENDING"], to: "REVIEW", emits: updated, patch: dated },
    Return: { from: ["REVIEW"], to: "PENDING", emits: updated, patch: dated },
    Recount: {
      from: ["PENDING", "REVIEW", "COMPLETED", "CANCELLED"],
      to: "same",
      emits: updated,
      when: "as many duties are open as its status says",
      guard: (self, command) => hasOpenDuty(command) === isPending(self),
      patch: reassessed,
      rule: dutyRule
    },
    Reopen: {
      from: ["COMPLETED", "CANCELLED"],
      to: "PENDING",
      emits: updated,
      when: "a duty is open",
      guard: (_, command) => hasOpenDuty(command),
      patch: (self, command) => ({ ...reassessed(self, command), completed_at: null }),
      rule: dutyRule
    },
    Complete: {
      from: ["PENDING", "REVIEW"],
      to: "COMPLETED",
      emits: updated,
      when: "no duty is open, and one was fulfilled",
      guard: (_, command) => !hasOpenDuty(command) && wasLodged(command),
      patch: (self, command) => ({ ...reassessed(self, command), completed_at: command.at })
    },
    Cancel: {
      from: ["PENDING", "REVIEW"],
      to: "CANCELLED",
      emits: updated,
      when: "no duty is open, and none was fulfilled",
      guard: (_, command) => !hasOpenDuty(command) && !wasLodged(command),
      patch: reassessed
    },
    Supersede: {
      from: ["PENDING", "REVIEW", "COMPLETED", "CANCELLED"],
      to: "SUPERSEDED",
      emits: updated,
      when: "no duty is open",
      guard: (_, command) => !hasOpenDuty(command),
      patch: reassessed
    }
  },
  statusOf: (disclosure) => disclosure.status,
  enter: (status) => ({ status })
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 5: Disclosure. The status follows from the duties. law, section 4. */
export const machine: machine = defined

const showsSame = Schema.toEquivalence(Schema.Struct(Struct.omit(assessment, ["comparison", "lodged_gifts", "regime"])))

/** The name of the command that makes a disclosure what its gifts and duties now are; null where nothing changes. */
export const commandFor = (
  disclosure: Disclosure,
  next: Assessment
): "Cancel" | "Complete" | "Recount" | "Reopen" | null => {
  if (disclosure.status === "SUPERSEDED") return null
  const isWanted = hasOpenDuty(next)
  if (isPending(disclosure) && !isWanted) return wasLodged(next) ? "Complete" : "Cancel"
  if (!isPending(disclosure) && isWanted) return "Reopen"
  return showsSame(disclosure, next) ? null : "Recount"
}
