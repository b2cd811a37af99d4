import { Schema } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { listing as donors } from "../../domain/Donor.ts"
import { eventTypes } from "../../domain/Event.ts"
import { envelopeOf } from "../../domain/EventEnvelope.ts"
import { listing as introductions } from "../../domain/Introduction.ts"
import { sortsOf } from "./Declare.ts"
import { methodNotAllowed } from "./ErrorEnvelope.ts"
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

const named = (identifier: string, values: ReadonlyArray<string>) => Schema.Literals(values).annotate({ identifier })

/** Values of lists' parameters that no record has. */
const namedEnums = [
  named("DonorSort", sortsOf(donors)),
  named("IntroductionStatusFilter", introductions.filters["status"]?.values ?? [])
]

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
  .annotate(HttpApi.AdditionalSchemas, [...eventTypes.map(envelopeOf), ...namedEnums, methodNotAllowed]) {}
