import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { Donor } from "../../src/domain/giving/Donor.ts"
import { IdempotencyStore } from "../../src/ports/access/IdempotencyStore.ts"
import { DonationIntake, type KeyedGift } from "../../src/ports/giving/DonationIntake.ts"
import { DonorStore } from "../../src/ports/giving/DonorStore.ts"
import { Transaction } from "../../src/ports/kernel/Transaction.ts"
import { WebhookEndpointStore } from "../../src/ports/outbox/WebhookEndpointStore.ts"
import * as Records from "../../src/testing/conformance/Records.ts"
import { live, withLayer } from "../support/Steps.ts"
import { databases, storesOn, twoPrograms } from "./PostgresStores.ts"

const newTenant = Effect.gen(function* () {
  const organisation = yield* Records.newOrganisation()
  const donors = yield* DonorStore
  const endpoints = yield* WebhookEndpointStore
  const donor = yield* Records.donorOf(organisation.id)
  const archived = yield* Records.donorOf(organisation.id, { archived_at: Records.at(0) })
  yield* donors.insert(donor)
  yield* donors.insert(archived)
  const event_types = ["donation.created", "donation.succeeded"]
  for (let i = 0; i < 2; i++) yield* endpoints.insert(yield* Records.endpointOf(organisation.id, { event_types }))
  return { organisation, donor, archived }
})

type Tenant = Effect.Success<typeof newTenant>

const giftOf = Effect.fnUntraced(function* ({ organisation }: Tenant, donor: Donor, given: Partial<KeyedGift> = {}) {
  const donation = yield* Records.donationOf(donor)
  const gift: KeyedGift = {
    scope: yield* Records.scopeOf(organisation.id),
    body_hash: "hash",
    answer: Records.answerOf(new Uint8Array([0, 1, 254, 255])),
    donation,
    events: [
      yield* Records.eventOf(organisation.id, { type: "donation.created" }),
      yield* Records.eventOf(organisation.id, { type: "donation.succeeded" })
    ],
    audit: yield* Records.auditEntryOf(organisation.id),
    organisation,
    now: Records.at(0),
    ...given
  }
  return gift
})

const tables = ["donations", "events", "pending_deliveries", "audit_entries", "idempotency_records"] as const

/** How many rows each table has of an organisation. */
const rowsOf = ({ organisation }: Tenant) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* Effect.forEach(tables, (table) =>
      Effect.map(
        sql`SELECT 1 AS found FROM ${sql(table)} WHERE organisation_id = ${organisation.id}`,
        (rows) => rows.length
      )
    )
  })

/** The rows that so many gifts are, with two endpoints. */
const rowsFor = (gifts: number) => [gifts, 2 * gifts, 4 * gifts, gifts, gifts]

