import { Schema, Struct } from "effect"
import { OrganisationId, RevenueCodeId, SegmentId } from "../kernel/Ids.ts"
import { Instant } from "../kernel/Timestamp.ts"

const meanings = {
  status: "Whether any segment was counted.",
  message: "Why nothing was counted; null when it was.",
  segments: "All segments, by slug.",
  slug: "Name in addresses and filters.",
  name: "Name of the segment.",
  description: "Who is in the segment, in words.",
  segment_type: "The rule that members are found by.",
  member_count: "Members when they were counted last.",
  last_computed_at: "When members were counted last; null while they never were."
}

/** The rule that a segment's members are found by. decisions, section 10. */
export const SegmentType = Schema.Literals([
  "lapsed",
  "new",
  "monthly",
  "major",
  "first_time",
  "revenue_code"
]).annotate({ identifier: "SegmentType" })
export type SegmentType = typeof SegmentType.Type

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Donors who share a trait, counted when the segment is computed and never on read. service-spec, Donor intelligence:
 * Segment.
 */
export class Segment extends Schema.Opaque<Segment>()(
  Schema.Struct({
    id: SegmentId,
    organisation_id: OrganisationId,
    /** Unique per organisation; the value of `segment` in a list of donors. */
    slug: Schema.String,
    name: Schema.String,
    description: Schema.NullOr(Schema.String),
    segment_type: SegmentType,
    /** The code of a `revenue_code` segment. */
    revenue_code_id: Schema.NullOr(RevenueCodeId),
    member_count: Count,
    last_computed_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredSegment" })
) {}

/** A segment as the API shows it. service-spec, Donor intelligence: Segment. */
export const SegmentRecord = Segment.mapFields(
  Struct.pick(["id", "slug", "name", "description", "segment_type", "member_count", "last_computed_at"])
).annotate({ identifier: "Segment", meanings })

/** The answer of GET /segments. service-spec, Donor intelligence: Segment list response. */
export const SegmentList = Schema.Struct({
  status: Schema.Literals(["ok", "not_computed"]).annotate({ identifier: "SegmentListStatus" }),
  message: Schema.NullOr(Schema.String),
  segments: Schema.Array(SegmentRecord)
}).annotate({ identifier: "SegmentList", meanings })
export type SegmentList = typeof SegmentList.Type

/** A segment as the API shows it. */
export const recordOf = (segment: Segment): (typeof SegmentRecord)["Type"] =>
  Struct.pick(segment, Struct.keys(SegmentRecord.fields))

/** The answer of GET /segments for the stored segments, in their order; `not_computed` while none was ever computed. */
export const segmentList = (segments: ReadonlyArray<Segment>): SegmentList =>
  segments.some((segment) => segment.last_computed_at !== null)
    ? { status: "ok", message: null, segments: segments.map(recordOf) }
    : {
        status: "not_computed",
        message: "Segments have not been computed yet.",
        segments: segments.map(recordOf)
      }
