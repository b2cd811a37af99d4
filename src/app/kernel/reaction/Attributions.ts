import { Context, type Effect, type Option } from "effect"
import type { CampaignId, OrganisationId } from "../../../domain/kernel/Ids.ts"

/** Tells which campaign a reference on a page's address names, and back. Campaigns may be asked for by contexts that must not know them. */
export class Attributions extends Context.Service<
  Attributions,
  {
    readonly campaignOf: (
      organisation_id: OrganisationId,
      reference: string
    ) => Effect.Effect<Option.Option<CampaignId>>
    readonly referenceOf: (organisation_id: OrganisationId, id: CampaignId) => Effect.Effect<Option.Option<string>>
  }
>()("almoner/app/Attributions") {}
