import { Effect, Schema } from "effect"
import { ApiKeys } from "../app/ApiKeys.ts"
import { AuditLog } from "../app/AuditLog.ts"
import { Donations } from "../app/Donations.ts"
import { Donors } from "../app/Donors.ts"
import { Events } from "../app/Events.ts"
import { Integrations } from "../app/Integrations.ts"
import { type Operator, Organisations } from "../app/Organisations.ts"
import { RecipientAccounts } from "../app/RecipientAccounts.ts"
import { RevenueCodes } from "../app/RevenueCodes.ts"
import { WebhookDeliveries } from "../app/WebhookDeliveries.ts"
import { WebhookEndpoints } from "../app/WebhookEndpoints.ts"
import { ApiKeyRecord, Scope } from "../domain/ApiKey.ts"
import { AuditEntry } from "../domain/Audit.ts"
import { Timezone } from "../domain/CalendarDate.ts"
import * as Delivery from "../domain/Delivery.ts"
import * as Donation from "../domain/Donation.ts"
import * as Donor from "../domain/Donor.ts"
import * as Event from "../domain/Event.ts"
import {
  ApiKeyId,
  DeliveryId,
  DonationId,
  DonorId,
  EventId,
  IntegrationId,
  OrganisationId,
  RecipientAccountLinkId,
  RevenueCodeId,
  WebhookEndpointId
} from "../domain/Ids.ts"
import * as Integration from "../domain/Integration.ts"
import { Currency } from "../domain/Money.ts"
import {
  LinkedOrganisationRecord,
  linkedListing,
  Organisation,
  OrganisationPatch,
  OwnOrganisation,
  Slug,
  sandboxSuffix
} from "../domain/Organisation.ts"
import { Plan } from "../domain/Plan.ts"
import * as RecipientAccount from "../domain/RecipientAccount.ts"
import * as Refund from "../domain/Refund.ts"
import * as RevenueCode from "../domain/RevenueCode.ts"
import { Name } from "../domain/Text.ts"
import * as WebhookEndpoint from "../domain/WebhookEndpoint.ts"
import { body, id, operationsOf, optionalBody, pageOf, query, value } from "./Declare.ts"
import { campaignOperations } from "./operations/campaigns.ts"
import { checkoutLinks } from "./operations/checkoutLinks.ts"
import { contactLogs } from "./operations/contactLogs.ts"
import { donationForms } from "./operations/donationForms.ts"
import { intelligenceOperations, segmentOperations } from "./operations/intelligence.ts"
import { introductionOperations } from "./operations/introductions.ts"
import { invitationOperations } from "./operations/invitations.ts"
import { personalisedLinks } from "./operations/personalisedLinks.ts"
import { recommendationSets } from "./operations/recommendationSets.ts"
import { userOperations } from "./operations/users.ts"

const donors = operationsOf(Donors)
const donorId = id(DonorId, "donor")

const donations = operationsOf(Donations)

const revenueCodes = operationsOf(RevenueCodes)
const revenueCodeId = id(RevenueCodeId, "revenue code")

const recipientAccounts = operationsOf(RecipientAccounts)
const recipientAccountId = id(RecipientAccountLinkId, "recipient account")

const integrations = operationsOf(Integrations)

const endpoints = operationsOf(WebhookEndpoints)
const endpointId = id(WebhookEndpointId, "webhook endpoint")

const deliveries = operationsOf(WebhookDeliveries)
const deliveryId = id(DeliveryId, "webhook delivery")

const events = operationsOf(Events)
const organisations = operationsOf(Organisations)

const apiKeys = operationsOf(ApiKeys)
const apiKeyId = id(ApiKeyId, "API key")
const DisclosedKey = ApiKeyRecord.mapFields((fields) => ({ ...fields, secret: Schema.String }))

const auditLog = operationsOf(AuditLog)

