import { DateTime, Effect, Random, Schema } from "effect"
import { ApiKey } from "../../domain/access/ApiKey.ts"
import type { AuditEntry } from "../../domain/access/Audit.ts"
import type { IdempotencyScope, StoredAnswer } from "../../domain/access/Idempotency.ts"
import { Integration } from "../../domain/access/Integration.ts"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { bare, type Donation } from "../../domain/giving/Donation.ts"
import { Donor, eventCore, profileOf } from "../../domain/giving/Donor.ts"
import { RevenueCode } from "../../domain/giving/RevenueCode.ts"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import { type IdKind, type IdOf, idDigits, idPrefixes, type OrganisationId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { Delivery } from "../../domain/outbox/Delivery.ts"
import * as Event from "../../domain/outbox/Event.ts"
import { WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"
import * as RecipientAccount from "../../domain/sharing/RecipientAccount.ts"
import { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"

/** No whole second, so that who keeps or compares seconds is seen. */
const epochMillis = Date.UTC(2040, 0, 1, 0, 0, 0, 987)

/** So many seconds after the instant that the tests begin at. */
export const at = (seconds: number): DateTime.Utc => DateTime.makeUnsafe(epochMillis + seconds * 1000)

/** Before now by any clock, so that a due time like this has always come. */
export const longAgo = DateTime.makeUnsafe(Date.UTC(1940, 0, 1))

/** An identifier that nothing has yet. */
export const freshId = Effect.fnUntraced(function* <K extends IdKind>(kind: K) {
  let suffix = String(yield* Random.nextIntBetween(0, 7))
  while (suffix.length < 26) suffix += idDigits.charAt(yield* Random.nextIntBetween(0, 31))
  return `${idPrefixes[kind]}_${suffix}` as string as IdOf<K>
})

/** The ids of records, in their order. */
export const idsOf = (all: ReadonlyArray<{ readonly id: string }>): Array<string> => all.map(({ id }) => id)

/** The times at which a record was made and changed. */
const stamps = ["created_at", "updated_at"]

/** A record with what is given, and else of these fields: of those that neither says, the times are those of the beginning, and all others null. */
export const recordOf = <A extends object>(
  schema: Schema.Schema<A> & { readonly fields: object },
  given: Partial<A>,
  fields: Partial<A>
): A => {
  const unset = Object.keys(schema.fields).map((field) => [field, stamps.includes(field) ? at(0) : null])
  const record: unknown = { ...Object.fromEntries(unset), ...fields }
  if (!Schema.is(schema)(record)) throw new RangeError(`These fields make no record: ${Object.keys(fields)}`)
  return { ...record, ...given }
}

/** Makes records that are not stored yet, by what they belong to and an id of their own: these fields, but for what is given. */
export const makerOf =
  <A extends object, K extends IdKind, Owner, const Fields extends Partial<A>>(
    schema: Schema.Schema<A> & { readonly fields: object },
    kind: K,
    fieldsOf: (owner: Owner, id: IdOf<K>) => Fields
  ) =>
  (owner: Owner, given: Partial<A> = {}): Effect.Effect<A> =>
    Effect.map(freshId(kind), (id) => recordOf(schema, given, fieldsOf(owner, id)))

/** The record, once the store of the port has it. */
export const storedIn = <A, P, E, R>(
  port: Effect.Effect<{ readonly insert: (record: A) => Effect.Effect<void, unknown> }, never, P>,
  record: Effect.Effect<A, E, R>
): Effect.Effect<A, E, P | R> =>
  Effect.tap(record, (made) => Effect.flatMap(port, (store) => Effect.orDie(store.insert(made))))

/** An organisation that is not stored yet. */
export const organisationOf = (id: OrganisationId, given: Partial<Organisation> = {}): Organisation => ({
  id,
  slug: id.replace("_", "-"),
  name: "Harbour Trust",
  is_sandbox: false,
  timezone: "Australia/Sydney",
  default_currency: "AUD",
  abn: null,
  website_url: null,
  plan: "FREE",
  webhook_allowed_cidrs: [],
  created_at: at(0),
  updated_at: at(0),
  ...given
})

/** A stored organisation that nothing else belongs to yet. */
export const newOrganisation = (given: Partial<Organisation> = {}) =>
  storedIn(
    OrganisationStore,
    Effect.map(freshId("organisation"), (id) => organisationOf(id, given))
  )

export const keyOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<ApiKey> = {}) {
  return recordOf(ApiKey, given, {
    id: yield* freshId("apiKey"),
    organisation_id,
    name: "Import",
    scope: "WRITE",
    generation: 1,
    secret_hash: yield* freshId("request"),
    last4: "Zz09"
  })
})

export const donorOf = makerOf(Donor, "donor", (organisation_id: OrganisationId, id) => ({
  ...profileOf({ first_name: "Ada", last_name: "Byron" }),
  id,
  organisation_id,
  profile_revision: 1
}))

export const donationOf = Effect.fnUntraced(function* (donor: Donor, given: Partial<Donation> = {}) {
  const donation: Donation = bare({
    id: yield* freshId("donation"),
    organisation_id: donor.organisation_id,
    donor_id: donor.id,
    source: "MANUAL",
    status: "CONFIRMED",
    amount_cents: 5000,
    currency: "AUD",
    donation_date: at(0),
    donation_day: CalendarDate.make("2040-01-01"),
    payment_method: "cash",
    created_at: at(0),
    updated_at: at(0),
    ...given
  })
  return donation
})

export const revenueCodeOf = makerOf(RevenueCode, "revenueCode", (organisation_id: OrganisationId, id) => ({
  id,
  organisation_id,
  code: "Winter Appeal",
  namespace: "INTERNAL",
  is_fca: false
}))

export const integrationOf = makerOf(Integration, "integration", (organisation_id: OrganisationId, id) => ({
  id,
  organisation_id,
  label: "Main account",
  processor: "test",
  processor_connect_account_id: "acct_1",
  charges_enabled: true,
  methods: ["card", "au_becs_debit", "payto"],
  settlement_currency: "AUD",
  is_default: false,
  is_active: true,
  is_own: false
}))

/** A link that is not stored yet, to a stored integration of `recipient`. */
export const linkOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  recipient: Organisation,
  given: Partial<RecipientAccount.RecipientAccount> = {}
) {
  const integration = yield* integrationOf(recipient.id)
  yield* (yield* IntegrationStore).insert(integration)
  const id = yield* freshId("recipientAccountLink")
  const link = RecipientAccount.create({
    id,
    organisation_id,
    introduction_id: null,
    recipient,
    integration,
    at: at(0)
  })
  const whole: RecipientAccount.RecipientAccount = { ...link, ...given }
  return whole
})

