import { Effect } from "effect"
import { Campaigns } from "../../../app/insight/Campaigns.ts"
import type { CampaignsGroup } from "../endpoints/insight/campaigns.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const campaignsHandlers = Effect.gen(function* () {
  const campaigns = yield* Campaigns
  const handlers: HandlersOf<typeof CampaignsGroup> = {
    list: { run: ({ list }) => campaigns.list(list) },
    read: { run: ({ params }) => campaigns.read(params.id) },
    readStats: { run: ({ params }) => campaigns.readStats(params.id) }
  }
  return handlers
})
