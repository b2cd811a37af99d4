import { DateTime, Schema, Struct } from "effect"
import { Slug } from "../access/Organisation.ts"
import { type RecipientAccountLinkId, RecommendationSetId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, define, type MachineType } from "../kernel/Machine.ts"
import { Cents } from "../kernel/Money.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { GivenId, LongText, NameUpTo } from "../kernel/Text.ts"
import { Instant, Timestamp } from "../kernel/Timestamp.ts"
import { PaymentSummary } from "./Payment.ts"
import {
  type Allocation,
  AllocationRecord,
  Changes,
  type LinkedRecipient,
  meanings,
  RecommendationSet
} from "./RecommendationSetFields.ts"
import { AmountMode, type Amounts, keepsRules, totalCents } from "./RecommendationSetRules.ts"

export { Allocation, AllocationRecord, Changes, LinkedRecipient, RecommendationSet } from "./RecommendationSetFields.ts"
export {
  AmountMode,
  allocationViolationOf,
  amountsViolationOf,
  linkViolationOf,
  totalCents,
  violationOf
} from "./RecommendationSetRules.ts"

const nullableText = Schema.NullOr(Schema.String)
const nullableInstant = Schema.NullOr(Instant)
const floor = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const listed = {
  id: RecommendationSetId,
  name: Schema.String,
  slug: Schema.String,
  is_active: Schema.Boolean,
  archived_at: nullableInstant,
  expires_at: nullableInstant,
  amount_mode: AmountMode,
  min_total_cents: Schema.NullOr(Cents),
  total_amount_cents: Cents,
  allocation_count: Schema.Int,
  created_at: Instant
}

/** A set as lists show it. service-spec, Recommendation set. */
export const RecommendationSetRecord = Schema.Struct(listed).annotate({ identifier: "RecommendationSet", meanings })
export type RecommendationSetRecord = typeof RecommendationSetRecord.Type

/** A set as creation and the single read show it. service-spec, Recommendation set: detail form. */
export const RecommendationSetDetail = Schema.Struct({
  ...listed,
  url_key: Schema.String,
  description: nullableText,
  giving_url: Schema.String,
  payment_summary: PaymentSummary,
  allocations: Schema.Array(AllocationRecord)
}).annotate({ identifier: "RecommendationSetDetail", meanings })

/** A set as lists show it. */
export const recordOf = (set: RecommendationSet): RecommendationSetRecord => ({
  id: set.id,
  name: set.name,
  slug: set.slug,
  is_active: set.is_active,
  archived_at: set.archived_at,
  expires_at: set.expires_at,
  amount_mode: set.amount_mode,
  min_total_cents: set.min_total_cents,
  total_amount_cents: totalCents(set.allocations),
  allocation_count: set.allocations.length,
  created_at: set.created_at
})

/** A set as the single read shows it; `outside` is what its own record does not hold. */
export const detailOf = (
  set: RecommendationSet,
  outside: {
    /** On the organisation's subdomain. */
    readonly giving_url: string
    readonly payment_summary: PaymentSummary
    readonly recipientOf: (link: RecipientAccountLinkId) => LinkedRecipient
  }
): typeof RecommendationSetDetail.Type => ({
  ...recordOf(set),
  url_key: set.url_key,
  description: set.description,
  giving_url: outside.giving_url,
  payment_summary: outside.payment_summary,
  allocations: set.allocations.map(({ amount_cents, id, recipient_org_account_link_id }) => {
    const { link_label, recipient_org_name } = outside.recipientOf(recipient_org_account_link_id)
    return { id, recipient_org_account_link_id, amount_cents, link_label, recipient_org_name }
  })
})

const NewAllocation = Schema.Struct({
  recipient_org_account_link_id: GivenId,
  amount_cents: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.donationMaximumCents }))
}).annotate({ identifier: "NewAllocation", meanings })

const newAllocations = Schema.Array(NewAllocation).check(
  Schema.isMaxLength(Limits.setAllocations),
  Schema.isMinLength(1)
)
const setName = NameUpTo(Limits.recommendationSetNameCharacters).check(Schema.isMinLength(1))

/**
 * The body of POST /recommendation-sets; `amount_mode` is FIXED when it is not given, and the slug comes from the name.
 * {@link violationOf} has the rules that span fields. service-spec, POST /recommendation-sets; decisions, section 4.
 */
