import { idOf, instant } from "../Samples.ts"
import type { Examples } from "./Example.ts"

const deep_link = `https://harbour.example.org/donors/${idOf("donor")}`

const reason = "Gave more each year, and last gave in March."

export const intelligenceExamples = {
  "intelligence.read_worklist": {
    answer: {
      status: "ok",
      can_compute_now: false,
      message: null,
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
  },
  "intelligence.read_donor": {
    answer: {
      status: "ok",
      donor_id: idOf("donor"),
      message: null,
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
  },
  "segments.list": {
    answer: {
      status: "ok",
      message: null,
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
} satisfies Examples
