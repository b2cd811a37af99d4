import { DateTime, Duration, Schema, Struct } from "effect"
import { type Donor, donorNameOf } from "../giving/Donor.ts"
import { DonorId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import { unarchivedRule } from "../kernel/Listing.ts"
import { Cents, Currency, centsOf } from "../kernel/Money.ts"
import * as Rule from "../kernel/Rule.ts"
import { compareCodePoints } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { minorDigitsOf } from "../payments/Statement.ts"
import { type DonorScore, Factors, meanings, Play } from "./DonorScore.ts"

export { DonorScore, Factor, Factors, Play } from "./DonorScore.ts"

const nullableText = Schema.NullOr(Schema.String)
const nullableCents = Schema.NullOr(Cents)

/** When an organisation's scores were last computed. */
export interface Computation {
  readonly computed_at: DateTime.Utc
  readonly scoring_version: number
}

/**
 * Whether scores of this time are stale: 48 hours have passed. decisions, section 10.
 * @example Intelligence.isStale(at, DateTime.add(at, { hours: 48 })) // => true
 */
export const isStale = (computed_at: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isLessThanOrEqualTo(addTime(computed_at, Duration.hours(Limits.intelligenceStaleHours)), now)

/** One line of the worklist. service-spec, Donor intelligence: Worklist row. */
export const WorklistRow = Schema.Struct({
  donor_id: DonorId,
  donor_name: Schema.String,
  band: nullableText,
  play: Play,
  currency: Currency,
  suggested_ask_cents: nullableCents,
  opportunity_cents: Cents,
  reason: Schema.String,
  do_not_contact: Schema.Boolean,
  deep_link: Schema.String.annotate({ description: "The donor's page in the console" })
}).annotate({ identifier: "WorklistRow", meanings })

/** The opportunities of the actionable donors in one currency, minor units. service-spec, Donor intelligence. */
export const Opportunity = Schema.Struct({
  opportunity_upgrade_cents: Cents,
  opportunity_recoverable_cents: Cents.annotate({ description: "Of the plays retain and reactivate" }),
  opportunity_total_cents: Cents
}).annotate({ identifier: "Opportunity", meanings })
export type Opportunity = typeof Opportunity.Type

/** The answer of GET /intelligence/worklist. service-spec, Donor intelligence: Worklist response. */
export const Worklist = Schema.Struct({
  status: Schema.Literals(["no_donors", "not_scored", "ok"]).annotate({ identifier: "WorklistStatus" }),
  can_compute_now: Schema.Boolean,
  message: nullableText,
  computed_at: Schema.NullOr(Instant),
  stale: Schema.Boolean,
  actionable_count: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "Rows whose donor may be contacted, cut off or not"
  }),
  truncated: Schema.Boolean.annotate({ description: "Whether there are more rows than are shown" }),
  rows: Schema.Array(WorklistRow),
  per_currency: Schema.Record(Schema.String, Opportunity)
}).annotate({
  identifier: "Worklist",
  meanings: {
    ...meanings,
    status: "Whether there are donors, and scores of them.",
    message: "Why there are no rows; null when donors were scored."
  }
})
export type Worklist = typeof Worklist.Type

/** The figures that a score was derived from, in whole currency units (dollars), not minor units. decisions, section 4. */
export const BasisData = Schema.Struct({
  lastGift: Schema.Finite,
  avgGift: Schema.Finite,
  segmentMedian: Schema.Finite
}).annotate({ identifier: "BasisData", meanings })

/** The answer of GET /intelligence/donors/{donor_id}. service-spec, Donor intelligence. */
export const DonorIntelligence = Schema.Struct({
  status: Schema.Literals(["not_scored", "ok"]).annotate({ identifier: "DonorIntelligenceStatus" }),
  donor_id: DonorId,
  message: nullableText,
  band: nullableText,
  suggested_ask_cents: nullableCents,
  currency: Schema.NullOr(Currency),
  basis: nullableText,
  basis_data: Schema.NullOr(BasisData),
  factors: Schema.NullOr(Factors),
  scoring_version: Schema.Int.annotate({ description: "Version of the scoring; 0 while nothing was scored" }),
  computed_at: Schema.NullOr(Instant),
  stale: Schema.Boolean,
  deep_link: Schema.String.annotate({ description: "The donor's page in the console" })
}).annotate({ identifier: "DonorIntelligence", meanings })
export type DonorIntelligence = typeof DonorIntelligence.Type

