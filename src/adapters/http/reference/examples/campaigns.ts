import { idOf, instant } from "../Samples.ts"
import { type Examples, later, page } from "./Example.ts"

const summary = {
  id: idOf("campaign"),
  name: "Spring appeal",
  status: "GENERATED",
  audience_type: "segment",
  audience_name: "Lapsed donors",
  destination_type: "donation_form",
  destination_name: "Spring form",
  generated_count: 120,
  created_at: instant
}

export const campaignExamples = {
  "campaigns.list": { answer: page(summary) },
  "campaigns.read": {
    answer: {
      ...summary,
      delivery_method: "CSV",
      public_ref: "spring26",
      without_email: 8,
      ask_total_cents: 900_000,
      generated_at: later
    }
  },
  "campaigns.read_stats": {
    answer: {
      recovered_cents: 240_000,
      donors_given: 30,
      asked_cents: 900_000,
      generated_count: 120,
      conversion_rate: 0.25
    }
  }
} satisfies Examples
