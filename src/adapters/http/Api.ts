import { HttpApi, OpenApi } from "effect/http-api"
import { eventTypes } from "../../domain/Event.ts"
import { envelopeOf } from "../../domain/EventEnvelope.ts"
import { DonationsGroup } from "./groups/donations.ts"
import { DonorsGroup } from "./groups/donors.ts"
import { MetaGroup } from "./groups/meta.ts"
import { OrganisationsGroup } from "./groups/organisations.ts"
import { RevenueCodesGroup } from "./groups/revenueCodes.ts"
import { WebhooksGroup } from "./groups/webhooks.ts"

/** Everything that the service offers over REST: declared here, served by the edge, printed as the reference. */
export class Api extends HttpApi.make("almoner")
  .add(MetaGroup)
  .add(OrganisationsGroup)
  .add(DonorsGroup)
  .add(DonationsGroup)
  .add(RevenueCodesGroup)
  .add(WebhooksGroup)
  .prefix("/api/v1")
  .annotate(OpenApi.Title, "Almoner")
  .annotate(HttpApi.AdditionalSchemas, eventTypes.map(envelopeOf)) {}
