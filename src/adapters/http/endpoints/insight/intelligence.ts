import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { intelligenceOperations, segmentOperations } from "../../../../app/insight/operations/intelligence.ts"
import { DonorIntelligence, Worklist } from "../../../../domain/insight/Intelligence.ts"
import { SegmentList } from "../../../../domain/insight/Segment.ts"
import { Limits } from "../../../../domain/kernel/Limits.ts"
import { listErrors, readErrors } from "../../pipeline/ErrorEnvelope.ts"
import { over, performs } from "../Declare.ts"

const stale = `What was computed is stale after ${Limits.intelligenceStaleHours} hours.`

export class IntelligenceGroup extends HttpApiGroup.make("intelligence")
  .add(
    HttpApiEndpoint.get("readWorklist", "/intelligence/worklist", {
      success: Worklist,
      error: listErrors
    }).annotateMerge(
      performs(intelligenceOperations.readWorklist, {
        summary: "Read the worklist",
        description: `Whom to ask next: the largest opportunity first, then the latest gift; at most ${Limits.worklistRows} rows. A donor with gifts in several currencies has a row for each. Archived donors are left out; do-not-contact donors are listed, flagged, and counted in no figure. ${stale}`
      })
    )
  )
  .add(
    HttpApiEndpoint.get("readDonor", "/intelligence/donors/:donor_id", {
      ...over(intelligenceOperations.readDonor, "donor_id"),
      success: DonorIntelligence,
      error: readErrors
    }).annotateMerge(
      performs(intelligenceOperations.readDonor, {
        summary: "Read one donor's intelligence",
        description: `The score with the largest opportunity where the donor has several. basis_data is in whole currency units (dollars), with camelCase keys. ${stale}`
      })
    )
  )
  .add(
    HttpApiEndpoint.get("listSegments", "/segments", { success: SegmentList, error: listErrors }).annotateMerge(
      performs(segmentOperations.list, {
        summary: "List segments",
        description:
          "All of them, by slug, with members as they were counted last. A list of donors takes a slug as segment."
      })
    )
  )
  .annotate(
    OpenApi.Description,
    "What was computed of donors: whom to ask, for how much, and who belongs together. Reading computes nothing."
  ) {}
