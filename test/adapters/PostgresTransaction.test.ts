import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { AuditStore, ChargeStore, DonorStore, Outbox, Transaction } from "../../src/ports.ts"
import { chargeOf, newIntegration } from "../../src/testing/conformance/MoneyRecords.ts"
import { auditEntryOf, donorOf, eventOf, idsOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { withFresh, withLayer } from "../support/Steps.ts"
import { databases, storesOn } from "./PostgresStores.ts"

const { live } = withFresh(storesOn(layerFresh))

describe("transactions that stand in each other's way", () => {
  live("are run again by themselves: both commit", function* () {
    const transaction = yield* Transaction
    const donors = yield* DonorStore
    const { id } = yield* newOrganisation()
    const [one, two] = [yield* donorOf(id), yield* donorOf(id)]
    yield* donors.insert(one)
    yield* donors.insert(two)
    const reached = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
    let runs = 0
    const hold = (first: typeof one, second: typeof one, mine: 0 | 1) =>
      transaction.run(
        Effect.gen(function* () {
          runs++
          yield* donors.findForUpdate(id, first.id)
          yield* Deferred.succeed(reached[mine], undefined)
          yield* Deferred.await(reached[mine === 0 ? 1 : 0])
          // In a savepoint, to be sure that it is the whole transaction that is run again.
          yield* transaction.run(donors.findForUpdate(id, second.id))
          yield* donors.update({ ...second, occupation: `held ${mine}` })
        })
      )
    yield* Effect.all([hold(one, two, 0), hold(two, one, 1)], { concurrency: "unbounded" })
    // The server may end both of them.
    assert.isAtLeast(runs, 3)
    const kept = yield* Effect.forEach([two, one], (donor) => donors.find(id, donor.id))
    assert.deepStrictEqual(
      kept.map((donor) => Option.getOrThrow(donor).occupation),
      ["held 0", "held 1"]
    )
  })
})

for (const [name, database] of databases) {
  withLayer(storesOn(database), { excludeTestServices: true })(`transactions of ${name}`, ({ effect }) => {
    effect("whose statement failed do not succeed, whoever looked away", function* () {
      const transaction = yield* Transaction
      const donors = yield* DonorStore
      const { id } = yield* newOrganisation()
      const donor = yield* donorOf(id)
      const exit = yield* Effect.exit(
        transaction.run(
          Effect.gen(function* () {
            yield* donors.insert(donor)
            yield* Effect.exit(donors.insert(donor))
          })
        )
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.isTrue((yield* donors.find(id, donor.id))._tag === "None")
    })

    effect("send several writes before the first statement that has to see them, in their order", function* () {
      const [transaction, donors, audit, outbox] = [
        yield* Transaction,
        yield* DonorStore,
        yield* AuditStore,
        yield* Outbox
      ]
      const { id } = yield* newOrganisation()
      const donor = yield* donorOf(id)
      const renamed = { ...donor, occupation: "Baker" }
      const entries = [yield* auditEntryOf(id), yield* auditEntryOf(id)] as const
      const events = [yield* eventOf(id), yield* eventOf(id), yield* eventOf(id)] as const
      const written = Effect.gen(function* () {
        yield* donors.insert(donor)
        yield* outbox.append([events[0], events[1]])
        yield* audit.append(entries[0])
        yield* outbox.append([events[2]])
        yield* audit.append(entries[1])
        assert.deepStrictEqual(yield* donors.find(id, donor.id), Option.some(donor))
        yield* donors.update(renamed)
      })
      yield* transaction.run(written)
      assert.deepStrictEqual(yield* donors.find(id, donor.id), Option.some(renamed))
      assert.sameMembers(idsOf(yield* audit.list(id, 10)), idsOf(entries))
      for (const event of events) assert.isTrue(Option.isSome(yield* outbox.find(id, event.id)))
    })

    effect("tell a refusal at its place, though a write is sent later", function* () {
      const [transaction, charges] = [yield* Transaction, yield* ChargeStore]
      const { id } = yield* newOrganisation()
      const integration = yield* newIntegration(id)
      const first = yield* chargeOf(integration, { reference: "taken" })
      yield* charges.insert(first)
      const other = yield* chargeOf(integration, { reference: "taken" })
      const held = yield* transaction.run(
        charges.insert(other).pipe(
          Effect.as("nobody"),
          Effect.catchTag("AlreadyTaken", ({ holder_id }) =>
            Effect.as(charges.insert({ ...other, reference: "free" }), holder_id)
          )
        )
      )
      assert.strictEqual(held, first.id)
      assert.deepStrictEqual(yield* charges.find(id, other.id), Option.some({ ...other, reference: "free" }))
      const refused = yield* Effect.flip(
        transaction.run(
          Effect.andThen(charges.insert(yield* chargeOf(integration, { reference: "free" })), Effect.fail("too late"))
        )
      )
      assert.strictEqual(typeof refused === "string" ? refused : refused.holder_id, other.id)
    })

    effect("that need no statement need no session", function* () {
      const sql = yield* SqlClient.SqlClient
      const transaction = yield* Transaction
      const begun = yield* Deferred.make<void>()
      const asked = yield* Deferred.make<void>()
      const holders = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], () =>
        transaction
          .run(
            sql`SELECT 1`.pipe(
              Effect.andThen(Deferred.succeed(begun, undefined)),
              Effect.andThen(Deferred.await(asked))
            )
          )
          .pipe(Effect.forkChild)
      )
      yield* Deferred.await(begun)
      assert.strictEqual(yield* transaction.run(Effect.succeed(7)), 7)
      yield* Deferred.succeed(asked, undefined)
      yield* Fiber.joinAll(holders)
    })
  })
}
