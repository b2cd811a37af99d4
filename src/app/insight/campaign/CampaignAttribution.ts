import { Effect, Layer, Option } from "effect"
import { listing } from "../../../domain/insight/Campaign.ts"
import { parse, within } from "../../../domain/kernel/Listing.ts"
import { CampaignStore } from "../../../ports/insight/CampaignStore.ts"
import { Attributions } from "../../kernel/reaction/Attributions.ts"

const query = Effect.orDie(Effect.fromResult(parse(listing, [["limit", "1"]])))

/** Attributes gifts to the campaign whose `public_ref` they came with. service-spec, Campaign: public_ref. */
export const attributions = Layer.effect(
  Attributions,
  Effect.map(CampaignStore, (campaigns) =>
    Attributions.of({
      campaignOf: (organisation_id, reference) =>
        Effect.map(
          Effect.orDie(
            Effect.flatMap(query, (asked) => campaigns.list(organisation_id, within(asked, "public_ref", reference)))
          ),
          ({ data: [campaign] }) => Option.map(Option.fromNullishOr(campaign), ({ id }) => id)
        ),
      referenceOf: (organisation_id, id) =>
        Effect.map(
          campaigns.find(organisation_id, id),
          Option.flatMapNullishOr(({ public_ref }) => public_ref)
        )
    })
  )
)
