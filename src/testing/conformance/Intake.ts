import { DateTime, Deferred, Effect, Option, Random } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import { type Donation, eventDataOf } from "../../domain/giving/Donation.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import * as Event from "../../domain/outbox/Event.ts"
import { AuditStore } from "../../ports/access/AuditStore.ts"
import { IdempotencyStore } from "../../ports/access/IdempotencyStore.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DonationIntake, type KeyedGift } from "../../ports/giving/DonationIntake.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { Outbox } from "../../ports/outbox/Outbox.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { newDonor } from "./MoneyRecords.ts"
import {
  answerOf,
  at,
  auditEntryOf,
  donationOf,
  donorOf,
  freshId,
  newEndpoint,
  newOrganisation,
  queryOf,
  scopeOf
} from "./Records.ts"
import { clearSignal, isRaised } from "./Signals.ts"
import {
  failBlocked,
  inTransaction,
  lawsOf,
  none,
  plain,
  runsOf,
  same,
  suite,
  type Thoroughness,
  together,
  transactionOf
} from "./Suite.ts"

const { law, must, property } = lawsOf(DonationIntake)

const types = ["donation.created", "donation.succeeded"] as const

const eventsOf = (donation: Donation) =>
  Effect.forEach(types, (type) =>
    Effect.map(freshId("event"), (id) =>
      Event.make({
        id,
        organisation_id: donation.organisation_id,
        type,
        occurred_at: donation.created_at,
        dedupe_key: donation.id,
        data: eventDataOf(donation)
      })
    )
  )

const giftOf = Effect.fnUntraced(function* (
  organisation: Organisation,
  donation: Donation,
  events: KeyedGift["events"]
) {
  const body_hash = yield* freshId("request")
  const gift: KeyedGift = {
    scope: yield* scopeOf(organisation.id, { path: "/api/v1/donations" }),
    body_hash,
    answer: answerOf(new TextEncoder().encode(body_hash)),
    donation,
    events,
    audit: yield* auditEntryOf(organisation.id, { subject_id: donation.id, operation: "donations.create" }),
    organisation,
    now: at(yield* Random.nextIntBetween(0, 9_000))
  }
  return gift
})

/** A keyed gift to a new organisation with one receiver. */
const newGift = Effect.gen(function* () {
  const organisation = yield* newOrganisation()
  yield* newEndpoint(organisation.id, { event_types: [...types] })
  const donation = yield* donationOf(yield* newDonor(organisation.id))
  return yield* giftOf(organisation, donation, yield* eventsOf(donation))
})

/** Two organisations alike in all but their own ids, each about to be given the same gift. */
const twinGifts = Effect.fnUntraced(function* (given: Donation) {
  const place = { timezone: "Pacific/Auckland", default_currency: "NZD" }
  const organisation = yield* newOrganisation(place)
  const donor = yield* newDonor(organisation.id)
  const endpoints = [
    yield* newEndpoint(organisation.id, { event_types: [...types] }),
    yield* newEndpoint(organisation.id, { event_types: ["donation.created"] })
  ]
  const donation = { ...given, id: yield* freshId("donation"), organisation_id: organisation.id, donor_id: donor.id }
  const first = yield* giftOf(organisation, donation, yield* eventsOf(donation))
  const twin = yield* newOrganisation(place)
  yield* (yield* DonorStore).insert({ ...donor, organisation_id: twin.id })
  yield* Effect.forEach(endpoints, ({ event_types, id }) => newEndpoint(twin.id, { id, event_types }))
  const second: KeyedGift = {
    ...first,
    scope: { ...first.scope, organisation_id: twin.id },
    donation: { ...donation, organisation_id: twin.id },
    events: first.events.map((event) => ({
      ...event,
      organisation_id: twin.id,
      body: event.body.replaceAll(organisation.id, twin.id)
    })),
    audit: { ...first.audit, organisation_id: twin.id },
    organisation: twin
  }
  return [first, second] as const
})