/** What an operator gives to make an organisation. decisions, section 4: Organisations. */
const NewOrganisation = Schema.Struct({
  slug: Slug.check(
    Schema.isMaxLength(63 - sandboxSuffix.length),
    Schema.makeFilter((slug) => !slug.endsWith(sandboxSuffix), {
      expected: `a slug that does not end in ${sandboxSuffix}`
    })
  ),
  name: Name,
  timezone: Timezone,
  default_currency: Currency,
  plan: Schema.optionalKey(Plan),
  sandbox_webhook_cidrs: Schema.optionalKey(Schema.Array(Schema.String))
})

/** Who keeps the installation, as the audit names it. */
const GivenOperator = Schema.Struct({
  actor: Schema.optionalKey(Schema.Struct({ type: Schema.Literals(["USER", "SYSTEM"]), id: Schema.String })),
  request_id: Schema.optionalKey(Schema.String)
})

const host: Operator = { actor: { type: "SYSTEM", id: "host" }, request_id: "host" }

/**
 * Every use case that the promise face offers, by its service. A service that is added here is a property of `Almoner`;
 * the methods have the names of the use cases'.
 */
export const operations = {
  donors: {
    create: donors.forCaller({
      takes: [body(Donor.NewDonor, Donor.DonorRecord)],
      gives: Donor.DonorRecord,
      run: (use, input) => use.create(input)
    }),
    read: donors.forCaller({ takes: [donorId], gives: Donor.DonorRecord, run: (use, donor) => use.read(donor) }),
    list: donors.forCaller({
      takes: [query(Donor.listing)],
      gives: pageOf(Donor.DonorRecord),
      run: (use, asked) => use.list(asked)
    }),
    update: donors.forCaller({
      takes: [donorId, body(Donor.DonorPatch, Donor.DonorRecord)],
      gives: Donor.DonorRecord,
      run: (use, donor, patch) => use.update(donor, patch)
    }),
    archive: donors.forCaller({ takes: [donorId], gives: Donor.DonorRecord, run: (use, donor) => use.archive(donor) }),
    merge: donors.forCaller({
      takes: [donorId, body(Donor.DonorMerge, Donor.DonorRecord)],
      gives: Donor.DonorRecord,
      run: (use, donor, input) => use.merge(donor, input)
    })
  },
  contactLogs,
  donations: {
    record: donations.forCaller({
      takes: [body(Donation.NewDonation, Donation.DonationDetail)],
      gives: Donation.DonationRecord,
      run: (use, input) => use.record(input)
    }),
    read: donations.forCaller({
      takes: [id(DonationId, "donation")],
      gives: Donation.DonationDetail,
      run: (use, donation) => use.read(donation)
    }),
    list: donations.forCaller({
      takes: [query(Donation.listing)],
      gives: pageOf(Donation.DonationRecord),
      run: (use, asked) => use.list(asked)
    }),
    refund: donations.forCaller({
      takes: [id(DonationId, "donation"), optionalBody(Refund.NewRefund)],
      gives: Refund.RefundedDonation,
      run: (use, donation, input) => use.refund(donation, input)
    })
  },
  revenueCodes: {
    create: revenueCodes.forCaller({
      takes: [body(RevenueCode.NewRevenueCode, RevenueCode.RevenueCodeRecord)],
      gives: RevenueCode.RevenueCodeRecord,
      run: (use, input) => use.create(input)
    }),
    read: revenueCodes.forCaller({
      takes: [revenueCodeId],
      gives: RevenueCode.RevenueCodeRecord,
      run: (use, code) => use.read(code)
    }),
    list: revenueCodes.forCaller({
      takes: [query(RevenueCode.listing)],
      gives: pageOf(RevenueCode.RevenueCodeRecord),
      run: (use, asked) => use.list(asked)
    }),
    update: revenueCodes.forCaller({
      takes: [revenueCodeId, body(RevenueCode.RevenueCodePatch, RevenueCode.RevenueCodeRecord)],
      gives: RevenueCode.RevenueCodeRecord,
      run: (use, code, patch) => use.update(code, patch)
    }),
    archive: revenueCodes.forCaller({
      takes: [revenueCodeId],
      gives: RevenueCode.RevenueCodeRecord,
      run: (use, code) => use.archive(code)
    })
  },
  donationForms,
  checkoutLinks,
  personalisedLinks,
  recommendationSets,
  recipientAccounts: {
    link: recipientAccounts.forCaller({
      takes: [body(RecipientAccount.PassphraseExchange, RecipientAccount.RecipientAccountRecord)],
      gives: Schema.Struct({ link: RecipientAccount.RecipientAccountDetail, created: Schema.Boolean }),
      run: (use, input) => use.link(input)
    }),
    read: recipientAccounts.forCaller({
      takes: [recipientAccountId],
      gives: RecipientAccount.RecipientAccountDetail,
      run: (use, link) => use.read(link)
    }),
    list: recipientAccounts.forCaller({
      takes: [query(RecipientAccount.listing)],
      gives: pageOf(RecipientAccount.RecipientAccountRecord),
      run: (use, asked) => use.list(asked)
    }),
    update: recipientAccounts.forCaller({
      takes: [
        recipientAccountId,
        body(RecipientAccount.RecipientAccountPatch, RecipientAccount.RecipientAccountDetail)
      ],
      gives: RecipientAccount.RecipientAccountDetail,
      run: (use, link, patch) => use.update(link, patch)
    }),
    deactivate: recipientAccounts.forCaller({
      takes: [recipientAccountId],
      gives: RecipientAccount.RecipientAccountDetail,
      run: (use, link) => use.deactivate(link)
    })
  },
  integrations: {
    create: integrations.forOperator({
      takes: [body(Integration.NewIntegration)],
      gives: Integration.DisclosedIntegration,
      run: (use, input) => use.create(input)
    }),
    list: integrations.forOperator({
      takes: [query(Integration.listing)],
      gives: pageOf(Integration.IntegrationRecord),
      run: (use, asked) => use.list(asked)
    }),
    rotatePassphrase: integrations.forOperator({
      takes: [id(IntegrationId, "integration")],
      gives: Integration.DisclosedIntegration,
      run: (use, integration) => use.rotatePassphrase(integration)
    })
  },
  introductions: introductionOperations,
  campaigns: campaignOperations,
  donorIntelligence: intelligenceOperations,
  segments: segmentOperations,
  invitations: invitationOperations,
  users: userOperations,
  webhookEndpoints: {
    create: endpoints.forCaller({
      takes: [body(WebhookEndpoint.newWebhookEndpoint(Event.eventTypes), WebhookEndpoint.WebhookEndpointRecord)],
      gives: WebhookEndpoint.WebhookEndpointWithSecret,
      run: (use, input) => use.create(input)
    }),
    read: endpoints.forCaller({
      takes: [endpointId],
      gives: WebhookEndpoint.WebhookEndpointRecord,
      run: (use, endpoint) => use.read(endpoint)
    }),
    list: endpoints.forCaller({
      takes: [query(WebhookEndpoint.listing)],
      gives: pageOf(WebhookEndpoint.WebhookEndpointRecord),
      run: (use, asked) => use.list(asked)
    }),
    update: endpoints.forCaller({
      takes: [
        endpointId,
        body(WebhookEndpoint.webhookEndpointPatch(Event.eventTypes), WebhookEndpoint.WebhookEndpointRecord)
      ],
      gives: WebhookEndpoint.WebhookEndpointRecord,
      run: (use, endpoint, patch) => use.update(endpoint, patch)
    }),
    remove: endpoints.forCaller({
      takes: [endpointId],
      gives: WebhookEndpoint.WebhookEndpointRecord,
      run: (use, endpoint) => use.remove(endpoint)
    }),
    rotateSecret: endpoints.forCaller({
      takes: [endpointId, optionalBody(WebhookEndpoint.SecretRotation)],
      gives: WebhookEndpoint.WebhookEndpointWithSecret,
      run: (use, endpoint, rotation) => use.rotateSecret(endpoint, rotation)
    })
  },
  webhookDeliveries: {
    read: deliveries.forCaller({
      takes: [deliveryId],
      gives: Delivery.DeliveryDetail,
      run: (use, delivery) => Effect.map(use.read(delivery), ({ attempts, delivery }) => ({ ...delivery, attempts }))
    }),
    list: deliveries.forCaller({
      takes: [query(Delivery.listing(Event.eventTypes))],
      gives: pageOf(Delivery.DeliveryRecord),
      run: (use, asked) => use.list(asked)
    }),
    replay: deliveries.forCaller({
      takes: [deliveryId],
      gives: Delivery.DeliveryRecord,
      run: (use, delivery) => use.replay(delivery)
    })
  },
  events: {
    read: events.forCaller({
      takes: [id(EventId, "event")],
      gives: Event.EventRecord,
      run: (use, event) => use.read(event)
    }),
    list: events.forCaller({
      takes: [query(Event.listing)],
      gives: pageOf(Event.EventRecord),
      run: (use, asked) => use.list(asked)
    })
  },
  organisations: {
    readOwn: organisations.forCaller({ takes: [], gives: OwnOrganisation, run: (use) => use.readOwn() }),
    updateOwn: organisations.forCaller({
      takes: [body(OrganisationPatch, OwnOrganisation)],
      gives: OwnOrganisation,
      run: (use, patch) => use.updateOwn(patch)
    }),
    listLinked: organisations.forCaller({
      takes: [query(linkedListing)],
      gives: pageOf(LinkedOrganisationRecord),
      run: (use, asked) => use.listLinked(asked)
    }),
    readLinked: organisations.forCaller({
      takes: [id(OrganisationId, "linked organisation")],
      gives: LinkedOrganisationRecord,
      run: (use, organisation) => use.readLinked(organisation)
    }),
    setPlan: organisations.forOperator({
      takes: [value("plan", Plan)],
      gives: Organisation,
      run: (use, plan) => use.setPlan(plan)
    }),
    create: organisations.forInstallation({
      takes: [body(NewOrganisation), optionalBody(GivenOperator)],
      gives: Schema.Struct({ live: Organisation, sandbox: Organisation }),
      run: (use, input, operator) =>
        use.create({ plan: "FREE", sandbox_webhook_cidrs: [], ...input }, { ...host, ...operator })
    }),
    findBySlug: organisations.forInstallation({
      takes: [value("slug", Schema.String)],
      gives: Organisation,
      run: (use, slug) => use.findBySlug(slug)
    }),
    all: organisations.forInstallation({ takes: [], gives: Schema.Array(Organisation), run: (use) => use.all })
  },
  apiKeys: {
    create: apiKeys.forOperator({
      takes: [body(Schema.Struct({ name: Name, scope: Scope }))],
      gives: DisclosedKey,
      run: (use, input) => use.create(input)
    }),
    rotate: apiKeys.forOperator({
      takes: [apiKeyId],
      gives: DisclosedKey,
      run: (use, key) => use.rotate(key)
    }),
    revoke: apiKeys.forOperator({
      takes: [apiKeyId],
      gives: ApiKeyRecord,
      run: (use, key) => use.revoke(key)
    }),
    list: apiKeys.forOperator({
      takes: [],
      gives: Schema.Array(ApiKeyRecord),
      run: (use) => use.list()
    })
  },
  auditLog: {
    list: auditLog.forOperator({
      takes: [value("limit", Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))],
      gives: Schema.Array(AuditEntry),
      run: (use, limit) => use.list(limit)
    })
  }
} as const
