import { Effect } from "effect"
import { entitlements } from "../../domain/access/Plan.ts"
import * as Campaign from "../../domain/insight/Campaign.ts"
import { CampaignDetail, CampaignStats, CampaignSummary, listing } from "../../domain/insight/Campaign.ts"
import { CampaignId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { CampaignStore } from "../../ports/insight/CampaignStore.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"

const campaignId = id(CampaignId, "campaign")

const operations = Row.table("campaigns", {
  list: Row.list("List campaigns", listing, CampaignSummary, { plan: entitlements.campaigns }),
  read: Row.read("Read a campaign", [campaignId], CampaignDetail, { plan: entitlements.campaigns }),
  readStats: Row.read("Read what came of a campaign", [campaignId], CampaignStats, { plan: entitlements.campaigns })
})

/** Reads campaigns and their results. service-spec, Campaign. */
export class Campaigns extends Service<Campaigns>()("almoner/app/Campaigns", function* () {
  const store = yield* CampaignStore

  const list = Effect.fn("Campaigns.list")(function* (query: ListQuery) {
    const caller = yield* requireScope(operations.list)
    const { data, has_more } = yield* store.list(caller.organisation.id, query)
    return { data: data.map(Campaign.summaryOf), has_more }
  })

  const read = Effect.fn("Campaigns.read")(function* (id: CampaignId) {
    const caller = yield* requireScope(operations.read)
    const campaign = yield* store.find(caller.organisation.id, id).pipe(orNotFound("campaign", id))
    return Campaign.detailOf(campaign)
  })

  const readStats = Effect.fn("Campaigns.readStats")(function* (id: CampaignId) {
    const caller = yield* requireScope(operations.readStats)
    const campaign = yield* store.find(caller.organisation.id, id).pipe(orNotFound("campaign", id))
    return Campaign.statsOf(campaign, yield* store.attributed(campaign))
  })

  return yield* serviceInOrganisationTime(operations, { list, read, readStats })
}) {}

/** The operations of {@link Campaigns}. */
export const campaignOperations = operationsOf(Campaigns, operations)
