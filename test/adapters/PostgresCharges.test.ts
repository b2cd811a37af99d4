import { inspect } from "node:util"
import { assert, describe } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ChargeStore, LedgerStore } from "../../src/ports.ts"
import { chargeOf, entryOf, newCharge, newIntegration } from "../../src/testing/conformance/MoneyRecords.ts"
import { newOrganisation } from "../../src/testing/conformance/Records.ts"
import { withFresh } from "../support/Steps.ts"
import { nodes, statementsOf } from "./ListPlans.ts"
import { databases, storesOn } from "./PostgresStores.ts"

const alter = (statement: string) => SqlClient.SqlClient.use((sql) => sql.unsafe(statement))

const ago = (minutes: number) =>
  ChargeStore.use((store) => Effect.map(store.now, (now) => DateTime.subtract(now, { minutes })))

const anHour = Duration.hours(1)

/** What no store sends, one after the other: everything that would change what was written. */
const changes = [
  "UPDATE ledger_entries SET amount_cents = 1",
  "UPDATE ledger_entries SET amount_cents = 1 WHERE false",
  "DELETE FROM ledger_entries",
  "TRUNCATE ledger_entries",
  "TRUNCATE organisations CASCADE",
  "INSERT INTO ledger_entries SELECT * FROM ledger_entries ON CONFLICT (organisation_id, id) DO UPDATE SET amount_cents = 1",
  "MERGE INTO ledger_entries AS t USING (SELECT 1) AS s ON true WHEN MATCHED THEN DELETE"
]

describe.each(databases)("charges in %s", (_name, database) => {
  const { live } = withFresh(Layer.fresh(storesOn(database)))

  live("what was written in the ledger stays, whoever asks the database", function* () {
    const { id } = yield* newOrganisation()
    const entry = yield* entryOf(id)
    const store = yield* LedgerStore
    yield* store.append([entry])
    const sql = yield* SqlClient.SqlClient
    for (const role of ["origin", "replica"]) {
      for (const statement of changes) {
        const asked = sql.withTransaction(
          Effect.andThen(alter(`SET LOCAL session_replication_role = ${role}`), alter(statement))
        )
        const refused = yield* Effect.flip(asked)
        assert.include(inspect(refused, { depth: 9 }), "append-only", `${role}: ${statement}`)
      }
    }
    assert.deepStrictEqual(yield* store.find(id, entry.id), Option.some(entry))
  })

  live("a charge is written by one statement, unless it takes what is unique", function* () {
    const store = yield* ChargeStore
    const { id } = yield* newOrganisation()
    const integration = yield* newIntegration(id)
    const other = yield* chargeOf(integration, { reference: "taken" })
    yield* store.insert(other)
    const charge = yield* chargeOf(integration, { reference: null })
    assert.lengthOf(yield* statementsOf(store.insert(charge)), 1)
    const looked = { ...charge, looks: charge.looks + 1 }
    assert.lengthOf(yield* statementsOf(store.update(looked)), 1)
    assert.deepStrictEqual(yield* store.find(id, charge.id), Option.some(looked))
    const referred = { ...looked, reference: "free" }
    assert.lengthOf(yield* statementsOf(store.update(referred)), 1)
    assert.lengthOf(yield* statementsOf(store.update({ ...referred, looks: 0 })), 1)
    const refused = yield* Effect.flip(store.update({ ...referred, reference: "taken" }))
    assert.strictEqual(refused.holder_id, other.id)
    assert.deepStrictEqual(yield* store.find(id, charge.id), Option.some({ ...referred, looks: 0 }))
  })

  live("a charge that cannot be read keeps no other one from being handed out", function* () {
    const store = yield* ChargeStore
    const { id } = yield* newOrganisation()
    const damages = ["status = 'GONE'", "platform_rate = '[]'", "looks = 0, created_at = 'infinity'", "id = 'no id'"]
    const damaged = yield* Effect.forEach(damages, (damage, index) =>
      Effect.gen(function* () {
        const charge = yield* newCharge(id, { look_at: yield* ago(10 + index) })
        yield* alter(`UPDATE charges SET ${damage} WHERE id = '${charge.id}'`)
        return charge
      })
    )
    yield* alter(`UPDATE charges SET look_at = '-infinity' WHERE id = '${damaged[0]?.id}'`)
    const sound = yield* newCharge(id, { look_at: yield* ago(1) })
    assert.strictEqual(Duration.toMillis(Option.getOrThrow(yield* store.nextDue)), 0)
    const claimed = yield* store.claim(100, anHour)
    assert.include(
      claimed.map((each) => each.id),
      sound.id
    )
    assert.deepStrictEqual(yield* store.claim(100, anHour), [])
  })

  live("the search for what is due walks its index, before the planner knows the table and after", function* () {
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* newOrganisation()
    const charge = yield* newCharge(id, { look_at: yield* ago(1) })
    const search = `
          SELECT c.id FROM charges AS c WHERE c.organisation_id = '${id}' AND c.look_at <= now()
          ORDER BY c.look_at, c.id LIMIT 5`
    const indexes = Effect.map(sql.unsafe(`EXPLAIN (FORMAT JSON) ${search}`).unprepared, (plan) =>
      nodes(plan).flatMap(({ index }) => index ?? [])
    )
    assert.deepStrictEqual(yield* indexes, ["charges_due"])
    // Charges that nobody looks at any more are in no index that is walked.
    const columns = Object.keys(charge).map((column) =>
      column === "id" || column === "submission_id"
        ? `'x' || g`
        : column === "look_at" || column === "reference"
          ? "NULL"
          : `c.${column}`
    )
    yield* alter(`
          INSERT INTO charges (${Object.keys(charge).join(", ")})
          SELECT ${columns.join(", ")} FROM charges AS c, generate_series(1, 3000) AS g`)
    yield* alter("ANALYZE charges")
    assert.deepStrictEqual(yield* indexes, ["charges_due"])
  })
})
