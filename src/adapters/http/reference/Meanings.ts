import type { JsonSchema } from "effect"
import { Limits } from "../../../domain/Limits.ts"

const hours = `${Limits.secretOverlapDefaultHours} when not given, at most ${Limits.secretOverlapHours}`

/** What fields mean, by name where all records agree, and by record and name where one differs. service-spec, Records. */
const meanings: Readonly<Record<string, string>> = {
  abn: "Australian Business Number.",
  address_line1: "Street address.",
  address_line2: "Second line of the address.",
  allocation_id: "The part of a recommendation set's payment that this gift is.",
  amount_cents: "The gift in minor units of its currency. An in-kind gift has its fair market value.",
  archived_at: "When the record was archived; null while it is in use.",
  attempt_count: "Attempts that were made.",
  attempted_at: "When the attempt began.",
  attempts: "Every attempt, the first one first.",
  campaign_id: "Campaign that the gift is attributed to, whatever its revenue code.",
  completed_at: "When the delivery came to its end; null while it is pending.",
  consent_given: "The donor's answer to the consent prompt. Null: none was shown, which is not a refusal.",
  country: "Country, `AU` when not given.",
  created_at: "When the record was made.",
  data: "The records of this page.",
  deleted_at: "When the record was deleted; null while it is in use.",
  disabled_reason:
    "Why the endpoint gets no deliveries: its owner disabled it, or the service did after days of failure.",
  do_not_contact: "Whether the donor asked not to be contacted.",
  donation_date:
    "When the gift was made. A gift that was recorded by its day: midnight in the organisation's timezone.",
  donation_form_id: "Form that the gift came through.",
  donation_type: "Money, or goods and services.",
  donor_id: "Who gave.",
  donor_type: "What kind of donor this is.",
  duration_ms: "How long the attempt took, in milliseconds.",
  email: "E-mail address.",
  employer_name: "Whom the donor works for.",
  error: "Why there was no answer; null when there was one.",
  event_type: "Type of the event that is delivered.",
  event_types: "Types of the events that are delivered to the endpoint. There is no wildcard.",
  external_id: "The gift's identifier in the system that it came from.",
  filters: "The filters that were applied, as they were sent; null each when it was not.",
  first_name: "Given name.",
  has_more: "Whether there is another page.",
  in_kind_category: "What was given; needed for an in-kind gift, null for a monetary one.",
  in_kind_description: "What was given, in words; needed for an in-kind gift, null for a monetary one.",
  is_active: "Whether events are delivered to the endpoint.",
  is_fca: "Whether the code is marked FCA.",
  is_recurring: "Whether the gift belongs to a subscription.",
  is_sandbox: "Whether this is the sandbox of an organisation.",
  last_name: "Family name.",
  marketing_consent_at: "When the donor agreed to marketing; null when not.",
  namespace: "System that the code belongs to; INTERNAL for codes that are made here.",
  next_attempt_at: "When the next attempt is due; null when none is.",
  number: "1 for the first attempt.",
  occupation: "What the donor works as.",
  occurred_at: "When it happened.",
  organisation_name: "Name of an organisation or trust that gives.",
  overlap_hours: `How long deliveries are signed with the former secret, too: ${hours}.`,
  payment_method: "How a monetary gift was paid; ignored for an in-kind one.",
  phone: "Telephone number.",
  postcode: "Postcode.",
  received_date: "When the money arrived; null when nobody said.",
  recommendation_set_id: "Recommendation set that the gift came through; the set may be another organisation's.",
  refunded_amount_cents: "How much of the gift was refunded, in minor units of its currency.",
  replay_of: "The delivery that this one repeats by hand; null when it is none.",
  request_id: "The request's id, as in `x-request-id`.",
  response_excerpt: `The first ${Limits.attemptExcerptBytes.toLocaleString("en")} bytes of the receiver's answer.`,
  response_status: "HTTP status of the receiver's answer; null when there was none.",
  retry_after: "`Retry-After` of the receiver's answer. It is recorded and does not change the schedule.",
  revenue_code: "Text of the revenue code that the gift is booked under.",
  revenue_code_id: "Revenue code that the gift is booked under.",
  scope: "What the key may do.",
  secret: "The signing secret. It is shown in this answer only.",
  secret_last4: "The last four characters of the signing secret.",
  slug: "Name in addresses.",
  source: "How the gift came in.",
  state: "State or territory.",
  submitted_donor: "The donor's details as they were typed for this gift; null when it carried none.",
  subscription_id: "Subscription that the gift belongs to.",
  suburb: "Suburb or town.",
  timezone: "IANA time zone, in which calendar days are read.",
  updated_at: "When the record was changed last.",
  url: "Where deliveries are sent.",
  website_url: "Address of the organisation's website.",
  "DeliveryAttempt.error": "Why the attempt failed, if it was not the answer's status; null otherwise.",
  "Donation.status": "Where the gift stands.",
  "DonationDetail.status": "Where the gift stands.",
  "Event.data": "What happened, as it is delivered.",
  "Event.type": "Type of the event.",
  "FilterEcho.eq": "Equal to this.",
  "FilterEcho.gt": "Greater, or later.",
  "FilterEcho.gte": "Greater or equal, or not before.",
  "FilterEcho.in": "One of these.",
  "FilterEcho.lt": "Less, or earlier.",
  "FilterEcho.lte": "Less or equal, or not after.",
  "FilterEcho.not_in": "None of these.",
  "Health.status": "That the service is up.",
  "Health.version": "Version of the service.",
  "NewDonation.donation_date": "The day of the gift, `YYYY-MM-DD`, in the organisation's timezone.",
  "NewDonation.revenue_code":
    "Text of a revenue code, which is made when there is none. Ignored when `revenue_code_id` is given.",
  "NewDonation.revenue_code_id": "Revenue code of the organisation; wins over `revenue_code`.",
  "NewRevenueCode.description": "What the code is for.",
  "NewWebhookEndpoint.description": "A note of your own.",
  "Organisation.name": "Name of the organisation.",
  "OrganisationPatch.name": "Name of the organisation.",
  "RevenueCode.code": "Text of the code.",
  "RevenueCode.description": "What the code is for.",
  "RevenueCodePatch.description": "What the code is for.",
  "WebhookDelivery.status": "Where the delivery stands.",
  "WebhookDeliveryDetail.status": "Where the delivery stands.",
  "WebhookEndpoint.description": "A note of your own.",
  "WebhookEndpointPatch.description": "A note of your own.",
  "WebhookEndpointWithSecret.description": "A note of your own."
}

const asSchema = (value: unknown): JsonSchema.JsonSchema => ({ ...Object(value) })

/** A record's schema with what each field means, unless the field says it itself or is a record with a page of its own. */
export const explained = (record: string, schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { properties } = schema
  if (properties === undefined) return schema
  const fields = Object.entries(asSchema(properties)).map(([name, value]) => {
    const field = asSchema(value)
    const description = field["description"] ?? meanings[`${record}.${name}`] ?? meanings[name]
    return [name, field["$ref"] !== undefined || description === undefined ? field : { ...field, description }]
  })
  return { ...schema, properties: Object.fromEntries(fields) }
}