export const endpointOf = makerOf(WebhookEndpoint, "webhookEndpoint", (organisation_id: OrganisationId, id) => ({
  id,
  organisation_id,
  url: "https://receiver.example.org/hooks",
  event_types: ["donor.created"],
  is_active: true,
  secret_last4: "aB3d",
  sealed_secret: "sealed"
}))

/** A stored endpoint whose pending deliveries end with the test, so that no other test is handed them. */
export const newEndpoint = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  given: Partial<WebhookEndpoint> = {}
) {
  const store = yield* WebhookEndpointStore
  const deliveries = yield* DeliveryStore
  const endpoint = yield* endpointOf(organisation_id, given)
  yield* store.insert(endpoint)
  yield* Effect.addFinalizer(() => deliveries.abandon(organisation_id, endpoint.id, at(0)))
  return endpoint
})

/** An event about a donor; `dedupe_key` is kept as given. */
export const eventOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  given: Partial<Pick<Event.Event, "type" | "dedupe_key" | "occurred_at">> = {}
) {
  const donor = yield* donorOf(organisation_id)
  const made = Event.make({
    id: yield* freshId("event"),
    organisation_id,
    type: "donor.created",
    occurred_at: at(0),
    dedupe_key: donor.id,
    data: eventCore(donor)
  })
  const event: Event.Event = { ...made, ...given }
  return event
})

/** The event as it is read. */
export const eventRecordOf = ({ body, id, occurred_at, organisation_id, type }: Event.Event): Event.EventRecord => {
  const { data } = JSON.parse(body)
  return { id, type, occurred_at, organisation_id, data, created_at: occurred_at }
}

export const deliveryOf = Effect.fnUntraced(function* (
  event: Event.Event,
  endpoint: Pick<WebhookEndpoint, "id">,
  given: Partial<Delivery> = {}
) {
  return recordOf(Delivery, given, {
    id: yield* freshId("delivery"),
    organisation_id: event.organisation_id,
    endpoint_id: endpoint.id,
    event_id: event.id,
    event_type: event.type,
    status: "PENDING",
    attempt_count: 0,
    interruption_count: 0,
    next_attempt_at: longAgo
  })
})

export const auditEntryOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  given: Partial<AuditEntry> = {}
) {
  const entry: AuditEntry = {
    id: yield* freshId("auditEntry"),
    organisation_id,
    actor_type: "API_KEY",
    actor_id: yield* freshId("apiKey"),
    operation: "donors.create",
    subject_id: yield* freshId("donor"),
    request_id: yield* freshId("request"),
    created_at: at(0),
    ...given
  }
  return entry
})

/** The scope of a key that nobody has used. */
export const scopeOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  given: Partial<IdempotencyScope> = {}
) {
  const scope: IdempotencyScope = {
    organisation_id,
    api_key_id: yield* freshId("apiKey"),
    generation: 1,
    method: "POST",
    path: "/api/v1/donors",
    key: yield* freshId("request"),
    ...given
  }
  return scope
})

export const answerOf = (body: Uint8Array): StoredAnswer => ({ status: 201, content_type: "application/json", body })

/** A list request without any filter, newest first. */
export const queryOf = (given: Partial<ListQuery> = {}): ListQuery => ({
  limit: 100,
  starting_after: null,
  archived: false,
  conditions: [],
  words: [],
  flags: {},
  segment: null,
  sort: { column: "created_at", descending: true },
  sent: { search: null, segment: null, sort: null, filters: {} },
  ...given
})
