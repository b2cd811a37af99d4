export { Campaign, CampaignDetail, CampaignSummary, Command, listing, machine } from "../domain/insight/Campaign.ts"