for (const [name, database] of databases) {
  withLayer(storesOn(database), { excludeTestServices: true })(`the intake on ${name}`, ({ effect }) => {
    effect("answers each gift of a group for itself, and writes all or nothing of it", function* () {
      const intake = yield* DonationIntake
      const tenant = yield* newTenant
      const { archived, donor, organisation } = tenant
      const stranger = yield* Records.donorOf(organisation.id)
      const moved = { ...organisation, timezone: "Pacific/Auckland" }
      const gifts = yield* Effect.forEach(Array.from({ length: 150 }), (_, n) =>
        n % 5 === 1
          ? giftOf(tenant, archived)
          : n % 5 === 2
            ? giftOf(tenant, stranger)
            : giftOf(tenant, donor, n % 5 === 3 ? { organisation: moved } : {})
      )
      const answers = yield* Effect.forEach(gifts, (gift) => intake.record(gift), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        answers,
        gifts.map((_, n) => n % 5 === 0 || n % 5 === 4)
      )
      assert.deepStrictEqual(yield* rowsOf(tenant), rowsFor(60))
      const again = yield* Effect.forEach(gifts, (gift) => intake.record(gift), { concurrency: "unbounded" })
      assert.notInclude(again, true)
      assert.deepStrictEqual(yield* rowsOf(tenant), rowsFor(60))
    })

    effect("writes nothing of a group that holds what cannot be written, and none of it twice", function* () {
      const intake = yield* DonationIntake
      const tenant = yield* newTenant
      const first = yield* giftOf(tenant, tenant.donor)
      assert.isTrue(yield* intake.record(first))
      const same = yield* giftOf(tenant, tenant.donor, { donation: first.donation })
      assert.isFalse(yield* intake.record(same))
      assert.deepStrictEqual(yield* rowsOf(tenant), rowsFor(1))
    })

    effect("of equal keys Records.at the same moment one is written, and the others are told", function* () {
      const intake = yield* DonationIntake
      const tenant = yield* newTenant
      const scope = yield* Records.scopeOf(tenant.organisation.id)
      const gifts = yield* Effect.forEach(Array.from({ length: 20 }), () => giftOf(tenant, tenant.donor, { scope }))
      const answers = yield* Effect.forEach(gifts, (gift) => intake.record(gift), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, [true, ...Array<"in_flight">(19).fill("in_flight")])
      assert.deepStrictEqual(yield* rowsOf(tenant), rowsFor(1))
    })

    effect("a request that goes away leaves its gift written once, and its key free", function* () {
      const intake = yield* DonationIntake
      const tenant = yield* newTenant
      const gifts = yield* Effect.forEach(Array.from({ length: 30 }), () => giftOf(tenant, tenant.donor))
      const requests = yield* Effect.forEach(gifts, (gift) => Effect.forkChild(intake.record(gift)))
      yield* Effect.yieldNow
      yield* Fiber.interruptAll(requests)
      const retry = (gift: KeyedGift): Effect.Effect<boolean> =>
        Effect.flatMap(intake.record(gift), (answer) =>
          answer === "in_flight" ? Effect.andThen(Effect.sleep("5 millis"), retry(gift)) : Effect.succeed(answer)
        )
      yield* Effect.forEach(gifts, retry, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* rowsOf(tenant), rowsFor(30))
    })

    effect("leaves a gift inside somebody's transaction to the slow path", function* () {
      const intake = yield* DonationIntake
      const transaction = yield* Transaction
      const tenant = yield* newTenant
      assert.isFalse(yield* transaction.run(Effect.flatMap(giftOf(tenant, tenant.donor), intake.record)))
    })
  })
}

describe("the intakes of two programs", () => {
  live("write one gift for a key", function* () {
    const programs = yield* twoPrograms
    const [first] = programs
    const { gifts, tenant } = yield* Effect.provide(
      Effect.gen(function* () {
        const tenant = yield* newTenant
        const scopes = yield* Effect.forEach(Array.from({ length: 40 }), () => Records.scopeOf(tenant.organisation.id))
        const gifts = yield* Effect.forEach(scopes, (scope) =>
          Effect.all([giftOf(tenant, tenant.donor, { scope }), giftOf(tenant, tenant.donor, { scope })])
        )
        return { gifts, tenant }
      }),
      first
    )
    const answers = yield* Effect.forEach(
      gifts,
      (pair) =>
        Effect.forEach(
          pair,
          (gift, n) =>
            Effect.provide(
              Effect.flatMap(DonationIntake, (intake) => intake.record(gift)),
              programs[n] ?? first
            ),
          { concurrency: "unbounded" }
        ),
      { concurrency: "unbounded" }
    )
    for (const pair of answers)
      assert.lengthOf(
        pair.filter((answer) => answer === true),
        1
      )
    assert.deepStrictEqual(yield* Effect.provide(rowsOf(tenant), first), rowsFor(40))
  })

  live(
    "a key that a transaction of the other program holds is in flight; a donor that it holds is not waited for",
    function* () {
      const [first, second] = yield* twoPrograms
      const tenant = yield* Effect.provide(newTenant, first)
      const gift = yield* Effect.provide(giftOf(tenant, tenant.donor), first)
      const other = yield* Effect.provide(giftOf(tenant, tenant.donor), first)
      const held = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const holder = yield* Effect.gen(function* () {
        const transaction = yield* Transaction
        const idempotency = yield* IdempotencyStore
        const donors = yield* DonorStore
        yield* transaction.run(
          Effect.gen(function* () {
            yield* idempotency.reserve(gift.scope, ["hash"], Records.at(0))
            yield* donors.findForUpdate(tenant.organisation.id, tenant.donor.id)
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(done)
          })
        )
      }).pipe(Effect.provide(first), Effect.forkChild)
      yield* Deferred.await(held)
      const record = (each: KeyedGift) =>
        Effect.provide(
          Effect.flatMap(DonationIntake, (intake) => intake.record(each)),
          second
        )
      assert.strictEqual(yield* record(gift), "in_flight")
      assert.strictEqual(yield* record(other), false)
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(holder)
      assert.strictEqual(yield* record(gift), true)
    }
  )
})
