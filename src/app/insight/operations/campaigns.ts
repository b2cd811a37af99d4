import { CampaignDetail, CampaignStats, CampaignSummary, listing } from "../../../domain/insight/Campaign.ts"
import { CampaignId } from "../../../domain/kernel/Ids.ts"
import { id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, Campaigns } from "../Campaigns.ts"

const campaigns = operationsOf(Campaigns)
const campaignId = id(CampaignId, "campaign")

/** The operations of {@link Campaigns}. */
export const campaignOperations = {
  list: campaigns.forCaller({
    asks: asks.list,
    takes: [query(listing)],
    gives: pageOf(CampaignSummary),
    run: (use, asked) => use.list(asked)
  }),
  read: campaigns.forCaller({
    asks: asks.read,
    takes: [campaignId],
    gives: CampaignDetail,
    run: (use, campaign) => use.read(campaign)
  }),
  readStats: campaigns.forCaller({
    asks: asks.readStats,
    takes: [campaignId],
    gives: CampaignStats,
    run: (use, campaign) => use.readStats(campaign)
  })
}
