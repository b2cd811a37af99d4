import { Schema } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { sortsOf } from "../../app/access/operation/ListParameters.ts"
import { listing as disclosures } from "../../domain/compliance/Disclosure.ts"
import { listing as donors } from "../../domain/giving/Donor.ts"
import { listing as events, eventTypes } from "../../domain/outbox/Event.ts"
import { envelopeOf } from "../../domain/outbox/EventEnvelope.ts"
import { listing as introductions } from "../../domain/sharing/Introduction.ts"
import { MetaGroup } from "./endpoints/access/meta.ts"
import { OrganisationsGroup } from "./endpoints/access/organisations.ts"
import { SandboxGroup } from "./endpoints/access/sandbox.ts"
import { DisclosuresGroup } from "./endpoints/compliance/disclosures.ts"
import { CheckoutLinksGroup } from "./endpoints/giving/checkoutLinks.ts"
import { ContactLogsGroup } from "./endpoints/giving/contactLogs.ts"
import { DonationFormsGroup } from "./endpoints/giving/donationForms.ts"
import { DonationsGroup } from "./endpoints/giving/donations.ts"
import { DonorsGroup } from "./endpoints/giving/donors.ts"
import { RevenueCodesGroup } from "./endpoints/giving/revenueCodes.ts"
import { CampaignsGroup } from "./endpoints/insight/campaigns.ts"
import { IntelligenceGroup, SegmentsGroup } from "./endpoints/insight/intelligence.ts"
import { EventsGroup, WebhookDeliveriesGroup, WebhookEndpointsGroup } from "./endpoints/outbox/webhooks.ts"
import { SubscriptionsGroup } from "./endpoints/payments/subscriptions.ts"
import { IntroductionsGroup } from "./endpoints/sharing/introductions.ts"
import { RecipientAccountsGroup } from "./endpoints/sharing/recipientAccounts.ts"
import { RecommendationSetsGroup } from "./endpoints/sharing/recommendationSets.ts"
import { methodNotAllowed } from "./pipeline/ErrorEnvelope.ts"

const named = (identifier: string, values: ReadonlyArray<string>) => Schema.Literals(values).annotate({ identifier })

/** The enums of lists' parameters that are no record's. */
const namedEnums = [
  named("DisclosureSort", sortsOf(disclosures)),
  named("DonorSort", sortsOf(donors)),
  named("EventSort", sortsOf(events)),
  named("IntroductionStatusFilter", introductions.filters["status"]?.values ?? [])
]

/** The whole REST API: declared here, served by the pipeline, printed as the reference. */
export class Api extends HttpApi.make("almoner")
  .add(MetaGroup)
  .add(OrganisationsGroup)
  .add(SandboxGroup)
  .add(DonorsGroup)
  .add(DisclosuresGroup)
  .add(ContactLogsGroup)
  .add(DonationsGroup)
  .add(RevenueCodesGroup)
  .add(SubscriptionsGroup)
  .add(DonationFormsGroup)
  .add(CheckoutLinksGroup)
  .add(RecommendationSetsGroup)
  .add(RecipientAccountsGroup)
  .add(IntroductionsGroup)
  .add(CampaignsGroup)
  .add(IntelligenceGroup)
  .add(SegmentsGroup)
  .add(WebhookEndpointsGroup)
  .add(WebhookDeliveriesGroup)
  .add(EventsGroup)
  .prefix("/api/v1")
  .annotate(OpenApi.Title, "Almoner")
  .annotate(HttpApi.AdditionalSchemas, [...eventTypes.map(envelopeOf), ...namedEnums, methodNotAllowed]) {}
