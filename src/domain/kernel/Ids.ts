import { type Brand, Schema } from "effect"

/**
 * The prefix of every kind of identifier. An identifier is a TypeID: the prefix, `_`, and a UUIDv7 in base32, so that
 * identifiers of one kind sort by the time of their making. decisions, section 1: Identifiers.
 */
export const idPrefixes = {
  organisation: "org",
  apiKey: "key",
  user: "usr",
  donor: "dnr",
  contactLog: "log",
  donation: "don",
  refund: "rfd",
  revenueCode: "rev",
  donationForm: "frm",
  checkoutLink: "chk",
  recommendationSet: "rset",
  allocation: "all",
  payment: "rsp",
  paymentAllocation: "pal",
  transferAttempt: "trf",
  reversal: "rvs",
  recipientAccountLink: "roal",
  integration: "intg",
  introduction: "intr",
  campaign: "cmp",
  segment: "seg",
  subscription: "sub",
  disclosure: "dsc",
  event: "evt",
  webhookEndpoint: "whe",
  delivery: "dlv",
  auditEntry: "aud",
  mail: "mail",
  emailCode: "cod",
  charge: "chg",
  ledgerEntry: "led",
  dispute: "dsp",
  paymentException: "exc",
  consentPrompt: "cpr",
  notice: "ntc",
  testNotice: "tnt",
  credit: "crd",
  mandate: "mdt",
  invoice: "inv",
  request: "req"
} as const

/** A kind of identifier. */
export type IdKind = keyof typeof idPrefixes

/** Lower-case base32 without i, l, o and u: the digits of a TypeID's suffix. */
export const idDigits = "0123456789abcdefghjkmnpqrstvwxyz"

const digit = "[0-9a-hjkmnp-tv-z]"

/** What the suffix of each sample begins with. */
const sampleStart = "01h8x2m4p6q8s0t2v4"