/** The long path, of many statements. */
const longWay = Effect.fnUntraced(function* ({ answer, audit, body_hash, donation, events, now, scope }: KeyedGift) {
  const idempotency = yield* IdempotencyStore
  const donations = yield* DonationStore
  const outbox = yield* Outbox
  const entries = yield* AuditStore
  yield* transactionOf(function* () {
    same(yield* idempotency.reserve(scope, [body_hash], now), { _tag: "Run" })
    yield* donations.insert(donation)
    yield* outbox.append(events)
    yield* entries.append(audit)
    yield* idempotency.keep(scope, body_hash, answer, { secret: false, now })
  })
})

/** Everything that is stored of a gift. */
const tracesOf = Effect.fnUntraced(function* ({ body_hash, donation, now, scope }: KeyedGift) {
  const { id, organisation_id } = donation
  const found = yield* (yield* DonationStore).find(organisation_id, id)
  const events = yield* (yield* Outbox).list(organisation_id, queryOf())
  const deliveries = yield* (yield* DeliveryStore).list(organisation_id, queryOf())
  const audit = yield* (yield* AuditStore).list(organisation_id, 10)
  const store = yield* IdempotencyStore
  const ends = DateTime.add(now, { hours: Limits.idempotencyRecordHours })
  const reserve = (moment: DateTime.Utc) => inTransaction(store.reserve(scope, [body_hash], moment))
  const reservation = yield* reserve(DateTime.subtract(ends, { milliseconds: 1 }))
  return { found, events, deliveries, audit, reservation, later: yield* reserve(ends) }
})

const untouched = Effect.fnUntraced(function* (gift: KeyedGift, reservation = "Run") {
  const traces = yield* tracesOf(gift)
  none(traces.found)
  same(traces.events.data, [])
  same(traces.deliveries.data, [])
  same(traces.audit, [])
  assert.strictEqual(traces.reservation._tag, reservation)
})

const kept = Effect.fnUntraced(function* (gift: KeyedGift, second: number) {
  const store = yield* IdempotencyStore
  yield* store.keep(gift.scope, gift.body_hash, gift.answer, {
    secret: false,
    now: DateTime.add(gift.now, { seconds: second })
  })
  return gift
})

const moved = Effect.fnUntraced(function* (gift: KeyedGift, organisation: Organisation) {
  yield* (yield* OrganisationStore).update(organisation)
  return gift
})

const declines = "DonationIntake.record MUST answer false and write nothing when the key has a record (live or not)"

/** A gift that the fast path leaves to the slow one, and what its key says afterwards. */
const declined = <E, R>(
  name: string,
  spoil: (gift: KeyedGift) => Effect.Effect<KeyedGift, E, R>,
  reservation?: string
) =>
  must(`a gift ${name} is declined, and nothing is written`, [declines], function* ({ store: intake }) {
    const gift = yield* Effect.flatMap(newGift, spoil)
    assert.isFalse(yield* intake.record(gift))
    yield* untouched(gift, reservation)
  })

const unusual = [
  declined("whose key has an answer", (gift) => kept(gift, 0), "Replay"),
  declined("whose key has an answer that no longer counts", (gift) => kept(gift, -100 * 3600)),
  declined("of an unknown donor", (gift) =>
    Effect.map(donorOf(gift.organisation.id), ({ id }) => ({ ...gift, donation: { ...gift.donation, donor_id: id } }))
  ),
  declined("of another organisation's donor", (gift) =>
    Effect.map(
      Effect.flatMap(newOrganisation(), (other) => newDonor(other.id)),
      ({ id }) => ({ ...gift, donation: { ...gift.donation, donor_id: id } })
    )
  ),
  declined("of an archived donor", (gift) =>
    Effect.gen(function* () {
      const donors = yield* DonorStore
      const found = Option.getOrThrow(yield* donors.find(gift.organisation.id, gift.donation.donor_id))
      yield* donors.update({ ...found, archived_at: at(0) })
      return gift
    })
  ),
  declined("to an organisation whose timezone changed", (gift) =>
    moved(gift, { ...gift.organisation, timezone: "Pacific/Auckland" })
  ),
  declined("to an organisation whose currency changed", (gift) =>
    moved(gift, { ...gift.organisation, default_currency: "NZD" })
  ),

  must(
    "a gift whose event is known already is declined, and nothing is written",
    [declines],
    function* ({ store: intake }) {
      const outbox = yield* Outbox
      const gift = yield* newGift
      yield* outbox.append((yield* eventsOf(gift.donation)).slice(0, 1))
      assert.isFalse(yield* intake.record(gift))
      const traces = yield* tracesOf(gift)
      none(traces.found)
      assert.lengthOf(traces.events.data, 1)
      assert.lengthOf(traces.audit, 0)
      assert.strictEqual(traces.reservation._tag, "Run")
    }
  )
]