const giftMillis = (score: DonorScore): number =>
  score.last_gift_at === null ? Number.NEGATIVE_INFINITY : DateTime.toEpochMillis(score.last_gift_at)

/**
 * Orders scores for the worklist: the larger opportunity first, then the more recent last gift; ties by donor and
 * currency, so that the order is always the same. decisions, section 10.
 */
export const byOpportunity = (a: DonorScore, b: DonorScore): number => {
  if (a.opportunity_cents !== b.opportunity_cents) return b.opportunity_cents - a.opportunity_cents
  const [mine, other] = [giftMillis(a), giftMillis(b)]
  if (mine !== other) return other - mine
  return compareCodePoints(a.donor_id, b.donor_id) || compareCodePoints(a.currency, b.currency)
}

const none: Opportunity = { opportunity_upgrade_cents: 0, opportunity_recoverable_cents: 0, opportunity_total_cents: 0 }

const scores = Rule.rulesOf<DonorScore>()

/** Scores whose opportunity is a larger gift. service-spec, Donor intelligence. */
export const upgrade = scores.is("play", "upgrade")

/** Scores whose opportunity is a gift that would otherwise be lost. service-spec, Donor intelligence. */
export const recoverable = scores.is("play", "retain", "reactivate")

const added = (sum: Opportunity, score: DonorScore): Opportunity => {
  const centsUnder = (rule: Rule.Rule<"play">) => (Rule.holds(rule, score) ? score.opportunity_cents : 0)
  return {
    opportunity_upgrade_cents: sum.opportunity_upgrade_cents + centsUnder(upgrade),
    opportunity_recoverable_cents: sum.opportunity_recoverable_cents + centsUnder(recoverable),
    opportunity_total_cents: sum.opportunity_total_cents + centsOf("opportunity_cents", score.opportunity_cents)
  }
}

/** The opportunities summed by currency. Throws a `RangeError` for what is no amount. */
export const opportunities = (scores: Iterable<DonorScore>): { readonly [currency: string]: Opportunity } => {
  const sums = new Map<string, Opportunity>()
  for (const score of scores) sums.set(score.currency, added(sums.get(score.currency) ?? none, score))
  return Object.fromEntries(sums)
}

const listedFields = ["donor_type", "first_name", "last_name", "organisation_name", "email", "do_not_contact"] as const

/** The fields of a donor that the worklist uses. */
export type ListedDonor = Pick<Donor, (typeof listedFields)[number]>

/** A score and its donor. */
export interface ScoredDonor {
  readonly score: DonorScore
  readonly donor: ListedDonor
}

/** An organisation's scores, and figures about its donors, at one moment. Archived donors do not count. */
export interface ScoreSummary {
  /** Null while scores were never computed. */
  readonly computation: Computation | null
  readonly has_donors: boolean
  readonly scored_count: number
  /** Scores whose donor may be contacted. */
  readonly actionable_count: number
  /** The opportunities of the actionable scores. */
  readonly per_currency: { readonly [currency: string]: Opportunity }
  /** The first of the scores, in the worklist's order. */
  readonly leading: ReadonlyArray<ScoredDonor>
}

/** Donors that may be contacted. decisions, section 10. */
export const actionable = Rule.rulesOf<ListedDonor>().is("do_not_contact", false)

/**
 * An organisation's scores, without those of archived donors, the first `limit` of them in the order of {@link
 * byOpportunity}. Donors who must not be contacted are listed among the others, but count neither as actionable nor
 * toward an opportunity. decisions, section 10.
 */
export const summaryOf = (facts: {
  readonly computation: Computation | null
  readonly donors: Iterable<Donor>
  readonly scores: Iterable<DonorScore>
  readonly limit: number
}): ScoreSummary => {
  const donors = new Map<DonorId, Donor>()
  for (const donor of facts.donors) if (Rule.holds(unarchivedRule, donor)) donors.set(donor.id, donor)
  const scored = Array.from(facts.scores, (score) => ({ score, donor: donors.get(score.donor_id) })).flatMap(
    ({ donor, score }) => (donor === undefined ? [] : [{ score, donor: Struct.pick(donor, listedFields) }])
  )
  const contactable = scored.filter(({ donor }) => Rule.holds(actionable, donor))
  return {
    computation: facts.computation,
    has_donors: donors.size > 0,
    scored_count: scored.length,
    actionable_count: contactable.length,
    per_currency: opportunities(contactable.map(({ score }) => score)),
    leading: scored.toSorted((a, b) => byOpportunity(a.score, b.score)).slice(0, facts.limit)
  }
}

