import { HttpApiGroup, OpenApi } from "effect/http-api"
import { intelligenceOperations } from "../../../../app/insight/DonorIntelligence.ts"
import { segmentOperations } from "../../../../app/insight/Segments.ts"
import { Limits } from "../../../../domain/kernel/Limits.ts"
import { get } from "../Declare.ts"
import { idOf, instant } from "../Example.ts"

const deep_link = `https://harbour.example.org/donors/${idOf("donor")}`

const reason = "Gave more each year, and last gave in March."

const stale = `What was computed is stale after ${Limits.intelligenceStaleHours} hours.`

export class IntelligenceGroup extends HttpApiGroup.make("intelligence")
  .add(
    get(intelligenceOperations.readWorklist, "readWorklist", "/intelligence/worklist", {
      description: `Whom to ask next: the largest opportunity first, then the latest gift; at most ${Limits.worklistRows} rows. A donor with gifts in several currencies has a row for each. Archived donors are left out; do-not-contact donors are listed, flagged, and counted in no figure. ${stale}`,
      example: {
        answer: {
          status: "ok",
          can_compute_now: false,
          computed_at: instant,
          stale: false,
          actionable_count: 1,
          truncated: false,
          rows: [
            {
              donor_id: idOf("donor"),
              donor_name: "Ada Okafor",
              band: "warm",
              play: "upgrade",
              currency: "AUD",
              suggested_ask_cents: 7_500,
              opportunity_cents: 1_800,
              reason,
              do_not_contact: false,
              deep_link
            }
          ],
          per_currency: {
            AUD: { opportunity_upgrade_cents: 1_800, opportunity_recoverable_cents: 0, opportunity_total_cents: 1_800 }
          }
        }
      }
    }),
    get(intelligenceOperations.readDonor, "readDonor", "/intelligence/donors/:donor_id", {
      description: `The score with the largest opportunity where the donor has several. basis_data is in whole currency units (dollars), with camelCase keys. ${stale}`,
      example: {
        answer: {
          status: "ok",
          donor_id: idOf("donor"),
          band: "warm",
          suggested_ask_cents: 7_500,
          currency: "AUD",
          basis: "last_gift",
          basis_data: { lastGift: 50.5, avgGift: 45, segmentMedian: 60 },
          factors: {
            upgrade: [{ code: "rising_gifts", label: "Rising gifts", phrase: "Gave more each year." }],
            lapse: [],
            reactivation: []
          },
          scoring_version: 1,
          computed_at: instant,
          stale: false,
          deep_link
        }
      }
    })
  )
  .annotate(OpenApi.Description, "Which donors to speak to, with what, and in which segments they are.") {}

export class SegmentsGroup extends HttpApiGroup.make("segments")
  .add(
    get(segmentOperations.list, "list", "/segments", {
      description:
        "All of them, by slug, with members as they were counted last. A list of donors takes a slug as segment.",
      example: {
        answer: {
          status: "ok",
          segments: [
            {
              id: idOf("segment"),
              slug: "lapsed",
              name: "Lapsed donors",
              description: "No gift for over a year.",
              segment_type: "lapsed",
              member_count: 128,
              last_computed_at: instant
            }
          ]
        }
      }
    })
  )
  .annotate(OpenApi.Description, "Groups of donors that are computed.") {}
