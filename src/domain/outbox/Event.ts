import { DateTime, Schema } from "effect"
import * as Disclosure from "../compliance/Disclosure.ts"
import * as CheckoutLink from "../giving/CheckoutLink.ts"
import * as Donation from "../giving/Donation.ts"
import * as DonationForm from "../giving/DonationForm.ts"
import * as Donor from "../giving/Donor.ts"
import type { HostEventType } from "../kernel/HostEventType.ts"
import { EventId, OrganisationId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import type { Mail } from "../kernel/Mail.ts"
import { Instant } from "../kernel/Timestamp.ts"
import * as Subscription from "../payments/Subscription.ts"
import * as Introduction from "../sharing/Introduction.ts"
import * as Payment from "../sharing/Payment.ts"
import * as RecipientAccount from "../sharing/RecipientAccount.ts"
import * as RecommendationSet from "../sharing/RecommendationSet.ts"
import * as Transfer from "../sharing/Transfer.ts"

/** One event type of the catalogue. */
export interface EventSpec {
  /** The occasion, as the end of a sentence that begins with "Emitted when". */
  readonly when: string
  /** The shape of `data`. */
  readonly data: Schema.Codec<unknown, unknown>
  /**
   * The key that tells a repetition; such an event is delivered at most once for each value. service-spec, States and transitions:
   * Donation; decisions, section 5: Donation.
   */
  readonly once_per?: string
}

const spec = <S extends Schema.Top>(
  when: string,
  data: S,
  once_per?: string
): Omit<EventSpec, "data"> & { readonly data: S } =>
  once_per === undefined ? { when, data } : { when, data, once_per }

const donation = (when: string) => spec(when, Donation.eventData, "donation")

/** Every event type. service-spec, Event catalogue; decisions, section 6. */
export const catalogue = {
  "donor.created": spec("a donor is recorded", Donor.eventData.created),
  "donor.updated": spec("a donor's fields change", Donor.eventData.updated),
  "donor.archived": spec("a donor is archived", Donor.eventData.archived),
  "donor.merged": spec("a duplicate is merged into a donor", Donor.eventData.merged),
  "donation.created": donation("a gift is recorded, before any processor is called"),
  "donation.processing": donation("a direct debit or PayTo payment enters the bank network"),
  "donation.succeeded": donation("a gift's funds have settled"),
  "donation.refunded": donation("a refund of a gift is accepted, or a chargeback is lost"),
  "donation.refund_reversed": donation("a refund fails, or a dispute is won"),
  "donation.failed": donation("a gift's payment fails"),
  "donation_form.created": spec("a form is made", DonationForm.eventData),
  "donation_form.updated": spec("a form changes", DonationForm.eventData),
  "donation_form.archived": spec("a form is archived", DonationForm.eventData),
  "checkout_link.created": spec("a checkout link is made", CheckoutLink.eventData),
  "checkout_link.updated": spec("a checkout link changes, is completed or expires", CheckoutLink.eventData),
  "checkout_link.cancelled": spec("a checkout link is cancelled", CheckoutLink.eventData),
  "checkout_link.archived": spec("a checkout link is archived", CheckoutLink.eventData),
  "disclosure.created": spec("a donor crosses a disclosure threshold", Disclosure.eventData),
  "disclosure.updated": spec("a disclosure changes", Disclosure.eventData),
  "recommendation_set.created": spec("a recommendation set is made", RecommendationSet.eventData),
  "recommendation_set.updated": spec("a recommendation set changes or is activated again", RecommendationSet.eventData),
  "recommendation_set.deactivated": spec("a recommendation set is deactivated", RecommendationSet.eventData),
  "recommendation_set.archived": spec("a recommendation set is archived", RecommendationSet.eventData),
  "recommendation_set.payment_succeeded": spec("a donor's payment arrives", Payment.eventData),
  "recommendation_set.payment_failed": spec("a donor's payment fails or lapses", Payment.eventData),
  "recommendation_set.distribution_succeeded": spec("a transfer to a recipient succeeds", Transfer.eventData),
  "recommendation_set.distribution_failed": spec("a transfer to a recipient is given up", Transfer.eventData),
  "recipient_org_account_link.created": spec("a recipient account is linked", RecipientAccount.createdEventData),
  "recipient_org_account_link.updated": spec("a link changes or is activated again", RecipientAccount.eventData),
  "recipient_org_account_link.deactivated": spec("a link is deactivated", RecipientAccount.eventData),
  "subscription.created": spec("a recurring gift is set up", Subscription.eventData.subscription),
  "subscription.cancelled": spec("a recurring gift ends", Subscription.eventData.subscription),
  "subscription.payment_failed": spec(
    "an invoice of a live recurring gift fails",
    Subscription.eventData.paymentFailed,
    "invoice"
  ),
  "introduction.created": spec("an introduction is sent", Introduction.eventData),
  "introduction.viewed": spec("the invitee first opens the invitation", Introduction.eventData),
  "introduction.accepted": spec("the invitee accepts for one of their organisations", Introduction.eventData),
  "introduction.linked": spec("the invitee links a payment account", Introduction.eventData),
  "introduction.expired": spec("an introduction's time runs out", Introduction.eventData),
  "introduction.revoked": spec("the inviter revokes an introduction", Introduction.eventData)
} as const

/** A type of events of the catalogue. service-spec, Events. */
export type EventType = keyof typeof catalogue

/** The data of a host's event: JSON, as it is stored and sent. */
export type HostEventData = Readonly<Record<string, unknown>>

/** The data of an event type. */
export type EventData<T extends EventType | HostEventType> = T extends EventType
  ? (typeof catalogue)[T]["data"]["Type"]
  : HostEventData

/** An event of the catalogue or of a host, by its type and data. */
export type TypedEvent =
  | { readonly [T in EventType]: { readonly type: T; readonly data: EventData<T> } }[EventType]
  | { readonly type: HostEventType; readonly data: HostEventData }

/** The mail that is owed to a donor for what an event tells; null where none is. docs/decisions/0080. */
export const owedMail = (event: TypedEvent): Pick<Mail, "template" | "subject_id"> | null => {
  switch (event.type) {
    case "donation.succeeded":
      return Donation.isReceipted(event.data) ? { template: "receipt", subject_id: event.data.id } : null
    case "donation.refunded":
    case "donation.refund_reversed":
      return Donation.isReceipted(event.data) ? { template: "receipt_correction", subject_id: event.data.id } : null
    case "recommendation_set.payment_succeeded":
      return { template: "payment_summary", subject_id: event.data.recommendation_set_payment_id }
    default:
      return null
  }
}

const isEventType = (name: string): name is EventType => Object.hasOwn(catalogue, name)

/** The names of the catalogue, in its order. */
export const eventTypes: ReadonlyArray<EventType> = Object.keys(catalogue).filter(isEventType)

const oneOf = (types: ReadonlyArray<EventType | HostEventType>) =>
  Schema.Literals(types).annotate({ identifier: "EventType" })

const ofCatalogue = oneOf(eventTypes)

/**
 * A type of the catalogue, or one of those that a host declares.
 * @example
 * Schema.is(Event.eventTypeAmong(["x.pledge.signed"]))("x.pledge.signed") // => true
 * Schema.is(Event.eventTypeAmong([]))("x.pledge.signed") // => false
 */
export const eventTypeAmong = (own: ReadonlyArray<HostEventType>): typeof ofCatalogue =>
  own.length === 0 ? ofCatalogue : oneOf([...eventTypes, ...own])

/**
 * An event as it is stored and delivered. `body` is the exact text that is signed and sent, made once: `{ type,
 * occurred_at, organisation_id, data }`. service-spec, Delivery shape.
 */
export interface Event {
  readonly id: EventId
  readonly organisation_id: OrganisationId
  /** Of the catalogue, or of a host: what is stored may be of a type that this process does not know. */
  readonly type: string
  readonly occurred_at: DateTime.Utc
  /** The key that tells a repetition, null where each occurrence is delivered. */
  readonly dedupe_key: string | null
  readonly body: string
}

/** Any data as JSON: the form in which a stored event's data is read. */
export const EventJson = Schema.Record(Schema.String, Schema.Unknown)

/** An event as the API shows it. */
export const EventRecord = Schema.Struct({
  id: EventId,
  type: Schema.String,
  occurred_at: Instant,
  organisation_id: OrganisationId,
  data: EventJson,
  created_at: Instant
}).annotate({ identifier: "Event" })
export type EventRecord = typeof EventRecord.Type

/**
 * The list of events, where a host declares types of its own.
 * @example Event.listingAmong(["x.pledge.signed"]).filters.type.values.at(-1) // => "x.pledge.signed"
 */
export const listingAmong = (own: ReadonlyArray<HostEventType>) =>
  ({
    sorts: { created_at: "created_at" },
    sortsBeyondContract: true,
    filters: {
      type: { kind: "enum", values: [...eventTypes, ...own], description: "Type of the event" },
      created_at: { kind: "timestamp", description: "When it happened" }
    }
  }) as const satisfies ListSpec

/** The list of events. decisions, section 3. Its order goes beyond the contract: `sort=created_at` is oldest first. */
export const listing = listingAmong([])

const encoders: ReadonlyMap<EventType, (data: unknown) => unknown> = new Map(
  eventTypes.map((type) => {
    const codec: Schema.Codec<unknown, unknown> = Schema.toCodecJson(catalogue[type].data)
    // The domain itself makes the data, from records that were checked.
    return [type, Schema.encodeUnknownSync(codec, { disableChecks: true })]
  })
)

/** Encoded texts by their data: the events of one change often share their data, and encoding is most of the work. */
const texts = new WeakMap<object, { readonly schema: unknown; readonly text: string }>()

const textOf = (type: EventType | HostEventType, data: object): string => {
  // A host's data are JSON already.
  if (!isEventType(type)) return JSON.stringify(data)
  const { data: schema }: Pick<EventSpec, "data"> = catalogue[type]
  const known = texts.get(data)
  if (known?.schema === schema) return known.text
  const text = JSON.stringify(encoders.get(type)?.(data))
  texts.set(data, { schema, text })
  return text
}

/** Makes an event with its final text. `dedupe_key` is stored only for types that are delivered at most once per key. */
export const make = <T extends EventType | HostEventType>(input: {
  readonly id: EventId
  readonly organisation_id: OrganisationId
  readonly type: T
  readonly occurred_at: DateTime.Utc
  readonly dedupe_key: string
  readonly data: EventData<T>
}): Event => {
  const type: EventType | HostEventType = input.type
  const line: Pick<EventSpec, "once_per"> = isEventType(type) ? catalogue[type] : {}
  const head = JSON.stringify({
    type: input.type,
    occurred_at: DateTime.formatIso(input.occurred_at),
    organisation_id: input.organisation_id
  })
  return {
    id: input.id,
    organisation_id: input.organisation_id,
    type: input.type,
    occurred_at: input.occurred_at,
    dedupe_key: line.once_per === undefined ? null : input.dedupe_key,
    body: `${head.slice(0, -1)},"data":${textOf(input.type, input.data)}}`
  }
}
