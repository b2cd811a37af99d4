import { Schema } from "effect"
import { AllocationId, OrganisationId, RecipientAccountLinkId, RecommendationSetId } from "../kernel/Ids.ts"
import { Cents } from "../kernel/Money.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { AmountMode } from "./RecommendationSetRules.ts"

/** The meanings of a recommendation set's fields. */
export const meanings = {
  name: "Name of the set.",
  is_active: "Whether the set was not deactivated or archived.",
  expires_at: "From when on the set takes no payment; null for never.",
  amount_mode: "Who decides on the amounts: FIXED locks them, SUGGESTED fills them in, OPEN leaves them to the donor.",
  min_total_cents: "The least that a donor gives in total, in minor units; null for no floor.",
  total_amount_cents: "The sum of the amounts, in minor units.",
  allocation_count: "How many recipients the set has.",
  url_key: "The secret part of `giving_url`.",
  description: "What donors are told of the set.",
  giving_url: "The donor-facing address. Use it as it is.",
  allocations: "The recipients, in the order in which donors see them.",
  amount_cents: "What is asked for this recipient, in minor units; 0 in an OPEN set.",
  link_label: "What the organisation calls the recipient's account.",
  recipient_org_name: "Name of the recipient organisation when it was linked.",
  recipient_org_account_link_id: "An active linked account of the organisation."
}

const nullableText = Schema.NullOr(Schema.String)
const nullableInstant = Schema.NullOr(Instant)
const floor = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** A recipient of a set with the amount that is asked for it, minor units; 0 in an OPEN set. */
export const Allocation = Schema.Struct({
  id: AllocationId,
  recipient_org_account_link_id: RecipientAccountLinkId,
  amount_cents: Cents
}).annotate({ identifier: "StoredAllocation" })
export type Allocation = typeof Allocation.Type

/**
 * Recipients that an organisation recommends, for one payment that is distributed among them. Amounts are in the
 * organisation's default currency. service-spec, Recommendation set.
 */
export class RecommendationSet extends Schema.Opaque<RecommendationSet>()(
  Schema.Struct({
    id: RecommendationSetId,
    organisation_id: OrganisationId,
    name: Schema.String,
    slug: Schema.String,
    /** The secret of the giving URL, at least 128 random bits. */
    url_key: Schema.String,
    description: nullableText,
    /** False once deactivated or archived. Expiry does not change it. */
    is_active: Schema.Boolean,
    amount_mode: AmountMode,
    min_total_cents: Schema.NullOr(floor),
    allocations: Schema.Array(Allocation),
    expires_at: nullableInstant,
    archived_at: nullableInstant,
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredRecommendationSet" })
) {}

/** The fields of an allocation in the set's detail that come from its link. */
export const LinkedRecipient = Schema.Struct({ link_label: Schema.String, recipient_org_name: Schema.String })
export type LinkedRecipient = typeof LinkedRecipient.Type

/** An allocation as the API shows it. service-spec, Recommendation set: allocations. */
export const AllocationRecord = Schema.Struct({
  id: AllocationId,
  amount_cents: Cents,
  recipient_org_account_link_id: RecipientAccountLinkId,
  ...LinkedRecipient.fields
}).annotate({ identifier: "Allocation", meanings })

/** New values of a set's fields; a field that is absent stays. */
export const Changes = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  slug: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(nullableText),
  amount_mode: Schema.optionalKey(AmountMode),
  min_total_cents: Schema.optionalKey(Schema.NullOr(floor)),
  allocations: Schema.optionalKey(Schema.Array(Allocation)),
  expires_at: Schema.optionalKey(nullableInstant)
})
export type Changes = typeof Changes.Type