export const NewRecommendationSet = Schema.Struct({
  name: setName,
  allocations: newAllocations,
  amount_mode: Schema.optionalKey(Schema.NullOr(AmountMode)),
  min_total_cents: Schema.optionalKey(Schema.NullOr(floor)),
  description: Schema.optionalKey(Schema.NullOr(LongText)),
  expires_at: Schema.optionalKey(Schema.NullOr(Timestamp)),
  slug: Schema.optionalKey(Schema.NullOr(Slug))
}).annotate({
  identifier: "NewRecommendationSet",
  meanings: {
    ...meanings,
    amount_mode: "Who decides on the amounts; FIXED when not given.",
    expires_at: "From when on the set takes no payment; in the future.",
    slug: "Name of the set in lower case, unique in the organisation, archived sets included; made from the name when not given."
  }
})
export type NewRecommendationSet = typeof NewRecommendationSet.Type

/** The body of PATCH /recommendation-sets/{id}; `allocations` replace all that there are. decisions, section 4. */
export const RecommendationSetPatch = Schema.Struct({
  name: Schema.optionalKey(setName),
  allocations: Schema.optionalKey(newAllocations),
  amount_mode: Schema.optionalKey(AmountMode),
  min_total_cents: Schema.optionalKey(Schema.NullOr(floor)),
  description: Schema.optionalKey(Schema.NullOr(LongText)),
  expires_at: Schema.optionalKey(Schema.NullOr(Timestamp)),
  slug: Schema.optionalKey(Slug),
  is_active: Schema.optionalKey(Schema.Boolean)
}).annotate({
  identifier: "RecommendationSetPatch",
  meanings: {
    ...meanings,
    allocations: "The recipients, all of them, in the order in which donors see them.",
    expires_at: "From when on the set takes no payment; in the future, or null for never.",
    is_active: "False deactivates the set; true makes a deactivated one active again."
  }
})
export type RecommendationSetPatch = typeof RecommendationSetPatch.Type

/** The list of sets: deactivated and expired ones stay listed. service-spec, GET /recommendation-sets. */
export const listing = {
  filters: {
    is_active: { kind: "boolean", description: "Whether the set is active" },
    amount_mode: { kind: "enum", values: AmountMode.literals, description: "Who decides on the amounts" },
    expires_at: { kind: "timestamp", description: "When the set stops taking payments" },
    created_at: { kind: "timestamp", description: "When the set was made" }
  },
  archivable: true
} as const satisfies ListSpec

/** The commands of the machine of a recommendation set. */
export const Command = Schema.TaggedUnion({
  Change: { at: Instant, changes: Changes },
  Deactivate: { at: Instant },
  Reactivate: { at: Instant, changes: Changes },
  Archive: { at: Instant }
})
export type Command = typeof Command.Type

/** The states of a recommendation set. */
export type Status = "ACTIVE" | "DEACTIVATED" | "ARCHIVED"

const statusOf = ({ archived_at, is_active }: RecommendationSet): Status =>
  archived_at !== null ? "ARCHIVED" : is_active ? "ACTIVE" : "DEACTIVATED"

const { every, hasPassed, is, lacks } = Rule.rulesOf<RecommendationSet>()

/** Sets whose time has run out: they are active, and `expires_at` has passed. decisions, section 5. */
export const ranOut = every(is("is_active", true), lacks("archived_at"), hasPassed("expires_at"))

/** A set's status at an instant: an active set whose `expires_at` has passed is EXPIRED. decisions, section 5. */
export const statusAt = (set: RecommendationSet, at: DateTime.Utc): Status | "EXPIRED" =>
  Rule.holdsAt(ranOut, set, at) ? "EXPIRED" : statusOf(set)

const rule = "decisions, section 5: Recommendation set"
const when = "the changed set keeps the rules for amounts"

const changed = (self: RecommendationSet, { changes }: { readonly changes: Changes }): Amounts => ({
  ...self,
  ...changes
})

/** The data of every event of a set: the record as lists show it. decisions, section 6. */
export const eventData = Schema.Struct(listed).annotate({ identifier: "RecommendationSetEventData" })

/** The data of a set's event in its present state. */
export const eventDataOf: (set: RecommendationSet) => (typeof eventData)["Type"] = recordOf