const unscored = { no_donors: "There are no donors yet.", not_scored: "Donors have not been scored yet." }

const rowOf = ({ donor, score }: ScoredDonor, deep_link: string) => ({
  donor_id: score.donor_id,
  donor_name: donorNameOf(donor),
  band: score.band,
  play: score.play,
  currency: score.currency,
  suggested_ask_cents: score.suggested_ask_cents,
  opportunity_cents: score.opportunity_cents,
  reason: score.reason,
  do_not_contact: donor.do_not_contact,
  deep_link
})

/** The facts that a worklist shows beside the scores. */
export interface WorklistFacts {
  readonly deepLinkOf: (id: DonorId) => string
  /** Whether there is something that computes scores on demand. */
  readonly computes: boolean
  readonly now: DateTime.Utc
}

/**
 * The worklist of the stored scores: empty, with a message, until there are donors and scores. It can be computed now
 * when there is a donor to score and something that computes scores. decisions, section 10.
 * @example
 * const standing = Intelligence.summaryOf({ computation: null, donors: [], scores: [], limit: 10 })
 * const facts = { computes: true, deepLinkOf: () => "/donors", now: at }
 * Intelligence.worklist(standing, facts).status // => "no_donors"
 */
export const worklist = (standing: ScoreSummary, { computes, deepLinkOf, now }: WorklistFacts): Worklist => {
  const { actionable_count, computation, has_donors, leading, per_currency, scored_count } = standing
  const status = !has_donors ? "no_donors" : computation === null ? "not_scored" : "ok"
  const common = {
    status,
    can_compute_now: has_donors && computes,
    computed_at: computation?.computed_at ?? null,
    stale: computation !== null && isStale(computation.computed_at, now)
  } as const
  if (status !== "ok") {
    const nothing = { actionable_count: 0, truncated: false, rows: [], per_currency: {} }
    return { ...common, ...nothing, message: unscored[status] }
  }
  return {
    ...common,
    message: null,
    actionable_count,
    truncated: scored_count > leading.length,
    rows: leading.map((each) => rowOf(each, deepLinkOf(each.score.donor_id))),
    per_currency
  }
}

/** Whole units of a currency, which may have no smaller ones. */
const unitsOf = (cents: number, currency: string): number => cents / 10 ** minorDigitsOf(currency)

const basisDataOf = (score: DonorScore): (typeof BasisData)["Type"] | null =>
  score.last_gift_cents === null || score.average_gift_cents === null || score.segment_median_cents === null
    ? null
    : {
        lastGift: unitsOf(score.last_gift_cents, score.currency),
        avgGift: unitsOf(score.average_gift_cents, score.currency),
        segmentMedian: unitsOf(score.segment_median_cents, score.currency)
      }

const byLastGift = (a: DonorScore, b: DonorScore): number => giftMillis(b) - giftMillis(a) || byOpportunity(a, b)

/**
 * The intelligence about one donor: of several currencies the score in the organisation's own, else that of the last gift;
 * `not_scored` where there is none. service-spec, Donor intelligence; insight, section 1.
 * @example
 * const facts = { donor_id, scores: [], deep_link: "/", default_currency: "AUD" }
 * Intelligence.donorIntelligence(facts, at).status // => "not_scored"
 */
export const donorIntelligence = (
  facts: {
    readonly donor_id: DonorId
    readonly scores: ReadonlyArray<DonorScore>
    readonly deep_link: string
    readonly default_currency: string
  },
  now: DateTime.Utc
): DonorIntelligence => {
  const { deep_link, default_currency, donor_id, scores } = facts
  const own = scores.find(({ currency }) => currency === default_currency)
  const score = own ?? scores.toSorted(byLastGift)[0]
  if (score === undefined) {
    return {
      status: "not_scored",
      donor_id,
      message: "This donor has not been scored yet.",
      band: null,
      suggested_ask_cents: null,
      currency: null,
      basis: null,
      basis_data: null,
      factors: null,
      scoring_version: 0,
      computed_at: null,
      stale: false,
      deep_link
    }
  }
  return {
    status: "ok",
    donor_id,
    message: null,
    band: score.band,
    suggested_ask_cents: score.suggested_ask_cents,
    currency: score.currency,
    basis: score.basis,
    basis_data: basisDataOf(score),
    factors: score.factors,
    scoring_version: score.scoring_version,
    computed_at: score.computed_at,
    stale: isStale(score.computed_at, now),
    deep_link
  }
}
