import type { Effect } from "effect"
import { Context } from "effect"
import type { Attribution, Campaign } from "../../domain/insight/Campaign.ts"
import type { CampaignId } from "../../domain/kernel/Ids.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** Keeps campaigns, and sums up their results. */
export class CampaignStore extends Context.Service<
  CampaignStore,
  RecordStore<Campaign, CampaignId> & {
    /**
     * The sums of the gifts that name the campaign, in the campaign's organisation and its default currency. MUST be what
     * `domain/insight/Campaign` sums up of settled donations or, where the destination is a recommendation set, of
     * settled payments.
     */
    attributed(campaign: Campaign): Effect.Effect<Attribution>
  }
>()("almoner/ports/CampaignStore") {}