const identifier = (kind: IdKind) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${idPrefixes[kind]}_[0-7]${digit}{25}$`, "u"), {
      description: `an identifier that begins with ${idPrefixes[kind]}_`,
      // Samples differ in the last digits, one by one: a repetition, and each digit that is drawn, takes long.
      arbitraryConstraint: {
        patterns: [{ source: `^${idPrefixes[kind]}_${sampleStart}${digit.repeat(8)}$`, flags: "" }]
      }
    })
  )

/** The id of an organisation. */
export const OrganisationId = identifier("organisation").pipe(Schema.brand("OrganisationId"))
export type OrganisationId = typeof OrganisationId.Type

/** The id of an API key. */
export const ApiKeyId = identifier("apiKey").pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/** The id of a donor. */
export const DonorId = identifier("donor").pipe(Schema.brand("DonorId"))
export type DonorId = typeof DonorId.Type

/** The id of a donation. */
export const DonationId = identifier("donation").pipe(Schema.brand("DonationId"))
export type DonationId = typeof DonationId.Type

/** The id of a revenue code. */
export const RevenueCodeId = identifier("revenueCode").pipe(Schema.brand("RevenueCodeId"))
export type RevenueCodeId = typeof RevenueCodeId.Type

/** The id of an event. */
export const EventId = identifier("event").pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** The id of a webhook endpoint. */
export const WebhookEndpointId = identifier("webhookEndpoint").pipe(Schema.brand("WebhookEndpointId"))
export type WebhookEndpointId = typeof WebhookEndpointId.Type

/** The id of a webhook delivery. */
export const DeliveryId = identifier("delivery").pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/** The id of an audit entry. */
export const AuditEntryId = identifier("auditEntry").pipe(Schema.brand("AuditEntryId"))
export type AuditEntryId = typeof AuditEntryId.Type

/** The id of a user. */
export const UserId = identifier("user").pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** The id of a contact log. */
export const ContactLogId = identifier("contactLog").pipe(Schema.brand("ContactLogId"))
export type ContactLogId = typeof ContactLogId.Type

/** The id of a refund. */
export const RefundId = identifier("refund").pipe(Schema.brand("RefundId"))
export type RefundId = typeof RefundId.Type

/** The id of a donation form. */
export const DonationFormId = identifier("donationForm").pipe(Schema.brand("DonationFormId"))
export type DonationFormId = typeof DonationFormId.Type

/** The id of a checkout link. */
export const CheckoutLinkId = identifier("checkoutLink").pipe(Schema.brand("CheckoutLinkId"))
export type CheckoutLinkId = typeof CheckoutLinkId.Type

/** The id of a recommendation set. */
export const RecommendationSetId = identifier("recommendationSet").pipe(Schema.brand("RecommendationSetId"))
export type RecommendationSetId = typeof RecommendationSetId.Type

/** The id of an allocation. */
export const AllocationId = identifier("allocation").pipe(Schema.brand("AllocationId"))
export type AllocationId = typeof AllocationId.Type

/** The id of a payment. */
export const PaymentId = identifier("payment").pipe(Schema.brand("PaymentId"))
export type PaymentId = typeof PaymentId.Type

/** The id of a payment allocation. */
export const PaymentAllocationId = identifier("paymentAllocation").pipe(Schema.brand("PaymentAllocationId"))
export type PaymentAllocationId = typeof PaymentAllocationId.Type

/** The id of a transfer attempt. */
export const TransferAttemptId = identifier("transferAttempt").pipe(Schema.brand("TransferAttemptId"))
export type TransferAttemptId = typeof TransferAttemptId.Type

/** The id of an attempt to take a transfer back. */
export const ReversalId = identifier("reversal").pipe(Schema.brand("ReversalId"))
export type ReversalId = typeof ReversalId.Type

/** The id of a recipient account link. */
export const RecipientAccountLinkId = identifier("recipientAccountLink").pipe(Schema.brand("RecipientAccountLinkId"))
export type RecipientAccountLinkId = typeof RecipientAccountLinkId.Type

/** The id of an integration. */
export const IntegrationId = identifier("integration").pipe(Schema.brand("IntegrationId"))
export type IntegrationId = typeof IntegrationId.Type

/** The id of an introduction. */
export const IntroductionId = identifier("introduction").pipe(Schema.brand("IntroductionId"))
export type IntroductionId = typeof IntroductionId.Type

/** The id of a campaign. */
export const CampaignId = identifier("campaign").pipe(Schema.brand("CampaignId"))
export type CampaignId = typeof CampaignId.Type

/** The id of a segment. */
export const SegmentId = identifier("segment").pipe(Schema.brand("SegmentId"))
export type SegmentId = typeof SegmentId.Type

/** The id of a mandate. */
export const MandateId = identifier("mandate").pipe(Schema.brand("MandateId"))
export type MandateId = typeof MandateId.Type

/** The id of an invoice of a subscription. */
export const InvoiceId = identifier("invoice").pipe(Schema.brand("InvoiceId"))
export type InvoiceId = typeof InvoiceId.Type

/** The id of a subscription. */
export const SubscriptionId = identifier("subscription").pipe(Schema.brand("SubscriptionId"))
export type SubscriptionId = typeof SubscriptionId.Type

/** The id of a disclosure. */
export const DisclosureId = identifier("disclosure").pipe(Schema.brand("DisclosureId"))
export type DisclosureId = typeof DisclosureId.Type

/** The id of a code that was mailed. */
export const EmailCodeId = identifier("emailCode").pipe(Schema.brand("EmailCodeId"))
export type EmailCodeId = typeof EmailCodeId.Type

/** The id of a mail. */
export const MailId = identifier("mail").pipe(Schema.brand("MailId"))
export type MailId = typeof MailId.Type

/** The id of a charge. */
export const ChargeId = identifier("charge").pipe(Schema.brand("ChargeId"))
export type ChargeId = typeof ChargeId.Type

/** The id of an entry of the ledger. */
export const LedgerEntryId = identifier("ledgerEntry").pipe(Schema.brand("LedgerEntryId"))
export type LedgerEntryId = typeof LedgerEntryId.Type

/** The id of a dispute. */
export const DisputeId = identifier("dispute").pipe(Schema.brand("DisputeId"))
export type DisputeId = typeof DisputeId.Type

/** The id of a payment exception. */
export const PaymentExceptionId = identifier("paymentException").pipe(Schema.brand("PaymentExceptionId"))
export type PaymentExceptionId = typeof PaymentExceptionId.Type

/** The id of a consent prompt. */
export const ConsentPromptId = identifier("consentPrompt").pipe(Schema.brand("ConsentPromptId"))
export type ConsentPromptId = typeof ConsentPromptId.Type
/** The id of a processor's notice. */
export const NoticeId = identifier("notice").pipe(Schema.brand("NoticeId"))
export type NoticeId = typeof NoticeId.Type
/** The id of a credit. */
export const CreditId = identifier("credit").pipe(Schema.brand("CreditId"))
export type CreditId = typeof CreditId.Type

/** The type of a kind's identifiers; those of requests and test notices are any text. */
export type IdOf<K extends IdKind> = K extends "request" | "testNotice"
  ? string
  : string & Brand.Brand<`${Capitalize<K>}Id`>
