import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { campaignOperations } from "../../../../app/insight/operations/campaigns.ts"
import { CampaignDetail, CampaignStats, CampaignSummary } from "../../../../domain/insight/Campaign.ts"
import { listErrors, readErrors } from "../../pipeline/ErrorEnvelope.ts"
import { over, pageOf, performs } from "../Declare.ts"

export class CampaignsGroup extends HttpApiGroup.make("campaigns")
  .add(
    HttpApiEndpoint.get("list", "/campaigns", {
      ...over(campaignOperations.list),
      success: pageOf(CampaignSummary, "CampaignPage"),
      error: listErrors
    }).annotateMerge(performs(campaignOperations.list, { summary: "List campaigns", description: "Newest first." }))
  )
  .add(
    HttpApiEndpoint.get("read", "/campaigns/:id", {
      ...over(campaignOperations.read, "id"),
      success: CampaignDetail,
      error: readErrors
    }).annotateMerge(
      performs(campaignOperations.read, {
        summary: "Read a campaign",
        description: "What is known from its generation on is null before."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("readStats", "/campaigns/:id/stats", {
      ...over(campaignOperations.readStats, "id"),
      success: CampaignStats,
      error: readErrors
    }).annotateMerge(
      performs(campaignOperations.readStats, {
        summary: "Read what came of a campaign",
        description:
          "Summed up when it is asked. For a form: its settled gifts, less what was refunded of them. For a recommendation set: its payments, as they were made. A donor whose gift was refunded gave."
      })
    )
  )
  .annotate(
    OpenApi.Description,
    "Asks to an audience, each donor with an amount and a link of their own. Campaigns are made and generated in the console."
  ) {}
