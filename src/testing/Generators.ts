import { DateTime, Predicate } from "effect"
import fc from "fast-check"
import { ApiKey } from "../domain/ApiKey.ts"
import { AuditEntry } from "../domain/Audit.ts"
import { Attempt, Delivery } from "../domain/Delivery.ts"
import { Donation } from "../domain/Donation.ts"
import { Donor, eventCore } from "../domain/Donor.ts"
import * as Event from "../domain/Event.ts"
import { EventId } from "../domain/Ids.ts"
import { Limits } from "../domain/Limits.ts"
import { Organisation } from "../domain/Organisation.ts"
import { RevenueCode } from "../domain/RevenueCode.ts"
import { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import { arbitraryOf } from "./Arbitraries.ts"

const earliestMillis = Date.UTC(2000, 0, 1)
const latestMillis = Date.UTC(2060, 0, 1)

const instantOf = (millis: number): DateTime.Utc => DateTime.makeUnsafe(millis)

/** An instant between 2000 and 2060, to the millisecond. */
export const instant: fc.Arbitrary<DateTime.Utc> = fc.integer({ min: earliestMillis, max: latestMillis }).map(instantOf)

/** Text that is stored and read back as it is: no U+0000, no half of a surrogate pair; all planes of Unicode. */
export const text = (maxLength = 20): fc.Arbitrary<string> =>
  fc.string({ unit: "binary", maxLength }).map((each) => each.replaceAll("\u0000", ""))

const storedInstant = (given: DateTime.DateTime): DateTime.Utc => {
  const span = latestMillis - earliestMillis
  const offset = (DateTime.toEpochMillis(given) - earliestMillis) % span
  return instantOf(earliestMillis + (offset < 0 ? offset + span : offset))
}

const stored = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll("\u0000", "").toWellFormed()
  if (DateTime.isDateTime(value)) return storedInstant(value)
  if (Array.isArray(value)) return value.map(stored)
  return Predicate.isObject(value) ? storedRecord(value) : value
}

/** The same record with what a store can keep: well-formed text, and instants of this century. */
const storedRecord = <A extends object>(record: A): A => {
  const copy = { ...record }
  for (const [field, value] of Object.entries(record)) Object.assign(copy, { [field]: stored(value) })
  return copy
}

/** How a record's counters are kept within what a database's integer holds. */
const counter = fc.integer({ min: 1, max: 1_000_000 })

/** Any organisation; its slug and id are random. */
export const organisation: fc.Arbitrary<Organisation> = arbitraryOf(Organisation).map(storedRecord)

/** Any API key. */
export const apiKey: fc.Arbitrary<ApiKey> = fc
  .tuple(arbitraryOf(ApiKey), counter)
  .map(([key, generation]) => ({ ...storedRecord(key), generation }))

/** Any donor, archived or not. */
export const donor: fc.Arbitrary<Donor> = fc
  .tuple(arbitraryOf(Donor), counter, fc.record({ first_name: fc.option(text()), last_name: fc.option(text()) }))
  .map(([given, profile_revision, names]) => ({ ...storedRecord(given), ...names, profile_revision }))

/** Any donation; no more is refunded than was given. */
export const donation: fc.Arbitrary<Donation> = arbitraryOf(Donation).map((given) => ({
  ...storedRecord(given),
  refunded_amount_cents: given.refunded_amount_cents % (given.amount_cents + 1)
}))

/** Any revenue code; its text holds no blank on either end. */
export const revenueCode: fc.Arbitrary<RevenueCode> = fc
  .tuple(arbitraryOf(RevenueCode), text())
  .map(([given, code]) => ({ ...storedRecord(given), code: code.trim() }))

/** Any webhook endpoint, subscribed to some types of the catalogue. */
export const webhookEndpoint: fc.Arbitrary<WebhookEndpoint> = fc
  .tuple(arbitraryOf(WebhookEndpoint), fc.subarray([...Event.eventTypes], { minLength: 1 }))
  .map(([given, event_types]) => ({ ...storedRecord(given), event_types }))

/** Any event about a donor, without a dedupe key. */
export const event: fc.Arbitrary<Event.Event> = fc
  .tuple(donor, arbitraryOf(EventId), instant, fc.constantFrom("donor.created" as const, "donor.merged" as const))
  .map(([about, id, occurred_at, type]) => {
    const common = { id, organisation_id: about.organisation_id, occurred_at, dedupe_key: about.id }
    const data = eventCore(about)
    return type === "donor.created"
      ? Event.make({ ...common, type, data })
      : Event.make({ ...common, type, data: { ...data, merged_donor_id: about.id } })
  })

/** Any delivery: due while it is pending, dated once it ended. */
export const delivery: fc.Arbitrary<Delivery> = fc
  .tuple(arbitraryOf(Delivery), instant, fc.constantFrom(...Event.eventTypes))
  .map(([given, at, event_type]) => ({
    ...storedRecord(given),
    event_type,
    next_attempt_at: given.status === "PENDING" ? at : null,
    completed_at: given.status === "PENDING" ? null : at
  }))

/** Any attempt of a delivery. */
export const attempt: fc.Arbitrary<Attempt> = fc
  .tuple(
    arbitraryOf(Attempt),
    fc.record({
      number: fc.integer({ min: 1, max: Limits.deliveryAttempts }),
      response_status: fc.option(fc.integer({ min: 100, max: 599 })),
      duration_ms: fc.option(fc.nat({ max: Limits.webhookTimeoutMillis }))
    })
  )
  .map(([given, numbers]) => ({ ...storedRecord(given), ...numbers }))

/** Any audit entry. */
export const auditEntry: fc.Arbitrary<AuditEntry> = arbitraryOf(AuditEntry).map(storedRecord)