const keys = [
  must(
    "a gift whose key another request holds is in flight at once, without waiting, and writes nothing",
    ['DonationIntake.record MUST answer "in_flight" at once while another request holds the key'],
    function* ({ store: intake }) {
      const store = yield* IdempotencyStore
      const gift = yield* newGift
      const [held, asked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = transactionOf(function* () {
        yield* store.reserve(gift.scope, [gift.body_hash], at(0))
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(asked)
      })
      const second = Effect.gen(function* () {
        yield* Deferred.await(held)
        const outcome = yield* intake.record(gift)
        yield* Deferred.succeed(asked, undefined)
        return outcome
      })
      const [, outcome] = yield* failBlocked(Effect.all([first, second], { concurrency: "unbounded" }))
      assert.strictEqual(outcome, "in_flight")
      yield* untouched(gift)
      assert.isTrue(yield* intake.record(gift))
    }
  ),

  law("of gifts with one key at the same moment one is recorded", function* ({ store: intake }) {
    const gift = yield* newGift
    const attempt = Effect.gen(function* () {
      const donation = { ...gift.donation, id: yield* freshId("donation") }
      const audit = yield* auditEntryOf(donation.organisation_id, { subject_id: donation.id })
      return yield* intake.record({ ...gift, donation, audit, events: yield* eventsOf(donation) })
    })
    const outcomes = yield* together(6, attempt)
    assert.lengthOf(
      outcomes.filter((outcome) => outcome === true),
      1
    )
    const { data } = yield* (yield* DonationStore).list(gift.organisation.id, queryOf())
    assert.lengthOf(data, 1)
  })
]

/** Everything that is stored of a gift as one text, without the organisation's id and the store's time. */
const textOf = ({ deliveries, ...traces }: Effect.Success<ReturnType<typeof tracesOf>>, gift: KeyedGift): string => {
  const timeless = deliveries.data.map((delivery) => ({ ...delivery, next_attempt_at: null }))
  return JSON.stringify(plain({ ...traces, timeless })).replaceAll(gift.organisation.id, "organisation")
}

/** The laws of {@link DonationIntake}. */
export const intake = (given: Thoroughness = {}) =>
  suite([
    property(
      "a gift that was recorded leaves what the slow path leaves: the gift, events, deliveries, audit and answer",
      [],
      runsOf(given),
      Generators.donation,
      function* (given, { store }) {
        const [gift, twin] = yield* twinGifts({ ...given, created_at: at(0), deleted_at: null })
        assert.isTrue(yield* store.record(gift))
        yield* longWay(twin)
        const [short, long] = [yield* tracesOf(gift), yield* tracesOf(twin)]
        same(short.found, Option.some(gift.donation))
        same(short.audit, [gift.audit])
        same(short.reservation, { _tag: "Replay", answer: gift.answer })
        assert.lengthOf(short.events.data, 2)
        assert.lengthOf(short.deliveries.data, 3)
        assert.strictEqual(textOf(short, gift), textOf(long, twin))
      }
    ),

    law("the signal is raised after a gift was recorded", function* ({ store }) {
      const gift = yield* newGift
      yield* clearSignal
      assert.isTrue(yield* store.record(gift))
      assert.isTrue(yield* isRaised)
    }),

    ...unusual,
    ...keys
  ])
