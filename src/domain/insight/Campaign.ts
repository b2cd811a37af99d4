import { Schema, Struct } from "effect"
import * as Donation from "../giving/Donation.ts"
import { CampaignId, type DonorId, OrganisationId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { byField, define, type MachineType } from "../kernel/Machine.ts"
import { Cents, centsOf } from "../kernel/Money.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"
import * as Payment from "../sharing/Payment.ts"

const meanings = {
  generated_count: "Donors that a link was made for; null before generation.",
  name: "Name of the campaign.",
  status: "Whether the campaign was generated.",
  audience_type: "What the audience is drawn from.",
  audience_name: "Name of the segment or the text of the revenue code.",
  destination_type: "Where the campaign's links lead.",
  destination_name: "Name of the form or recommendation set.",
  delivery_method: "How the campaign reaches its audience.",
  public_ref: "What gifts are attributed by; null before generation.",
  without_email: "Members of the audience without an e-mail address; null before generation.",
  ask_total_cents: "What a personalised campaign link asked of the donor; null for the shared link.",
  generated_at: "When the campaign was generated; null before."
}

/** The states of a campaign. */
export const Status = Schema.Literals(["DRAFT", "GENERATED"]).annotate({ identifier: "CampaignStatus" })
export type Status = typeof Status.Type

/** The sources of a campaign's audience. service-spec, Campaign. */
export const AudienceType = Schema.Literals(["segment", "revenue_code"]).annotate({
  identifier: "CampaignAudienceType"
})

/** Where a campaign's personalised links lead. service-spec, Campaign. */
export const DestinationType = Schema.Literals(["donation_form", "recommendation_set"]).annotate({
  identifier: "CampaignDestinationType"
})
export type DestinationType = typeof DestinationType.Type

/** How a campaign reaches its audience. service-spec, Campaign. */
export const DeliveryMethod = Schema.Literals(["CSV", "EMAIL_PLATFORM"]).annotate({
  identifier: "CampaignDeliveryMethod"
})

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const draftFields = {
  name: Schema.String,
  audience_type: AudienceType,
  /** The segment or revenue code. */
  audience_id: Schema.String,
  audience_name: Schema.String,
  destination_type: DestinationType,
  /** The form or recommendation set. */
  destination_id: Schema.String,
  destination_name: Schema.String,
  delivery_method: DeliveryMethod
}

/** Asks to an audience, each donor with an amount and a link of their own. service-spec, Campaign. */
export class Campaign extends Schema.Opaque<Campaign>()(
  Schema.Struct({
    id: CampaignId,
    organisation_id: OrganisationId,
    status: Status,
    ...draftFields,
    public_ref: Schema.NullOr(Schema.String),
    generated_count: Schema.NullOr(Count),
    without_email: Schema.NullOr(Count),
    /** Sum of the donors' asks at generation, minor units. */
    ask_total_cents: Schema.NullOr(Cents),
    generated_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredCampaign" })
) {}

const { fields } = Campaign

/** A campaign as lists show it. service-spec, Campaign: Summary. */
export const CampaignSummary = Schema.Struct({
  id: fields.id,
  name: fields.name,
  status: fields.status,
  audience_type: fields.audience_type,
  audience_name: fields.audience_name,
  destination_type: fields.destination_type,
  destination_name: fields.destination_name,
  generated_count: fields.generated_count,
  created_at: fields.created_at
}).annotate({ identifier: "CampaignSummary", meanings })

/** A campaign as the single read shows it. service-spec, Campaign: Detail. */
export const CampaignDetail = Schema.Struct({
  ...CampaignSummary.fields,
  delivery_method: fields.delivery_method,
  public_ref: fields.public_ref,
  without_email: fields.without_email,
  ask_total_cents: fields.ask_total_cents,
  generated_at: fields.generated_at
}).annotate({ identifier: "Campaign", meanings })

/** The results of a campaign; amounts in minor units. service-spec, Campaign: Stats. */
export const CampaignStats = Schema.Struct({
  recovered_cents: Cents.annotate({
    description:
      "Settled revenue in the organisation's currency: net of refunds for forms, gross at payment for recommendation sets"
  }),
  donors_given: Count.annotate({ description: "Distinct donors who gave through the campaign" }),
  asked_cents: Cents.annotate({ description: "Sum of the asks; 0 before generation" }),
  generated_count: Count,
  conversion_rate: Schema.Finite.annotate({ description: "donors_given / generated_count; 0 before generation" })
}).annotate({
  identifier: "CampaignStats",
  meanings: { generated_count: "Donors that a link was made for; 0 before generation." }
})
export type CampaignStats = typeof CampaignStats.Type

/** A campaign as lists show it. */
export const summaryOf = (campaign: Campaign): (typeof CampaignSummary)["Type"] =>
  Struct.pick(campaign, Struct.keys(CampaignSummary.fields))

/** A campaign as the single read shows it. */
export const detailOf = (campaign: Campaign): (typeof CampaignDetail)["Type"] =>
  Struct.pick(campaign, Struct.keys(CampaignDetail.fields))

/** The list of campaigns. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Status" },
    audience_type: { kind: "enum", values: AudienceType.literals, description: "What the audience is drawn from" },
    destination_type: { kind: "enum", values: DestinationType.literals, description: "Where the links lead" },
    created_at: { kind: "timestamp", description: "When the campaign was made" }
  }
} as const satisfies ListSpec

/** A settled gift or recommendation-set payment that is attributed to a campaign; minor units. */
export interface AttributedGift {
  /** Null while the donor of a payment is being resolved. */
  readonly donor_id: DonorId | null
  readonly currency: string
  readonly amount_cents: number
  readonly refunded_amount_cents: number
}

/** The sums of a campaign's settled gifts, in minor units of one currency: amounts of several do not add up. */
export interface Attribution {
  readonly amount_cents: number
  readonly refunded_amount_cents: number
  /** Distinct donors, whatever the currency, and those whose gift was refunded later included. */
  readonly donors_given: number
}

const { every, is } = Rule.rulesOf<Donation.Donation>()

/**
 * The gifts of a campaign to a form: donations that name the campaign and whose money arrived, refunded later or not.
 * service-spec, Campaign: Stats.
 */
export const settledDonation = every(is("status", "CONFIRMED", "REFUNDED"), Donation.undeletedRule)

/**
 * The gifts of a campaign to a recommendation set: payments that name the campaign and succeeded. service-spec,
 * Campaign: Stats.
 */
export const settledPayment = Payment.settledRule

/** Whether a donation is one of {@link settledDonation}. */
export const isSettledDonation = (donation: Donation.Donation): boolean => Rule.holds(settledDonation, donation)

/** Whether a payment is one of {@link settledPayment}. */
export const isSettledPayment = (payment: Payment.Payment): boolean => Rule.holds(settledPayment, payment)

/**
 * Sums up settled gifts: the amounts of those in the organisation's currency, and the donors of all. Throws a `RangeError` for
 * what is no amount. insight, section 3.
 * @example
 * const gifts = [5_00, 7_00].map((amount_cents) => ({ amount_cents, refunded_amount_cents: 0, currency: "AUD", donor_id }))
 * Campaign.attributionOf(gifts, "AUD") // => { amount_cents: 12_00, refunded_amount_cents: 0, donors_given: 1 }
 */
export const attributionOf = (gifts: Iterable<AttributedGift>, own: string): Attribution => {
  const givers = new Set<DonorId>()
  let [given, refunded] = [0, 0]
  for (const { amount_cents, currency, donor_id, refunded_amount_cents } of gifts) {
    if (donor_id !== null) givers.add(donor_id)
    if (currency !== own) continue
    given += centsOf("amount_cents", amount_cents)
    refunded += centsOf("refunded_amount_cents", refunded_amount_cents)
  }
  return { amount_cents: given, refunded_amount_cents: refunded, donors_given: givers.size }
}

/**
 * A campaign's stats. Refunds lower the revenue of campaigns for forms, but not of those for recommendation sets.
 * service-spec, Campaign: Stats; decisions, section 4: Intelligence, campaigns.
 */
export const statsOf = (campaign: Campaign, attribution: Attribution): CampaignStats => {
  const { amount_cents, donors_given, refunded_amount_cents } = attribution
  const generated_count = campaign.generated_count ?? 0
  return {
    recovered_cents:
      campaign.destination_type === "donation_form" ? amount_cents - refunded_amount_cents : amount_cents,
    donors_given,
    asked_cents: campaign.ask_total_cents ?? 0,
    generated_count,
    conversion_rate: generated_count === 0 ? 0 : donors_given / generated_count
  }
}

/** The commands of the machine of a campaign. */
export const Command = Schema.TaggedUnion({
  Change: { at: Instant, changes: Schema.Struct(draftFields).mapFields(Struct.map(Schema.optionalKey)) },
  Generate: {
    at: Instant,
    public_ref: Schema.String,
    generated_count: Count,
    without_email: Count,
    ask_total_cents: Cents
  }
})
export type Command = typeof Command.Type

const rule = "decisions, section 5: Campaign"

const defined = define({
  name: "Campaign",
  state: Campaign,
  command: Command,
  wording: Refusals.campaign,
  ...byField(Status),
  rule,
  births: { made: { by: "made in the console", to: "DRAFT", emits: [], rule: "decisions, section 9" } },
  table: {
    Change: {
      from: ["DRAFT"],
      to: "DRAFT",
      patch: (_, { at, changes }) => ({ ...changes, updated_at: at })
    },
    Generate: {
      from: ["DRAFT"],
      to: "GENERATED",
      patch: (_, { ask_total_cents, at, generated_count, public_ref, without_email }) => ({
        ask_total_cents,
        generated_count,
        public_ref,
        without_email,
        generated_at: at,
        updated_at: at
      })
    }
  },
  milestones: { generated_at: ["GENERATED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 5: Campaign. */
export const machine: machine = defined
