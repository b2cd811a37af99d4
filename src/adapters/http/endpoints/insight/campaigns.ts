import { HttpApiGroup, OpenApi } from "effect/http-api"
import { campaignOperations } from "../../../../app/insight/Campaigns.ts"
import { get } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"

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

export class CampaignsGroup extends HttpApiGroup.make("campaigns")
  .add(
    get(campaignOperations.list, "list", "/campaigns", {
      success: campaignOperations.list.output.annotate({ identifier: "CampaignPage" }),
      description: "Newest first.",
      example: { answer: page(summary) }
    }),
    get(campaignOperations.read, "read", "/campaigns/:id", {
      description: "What is known from its generation on is null before.",
      example: {
        answer: {
          ...summary,
          delivery_method: "CSV",
          public_ref: "spring26",
          without_email: 8,
          ask_total_cents: 900_000,
          generated_at: later
        }
      }
    }),
    get(campaignOperations.readStats, "readStats", "/campaigns/:id/stats", {
      description:
        "Summed up when it is asked. For a form: its settled gifts, less what was refunded of them. For a recommendation set: its payments, as they were made. A donor whose gift was refunded gave.",
      example: {
        answer: {
          recovered_cents: 240_000,
          donors_given: 30,
          asked_cents: 900_000,
          generated_count: 120,
          conversion_rate: 0.25
        }
      }
    })
  )
  .annotate(
    OpenApi.Description,
    "Asks to an audience, each donor with an amount and a link of their own. To read only."
  ) {}
