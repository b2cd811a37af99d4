import { Schema } from "effect"

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
  request: "req"
} as const

/** A kind of identifier. */
export type IdKind = keyof typeof idPrefixes

/** Lower-case base32 without i, l, o and u: the digits of a TypeID's suffix. */
export const idDigits = "0123456789abcdefghjkmnpqrstvwxyz"

const identifier = (kind: IdKind) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${idPrefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u"), {
      description: `an identifier that begins with ${idPrefixes[kind]}_`
    })
  )

export const OrganisationId = identifier("organisation").pipe(Schema.brand("OrganisationId"))
export type OrganisationId = typeof OrganisationId.Type

export const ApiKeyId = identifier("apiKey").pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const DonorId = identifier("donor").pipe(Schema.brand("DonorId"))
export type DonorId = typeof DonorId.Type

export const DonationId = identifier("donation").pipe(Schema.brand("DonationId"))
export type DonationId = typeof DonationId.Type

export const RevenueCodeId = identifier("revenueCode").pipe(Schema.brand("RevenueCodeId"))
export type RevenueCodeId = typeof RevenueCodeId.Type

export const EventId = identifier("event").pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

export const WebhookEndpointId = identifier("webhookEndpoint").pipe(Schema.brand("WebhookEndpointId"))
export type WebhookEndpointId = typeof WebhookEndpointId.Type

export const DeliveryId = identifier("delivery").pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

export const AuditEntryId = identifier("auditEntry").pipe(Schema.brand("AuditEntryId"))
export type AuditEntryId = typeof AuditEntryId.Type

/** The identifiers that have a type of their own, by kind. */
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
}

/** The type of a kind's identifiers. */
export type IdOf<K extends IdKind> = K extends keyof Branded ? Branded[K] : string
