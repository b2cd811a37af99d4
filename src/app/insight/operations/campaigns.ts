import { CampaignDetail, CampaignStats, CampaignSummary } from "../../../domain/insight/Campaign.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Campaigns, takes } from "../Campaigns.ts"

const campaigns = operationsOf(Campaigns)
/** The operations of {@link Campaigns}. */
export const campaignOperations = {
  list: campaigns.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(CampaignSummary),
    run: (use, asked) => use.list(asked)
  }),
  read: campaigns.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: CampaignDetail,
    run: (use, campaign) => use.read(campaign)
  }),
  readStats: campaigns.forCaller({
    asks: asks.readStats,
    takes: takes.readStats,
    gives: CampaignStats,
    run: (use, campaign) => use.readStats(campaign)
  })
}
