import { Schema } from "effect"

/**
 * The prefix of every kind of identifier. An identifier is a TypeID: the prefix, `_`, and a UUIDv7 in base32, so that
 * identifiers of one kind sort by the time of their making. decisions, section 1: Identifiers.
 * @example donor_id.startsWith(`${Ids.idPrefixes.donor}_`) // => true
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

/**
 * Lower-case base32 without i, l, o and u: the digits of a TypeID's suffix.
 * @example [..."ilou"].filter((letter) => Ids.idDigits.includes(letter)) // => []
 */
export const idDigits = "0123456789abcdefghjkmnpqrstvwxyz"

const digit = "[0-9a-hjkmnp-tv-z]"

const identifier = (kind: IdKind) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${idPrefixes[kind]}_[0-7]${digit}{25}$`, "u"), {
      description: `an identifier that begins with ${idPrefixes[kind]}_`,
      // The same, digit by digit: a repetition makes a sample take several times as long.
      arbitraryConstraint: { patterns: [{ source: `^${idPrefixes[kind]}_[0-7]${digit.repeat(25)}$`, flags: "" }] }
    })
  )

/**
 * The id of an organisation.
 * @example const id = Ids.OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const OrganisationId = identifier("organisation").pipe(Schema.brand("OrganisationId"))
export type OrganisationId = typeof OrganisationId.Type

/**
 * The id of an API key.
 * @example const id = Ids.ApiKeyId.make("key_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const ApiKeyId = identifier("apiKey").pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/**
 * The id of a donor.
 * @example const id = Ids.DonorId.make("dnr_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const DonorId = identifier("donor").pipe(Schema.brand("DonorId"))
export type DonorId = typeof DonorId.Type

/**
 * The id of a donation.
 * @example const id = Ids.DonationId.make("don_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const DonationId = identifier("donation").pipe(Schema.brand("DonationId"))
export type DonationId = typeof DonationId.Type

/**
 * The id of a revenue code.
 * @example const id = Ids.RevenueCodeId.make("rev_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const RevenueCodeId = identifier("revenueCode").pipe(Schema.brand("RevenueCodeId"))
export type RevenueCodeId = typeof RevenueCodeId.Type

/**
 * The id of an event.
 * @example const id = Ids.EventId.make("evt_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const EventId = identifier("event").pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/**
 * The id of a webhook endpoint.
 * @example const id = Ids.WebhookEndpointId.make("whe_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const WebhookEndpointId = identifier("webhookEndpoint").pipe(Schema.brand("WebhookEndpointId"))
export type WebhookEndpointId = typeof WebhookEndpointId.Type

/**
 * The id of a webhook delivery.
 * @example const id = Ids.DeliveryId.make("dlv_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const DeliveryId = identifier("delivery").pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/**
 * The id of an audit entry.
 * @example const id = Ids.AuditEntryId.make("aud_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const AuditEntryId = identifier("auditEntry").pipe(Schema.brand("AuditEntryId"))
export type AuditEntryId = typeof AuditEntryId.Type

/**
 * The id of a user.
 * @example const id = Ids.UserId.make("usr_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const UserId = identifier("user").pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/**
 * The id of a contact log.
 * @example const id = Ids.ContactLogId.make("log_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const ContactLogId = identifier("contactLog").pipe(Schema.brand("ContactLogId"))
export type ContactLogId = typeof ContactLogId.Type

/**
 * The id of a refund.
 * @example const id = Ids.RefundId.make("rfd_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const RefundId = identifier("refund").pipe(Schema.brand("RefundId"))
export type RefundId = typeof RefundId.Type

/**
 * The id of a donation form.
 * @example const id = Ids.DonationFormId.make("frm_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const DonationFormId = identifier("donationForm").pipe(Schema.brand("DonationFormId"))
export type DonationFormId = typeof DonationFormId.Type

/**
 * The id of a checkout link.
 * @example const id = Ids.CheckoutLinkId.make("chk_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const CheckoutLinkId = identifier("checkoutLink").pipe(Schema.brand("CheckoutLinkId"))
export type CheckoutLinkId = typeof CheckoutLinkId.Type

/**
 * The id of a recommendation set.
 * @example const id = Ids.RecommendationSetId.make("rset_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const RecommendationSetId = identifier("recommendationSet").pipe(Schema.brand("RecommendationSetId"))
export type RecommendationSetId = typeof RecommendationSetId.Type

/**
 * The id of an allocation.
 * @example const id = Ids.AllocationId.make("all_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const AllocationId = identifier("allocation").pipe(Schema.brand("AllocationId"))
export type AllocationId = typeof AllocationId.Type

/**
 * The id of a payment.
 * @example const id = Ids.PaymentId.make("rsp_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const PaymentId = identifier("payment").pipe(Schema.brand("PaymentId"))
export type PaymentId = typeof PaymentId.Type

/**
 * The id of a payment allocation.
 * @example const id = Ids.PaymentAllocationId.make("pal_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const PaymentAllocationId = identifier("paymentAllocation").pipe(Schema.brand("PaymentAllocationId"))
export type PaymentAllocationId = typeof PaymentAllocationId.Type

/**
 * The id of a transfer attempt.
 * @example const id = Ids.TransferAttemptId.make("trf_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const TransferAttemptId = identifier("transferAttempt").pipe(Schema.brand("TransferAttemptId"))
export type TransferAttemptId = typeof TransferAttemptId.Type

/**
 * The id of an attempt to take a transfer back.
 * @example const id = Ids.ReversalId.make("rvs_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const ReversalId = identifier("reversal").pipe(Schema.brand("ReversalId"))
export type ReversalId = typeof ReversalId.Type

/**
 * The id of a recipient account link.
 * @example const id = Ids.RecipientAccountLinkId.make("roal_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const RecipientAccountLinkId = identifier("recipientAccountLink").pipe(Schema.brand("RecipientAccountLinkId"))
export type RecipientAccountLinkId = typeof RecipientAccountLinkId.Type

/**
 * The id of an integration.
 * @example const id = Ids.IntegrationId.make("intg_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const IntegrationId = identifier("integration").pipe(Schema.brand("IntegrationId"))
export type IntegrationId = typeof IntegrationId.Type

/**
 * The id of an introduction.
 * @example const id = Ids.IntroductionId.make("intr_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const IntroductionId = identifier("introduction").pipe(Schema.brand("IntroductionId"))
export type IntroductionId = typeof IntroductionId.Type

/**
 * The id of a campaign.
 * @example const id = Ids.CampaignId.make("cmp_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const CampaignId = identifier("campaign").pipe(Schema.brand("CampaignId"))
export type CampaignId = typeof CampaignId.Type

/**
 * The id of a segment.
 * @example const id = Ids.SegmentId.make("seg_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const SegmentId = identifier("segment").pipe(Schema.brand("SegmentId"))
export type SegmentId = typeof SegmentId.Type

/**
 * The id of a mandate.
 * @example const id = Ids.MandateId.make("mdt_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const MandateId = identifier("mandate").pipe(Schema.brand("MandateId"))
export type MandateId = typeof MandateId.Type

/**
 * The id of an invoice of a subscription.
 * @example const id = Ids.InvoiceId.make("inv_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const InvoiceId = identifier("invoice").pipe(Schema.brand("InvoiceId"))
export type InvoiceId = typeof InvoiceId.Type

/**
 * The id of a subscription.
 * @example const id = Ids.SubscriptionId.make("sub_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const SubscriptionId = identifier("subscription").pipe(Schema.brand("SubscriptionId"))
export type SubscriptionId = typeof SubscriptionId.Type

/**
 * The id of a disclosure.
 * @example const id = Ids.DisclosureId.make("dsc_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const DisclosureId = identifier("disclosure").pipe(Schema.brand("DisclosureId"))
export type DisclosureId = typeof DisclosureId.Type

/**
 * The id of a mail.
 * @example const id = Ids.MailId.make("mail_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const MailId = identifier("mail").pipe(Schema.brand("MailId"))
export type MailId = typeof MailId.Type

/**
 * The id of a charge.
 * @example const id = Ids.ChargeId.make("chg_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const ChargeId = identifier("charge").pipe(Schema.brand("ChargeId"))
export type ChargeId = typeof ChargeId.Type

/**
 * The id of an entry of the ledger.
 * @example const id = Ids.LedgerEntryId.make("led_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const LedgerEntryId = identifier("ledgerEntry").pipe(Schema.brand("LedgerEntryId"))
export type LedgerEntryId = typeof LedgerEntryId.Type

/**
 * The id of a dispute.
 * @example const id = Ids.DisputeId.make("dsp_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const DisputeId = identifier("dispute").pipe(Schema.brand("DisputeId"))
export type DisputeId = typeof DisputeId.Type

/**
 * The id of a payment exception.
 * @example const id = Ids.PaymentExceptionId.make("exc_01jqz6x8h4e5vb9m2k7ncw3t5d")
 */
export const PaymentExceptionId = identifier("paymentException").pipe(Schema.brand("PaymentExceptionId"))
export type PaymentExceptionId = typeof PaymentExceptionId.Type

/**
 * The id of a consent prompt.
 *
 * @example const isId = Schema.is(Ids.ConsentPromptId)(given)
 */
export const ConsentPromptId = identifier("consentPrompt").pipe(Schema.brand("ConsentPromptId"))
export type ConsentPromptId = typeof ConsentPromptId.Type
/**
 * The id of a processor's notice.
 *
 * @example const isId = Schema.is(Ids.NoticeId)(given)
 */
export const NoticeId = identifier("notice").pipe(Schema.brand("NoticeId"))
export type NoticeId = typeof NoticeId.Type
/**
 * The id of a credit.
 *
 * @example const isId = Schema.is(Ids.CreditId)(given)
 */
export const CreditId = identifier("credit").pipe(Schema.brand("CreditId"))
export type CreditId = typeof CreditId.Type

/** The type of identifier of each kind. */
interface Branded {
  readonly organisation: OrganisationId
  readonly apiKey: ApiKeyId
  readonly donor: DonorId
  readonly donation: DonationId
  readonly revenueCode: RevenueCodeId
  readonly event: EventId
  readonly webhookEndpoint: WebhookEndpointId
  readonly delivery: DeliveryId
  readonly auditEntry: AuditEntryId
  readonly user: UserId
  readonly contactLog: ContactLogId
  readonly refund: RefundId
  readonly donationForm: DonationFormId
  readonly checkoutLink: CheckoutLinkId
  readonly recommendationSet: RecommendationSetId
  readonly allocation: AllocationId
  readonly payment: PaymentId
  readonly paymentAllocation: PaymentAllocationId
  readonly transferAttempt: TransferAttemptId
  readonly reversal: ReversalId
  readonly recipientAccountLink: RecipientAccountLinkId
  readonly integration: IntegrationId
  readonly introduction: IntroductionId
  readonly campaign: CampaignId
  readonly segment: SegmentId
  readonly subscription: SubscriptionId
  readonly disclosure: DisclosureId
  readonly mail: MailId
  readonly charge: ChargeId
  readonly ledgerEntry: LedgerEntryId
  readonly dispute: DisputeId
  readonly paymentException: PaymentExceptionId
  readonly consentPrompt: ConsentPromptId
  readonly notice: NoticeId
  readonly credit: CreditId
  readonly mandate: MandateId
  readonly invoice: InvoiceId
}

/** The type of a kind's identifiers. */
export type IdOf<K extends IdKind> = K extends keyof Branded ? Branded[K] : string