const told = { data: eventData, of: eventDataOf }
const events = {
  "recommendation_set.created": told,
  "recommendation_set.updated": told,
  "recommendation_set.deactivated": told,
  "recommendation_set.archived": told
}
/** The types of events of a recommendation set. */
export type RecommendationSetEvent = keyof typeof events

/** How sets come to be. */
export const births = {
  made: { by: "POST /recommendation-sets", to: "ACTIVE", emits: ["recommendation_set.created"], rule }
} as const satisfies Births<Status, RecommendationSetEvent>

const defined = define({
  name: "Recommendation set",
  state: RecommendationSet,
  command: Command,
  events,
  wording: Refusals.recommendationSet,
  statuses: ["ACTIVE", "DEACTIVATED", "ARCHIVED"],
  rule,
  births,
  table: {
    Change: {
      from: ["ACTIVE", "DEACTIVATED"],
      to: "same",
      emits: ["recommendation_set.updated"],
      when,
      guard: (self, command) => keepsRules(changed(self, command)),
      patch: (_, { at, changes }) => ({ ...changes, updated_at: at }),
      rule: "decisions, section 4: Recommendation sets"
    },
    Deactivate: {
      from: ["ACTIVE"],
      to: "DEACTIVATED",
      emits: ["recommendation_set.deactivated"],
      patch: (_, { at }) => ({ updated_at: at })
    },
    Reactivate: {
      from: ["DEACTIVATED"],
      to: "ACTIVE",
      emits: ["recommendation_set.updated"],
      when,
      guard: (self, command) => keepsRules(changed(self, command)),
      patch: (_, { at, changes }) => ({ ...changes, updated_at: at })
    },
    Archive: {
      from: ["ACTIVE", "DEACTIVATED"],
      to: "ARCHIVED",
      emits: ["recommendation_set.archived"],
      patch: (_, { at }) => ({ archived_at: at, updated_at: at })
    }
  },
  statusOf,
  enter: (status) => ({ is_active: status === "ACTIVE" }),
  milestones: { archived_at: ["ARCHIVED"] }
})

export interface machine extends MachineType<typeof defined> {}
/**
 * decisions, section 5: Recommendation set. Deactivating a set that is not active is no transition: the use case
 * answers 200 without an event, as for every repeated DELETE. Expiry is derived ({@link statusAt}); `Change` can move
 * it.
 */
export const machine: machine = defined

const sameInstant = (a: DateTime.Utc | null, b: DateTime.Utc | null): boolean =>
  a === null || b === null ? a === b : DateTime.Equivalence(a, b)

const sameAllocations = (a: ReadonlyArray<Allocation>, b: ReadonlyArray<Allocation>): boolean =>
  a.length === b.length &&
  a.every(
    ({ amount_cents, recipient_org_account_link_id }, index) =>
      b[index]?.amount_cents === amount_cents &&
      b[index].recipient_org_account_link_id === recipient_org_account_link_id
  )

/** The changes whose value differs from the set's; allocations are compared without their ids. */
export const differingChanges = (set: RecommendationSet, changes: Changes): Changes => {
  const { allocations, expires_at } = changes
  const plain = ["name", "slug", "description", "amount_mode", "min_total_cents"] as const
  const same: ReadonlyArray<keyof Changes> = [
    ...plain.filter((field) => changes[field] === set[field]),
    ...(allocations !== undefined && sameAllocations(allocations, set.allocations) ? (["allocations"] as const) : []),
    ...(expires_at !== undefined && sameInstant(expires_at, set.expires_at) ? (["expires_at"] as const) : [])
  ]
  return Struct.omit(changes, same)
}

/**
 * The commands of a PATCH, in order. Activating a set is one `Reactivate` with all changes, so that they make one
 * event; a patch that changes nothing is no command. `changes` must be the {@link differingChanges} ones.
 */
export const commandsOf = (
  set: RecommendationSet,
  patch: { readonly changes: Changes; readonly is_active?: boolean },
  at: DateTime.Utc
): ReadonlyArray<Command> => {
  const { changes, is_active } = patch
  if (is_active === true && statusOf(set) === "DEACTIVATED") return [{ _tag: "Reactivate", at, changes }]
  return [
    ...(Object.keys(changes).length > 0 ? [{ _tag: "Change", at, changes } as const] : []),
    ...(is_active === false && statusOf(set) === "ACTIVE" ? [{ _tag: "Deactivate", at } as const] : [])
  ]
}
