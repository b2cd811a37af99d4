import { Schema } from "effect"
import { DonorId, OrganisationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import { Cents, Currency } from "../kernel/Money.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** The meanings of the fields of scores and of what is made of them. */
export const meanings = {
  status: "Whether the donor was scored.",
  message: "Why there is no score; null when there is one.",
  band: "What the score amounts to, in a word; null when it has none.",
  suggested_ask_cents: "What to ask for, in minor units; null when there is no suggestion.",
  currency: "Currency of the score; null while there is none.",
  basis: "What the suggested ask was derived from.",
  basis_data: "Figures that the ask was derived from, in whole currency units (dollars), not minor units.",
  factors: "The reasons behind the score; null while there is none.",
  computed_at: "When it was computed; null while it never was.",
  stale: `Whether it was computed ${Limits.intelligenceStaleHours} hours ago or longer.`,
  upgrade: "Reasons why the donor may give more.",
  lapse: "Reasons why the donor may lapse.",
  reactivation: "Reasons why the donor may give again.",
  code: "Name of the reason, for programs.",
  label: "Name of the reason, for people.",
  phrase: "The reason in a sentence.",
  lastGift: "The donor's last gift, in whole currency units.",
  avgGift: "The donor's average gift, in whole currency units.",
  segmentMedian: "The median gift of the donor's segment, in whole currency units.",
  can_compute_now: "Whether scores can be computed now: there are donors, and something that computes.",
  rows: "Whom to ask next, the largest opportunity first.",
  per_currency: "What the rows whose donor may be contacted are worth, by currency.",
  opportunity_upgrade_cents: "Of the play upgrade, in minor units.",
  opportunity_total_cents: "Of all plays, in minor units.",
  donor_name: "What the donor is called.",
  play: "What to do with the donor.",
  opportunity_cents: "The ask times the historic response rate of the play, in minor units.",
  reason: "Why the donor is on the list, in a sentence.",
  do_not_contact: "Whether the donor asked not to be contacted."
}

/** The recommended next step with a donor. decisions, section 10. */
export const Play = Schema.Literals(["upgrade", "retain", "reactivate"]).annotate({ identifier: "Play" })
export type Play = typeof Play.Type

/** One reason behind a score, in words that a person can follow. service-spec, Donor intelligence: Factor. */
export const Factor = Schema.Struct({
  code: Schema.String,
  label: Schema.String,
  phrase: Schema.String
}).annotate({ identifier: "Factor", meanings })

/** The reasons behind a score. service-spec, Donor intelligence. */
export const Factors = Schema.Struct({
  upgrade: Schema.Array(Factor),
  lapse: Schema.Array(Factor),
  reactivation: Schema.Array(Factor)
}).annotate({ identifier: "Factors", meanings })

const nullableText = Schema.NullOr(Schema.String)
const nullableCents = Schema.NullOr(Cents)

/** A donor's score in one currency, as it was last computed; amounts in minor units. decisions, section 10. */
export class DonorScore extends Schema.Opaque<DonorScore>()(
  Schema.Struct({
    organisation_id: OrganisationId,
    donor_id: DonorId,
    currency: Currency,
    band: nullableText,
    play: Play,
    suggested_ask_cents: nullableCents,
    opportunity_cents: Cents,
    reason: Schema.String,
    basis: nullableText,
    last_gift_cents: nullableCents,
    average_gift_cents: nullableCents,
    segment_median_cents: nullableCents,
    last_gift_at: Schema.NullOr(Instant),
    factors: Factors,
    scoring_version: Schema.Int,
    computed_at: Instant
  }).annotate({ identifier: "StoredDonorScore" })
) {}
