import { HttpApi, OpenApi } from "effect/http-api"
import { eventTypes } from "../../domain/Event.ts"
import { envelopeOf } from "../../domain/EventEnvelope.ts"
import { CampaignsGroup } from "./groups/campaigns.ts"
import { CheckoutLinksGroup } from "./groups/checkoutLinks.ts"
import { ContactLogsGroup } from "./groups/contactLogs.ts"
import { DonationsGroup } from "./groups/donations.ts"
import { DonorsGroup } from "./groups/donors.ts"
import { FormsGroup } from "./groups/forms.ts"
import { IntelligenceGroup } from "./groups/intelligence.ts"
import { IntroductionsGroup } from "./groups/introductions.ts"
import { MetaGroup } from "./groups/meta.ts"
import { OrganisationsGroup } from "./groups/organisations.ts"
import { RecipientAccountsGroup } from "./groups/recipientAccounts.ts"
import { RecommendationSetsGroup } from "./groups/recommendationSets.ts"
import { RevenueCodesGroup } from "./groups/revenueCodes.ts"
import { WebhooksGroup } from "./groups/webhooks.ts"

/** Everything that the service offers over REST: declared here, served by the edge, printed as the reference. */
export class Api extends HttpApi.make("almoner")
  .add(MetaGroup)
  .add(OrganisationsGroup)
  .add(DonorsGroup)
  .add(ContactLogsGroup)
  .add(DonationsGroup)
  .add(RevenueCodesGroup)
  .add(FormsGroup)
  .add(CheckoutLinksGroup)
  .add(RecommendationSetsGroup)
  .add(RecipientAccountsGroup)
  .add(IntroductionsGroup)
  .add(CampaignsGroup)
  .add(IntelligenceGroup)
  .add(WebhooksGroup)
  .prefix("/api/v1")
  .annotate(OpenApi.Title, "Almoner")
  .annotate(HttpApi.AdditionalSchemas, eventTypes.map(envelopeOf)) {}
