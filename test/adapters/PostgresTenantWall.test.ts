import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { inSchema, SchemaName } from "../../src/adapters/postgres/connection/SchemaName.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import { check, everyOrganisation, readStatement } from "../../src/adapters/postgres/tenant/TenantCheck.ts"
import { tenantGuard } from "../../src/adapters/postgres/tenant/TenantGuard.ts"
import { fieldsOf } from "../support/Answer.ts"
import { guardedOperations, pathTo, soundBody, writes } from "../support/Declaration.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { startService } from "../support/Service.ts"
import { withLayer } from "../support/Steps.ts"
import { server } from "../support/Stores.ts"
import { makeTenant } from "../support/Tenant.ts"

const sound = [
  "SELECT 1",
  "SELECT * FROM donors WHERE organisation_id = $1",
  'SELECT * FROM "donors" AS d WHERE d.id = $2 AND (d."organisation_id" = $1::text AND d.id > $3)',
  "SELECT * FROM donors d JOIN donations g ON g.organisation_id = d.organisation_id WHERE $1 = g.organisation_id",
  "SELECT * FROM donors d LEFT JOIN donations g ON g.organisation_id = d.organisation_id WHERE d.organisation_id = $1",
  "SELECT * FROM donors d, donations g WHERE d.organisation_id = $1 AND g.organisation_id = d.organisation_id",
  "SELECT name FROM organisations WHERE id = $1",
  "SELECT k.id FROM api_keys k JOIN organisations o ON o.id = k.organisation_id WHERE k.organisation_id = $1",
  "SELECT * FROM donors d WHERE d.organisation_id = $1 AND EXISTS (SELECT FROM donations g WHERE g.organisation_id = d.organisation_id)",
  "SELECT * FROM (SELECT id FROM donors WHERE organisation_id = $1) AS d WHERE d.id = $2 OR d.id = $3",
  "WITH mine AS (SELECT * FROM donors WHERE organisation_id = $1) SELECT * FROM mine WHERE id IS DISTINCT FROM $2",
  "UPDATE donors SET first_name = $1 WHERE organisation_id = $2 AND id = $3 RETURNING id",
  "DELETE FROM donors AS d USING (SELECT $1 AS organisation_id) AS i WHERE d.organisation_id = i.organisation_id",
  "INSERT INTO donors (organisation_id, id) VALUES ($1, $2) ON CONFLICT (organisation_id, id) DO UPDATE SET id = EXCLUDED.id",
  "INSERT INTO organisations (id, slug) VALUES ($1, $2) ON CONFLICT (slug) DO NOTHING",
  `SELECT min(next_attempt_at) FROM ${everyOrganisation} mails`
]

const forgetful = [
  "SELECT * FROM donors",
  "SELECT * FROM public.donors WHERE id = $1",
  "TABLE donors",
  "TRUNCATE donors",
  "SELECT * FROM donors WHERE organisation_id <> $1",
  "SELECT * FROM donors WHERE organisation_id = organisation_id",
  "SELECT * FROM donors WHERE organisation_id = $1 OR id = $2",
  "SELECT * FROM donors WHERE (organisation_id = $1 OR true)",
  "SELECT * FROM donors WHERE organisation_id = $1 AND left(id, 3) = $2 OR id = $3",
  "SELECT * FROM donors WHERE NOT (organisation_id = $1)",
  "SELECT * FROM donors WHERE CASE WHEN id = $1 AND organisation_id = $2 AND true THEN true ELSE true END",
  "SELECT organisation_id = $1 FROM donors WHERE id = $2",
  "SELECT * FROM donors WHERE id = $1 -- AND organisation_id = $2",
  "SELECT * FROM donors WHERE id = 'x AND organisation_id = $1'",
  'SELECT "AND organisation_id = $1" FROM donors',
  "SELECT * FROM donors ORDER BY organisation_id = $1",
  "SELECT * FROM donors d JOIN donations g ON g.organisation_id = d.organisation_id",
  "SELECT * FROM donors d JOIN donations g ON g.donor_id = d.id WHERE d.organisation_id = $1",
  "SELECT * FROM donors d, donations g WHERE d.organisation_id = $1",
  "SELECT * FROM donors d LEFT JOIN donations g ON d.organisation_id = $1 AND g.organisation_id = $1",
  "SELECT * FROM donors d RIGHT JOIN donations g ON d.organisation_id = $1 AND g.organisation_id = $1",
  "SELECT * FROM (donors d JOIN donations g ON g.id = d.id) WHERE d.organisation_id = $1",
  "SELECT * FROM donors d WHERE d.organisation_id = $1 AND EXISTS (SELECT FROM donations g WHERE g.donor_id = d.id)",
  "SELECT * FROM organisations WHERE organisation_id = $1",
  "SELECT * FROM donors WHERE organisation_id = $1 UNION ALL SELECT * FROM donors",
  "WITH donors AS (SELECT * FROM donors) SELECT * FROM donors",
  "WITH mine AS (SELECT * FROM donors) SELECT * FROM mine WHERE organisation_id = $1",
  "UPDATE donors SET organisation_id = $1 WHERE id = $2",
  "UPDATE donors SET first_name = $1 FROM donations g WHERE g.organisation_id = $2",
  "DELETE FROM donors WHERE id = $1",
  "DELETE FROM donors USING donations g WHERE g.organisation_id = $1",
  "INSERT INTO donors (id) VALUES ($1)",
  "INSERT INTO donors (organisation_id, id) SELECT $1, id FROM donors WHERE id = $2",
  "INSERT INTO donors (organisation_id, id) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET first_name = $3",
  "INSERT INTO a (organisation_id) SELECT id FROM donors ON CONFLICT (id) WHERE organisation_id = $1 DO NOTHING",
  `SELECT * FROM ${everyOrganisation} mails AS m, donors AS d`,
  "MERGE INTO donors AS d USING (SELECT $1 AS id) AS i ON d.id = i.id WHEN MATCHED THEN DELETE"
]

describe("the check of a statement", () => {
  for (const text of sound) it(`admits ${text}`, () => assert.deepStrictEqual(check(text), []))
  for (const text of forgetful) it(`refuses ${text}`, () => assert.isNotEmpty(check(text)))
})

/** Statements with a `*` before each name that a schema is put before. */
const named = [
  "SELECT d.id FROM *donors AS d JOIN *donations g ON g.donor_id = d.id WHERE d.organisation_id = $1",
  'SELECT * FROM *"donors", LATERAL (SELECT 1 FROM *mails) AS m WHERE "donors".id IN (SELECT donor_id FROM *donations)',
  "WITH donors AS (SELECT * FROM *users) SELECT * FROM donors, *mail_budgets, generate_series(1, 2), pg_class, other.donors",
  "INSERT INTO *donors (id) SELECT id FROM jsonb_populate_record(NULL::*donors, $1::jsonb) ON CONFLICT (id) DO NOTHING",
  "UPDATE *donors SET id = 'FROM donors' FROM *mails AS m WHERE EXISTS (SELECT FROM *events) RETURNING donors.id::text",
  `DELETE FROM ${everyOrganisation} *mails USING *donors -- FROM users`
]

describe("the schema of a statement", () => {
  for (const text of named) {
    it(`is put where it belongs in ${text}`, () => {
      const plain = text.replaceAll("*", (star, at: number) => (/\w|"/.test(text[at + 1] ?? "") ? "" : star))
      const expected = text.replaceAll("*", (star, at: number) => (/\w|"/.test(text[at + 1] ?? "") ? '"of-us".' : star))
      assert.strictEqual(inSchema(plain, readStatement(plain).tables, "of-us"), expected)
    })
  }
})

/** Every text that a service sends while each of its operations is asked for something. */
const sent = async (): Promise<ReadonlySet<string>> => {
  const texts = new Set<string>()
  const watch: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      texts.add(statement.compile()[0])
      return statement
    })
  const stores = Layer.merge(server, Layer.succeed(Statement.CurrentTransformer, watch))
  const service = await startService({ stores })
  const { writer } = await makeTenant(service, "ENTERPRISE")
  const donor = (await writer.post("/donors", { first_name: "Ada" })).textAt("id")
  const made = new Map([["/donors", donor]])
  for (const operation of guardedOperations) {
    const [collection = ""] = operation.path.split("/:")
    const body = { ...Object(soundBody(operation)), ...(operation.path === "/donations" ? { donor_id: donor } : {}) }
    const answer = await writer.request(operation.method, pathTo(operation, made.get(collection)), {
      json: writes(operation) ? body : undefined,
      headers: writes(operation) ? { "idempotency-key": operation.name } : {}
    })
    if (answer.status === 201) made.set(collection, answer.textAt("id"))
  }
  await service.stop()
  return texts
}

const restriction = /(?:"?(\w+)"?\.)?"?organisation_id"? = (?:\$\d+|"?(\w+)"?\."?organisation_id"?)/g

/** A statement once for each table that it restricts, each time without all that restricts this one. */
const forgetting = (text: string): ReadonlyArray<string> => {
  const aliases = new Set([...text.matchAll(restriction)].map(([, alias]) => alias))
  return [...aliases].map((alias) =>
    text.replaceAll(restriction, (found, left, right) => ([left, right].includes(alias) ? "TRUE" : found))
  )
}

describe("the statements of the stores", () => {
  it("are refused when any of them forgets to restrict one of its tables", async () => {
    const texts = await sent()
    const changed = [...texts].flatMap(forgetting)
    assert.isAbove(changed.length, 40)
    for (const text of changed) assert.isNotEmpty(check(text), text)
  }, 60_000)
})

/** Whether a statement's names are found in the database, without running it. */
const prepared = (sql: SqlClient.SqlClient, text: string) =>
  sql.withTransaction(Effect.andThen(sql.unsafe(`PREPARE looked AS ${text}`), sql`DEALLOCATE looked`)).pipe(
    Effect.match({
      onSuccess: () => "found",
      onFailure: ({ reason }) =>
        /"?(?:relation|type)"? .* does not exist/.test(String(reason.cause)) ? "missing" : String(reason.cause)
    })
  )

const apart = Layer.orDie(Migrations.layer).pipe(
  Layer.provideMerge(Layer.merge(layerFresh, Layer.succeed(SchemaName, "of-us")))
)

withLayer(apart, { excludeTestServices: true })("the statements of the stores, in a schema", ({ effect }) => {
  effect("find every table and type there, and would find none of them without it", function* () {
    const sql = yield* SqlClient.SqlClient
    const texts = yield* Effect.promise(sent)
    const ours = [...texts].filter((text) => readStatement(text).tables.length > 0)
    assert.isAbove(ours.length, 40)
    for (const text of ours) {
      assert.strictEqual(yield* prepared(sql, inSchema(text, readStatement(text).tables, "of-us")), "found", text)
      assert.strictEqual(yield* prepared(sql, text), "missing", text)
    }
  })
})

const migrated = Layer.orDie(Migrations.layer).pipe(Layer.provideMerge(layerFresh))

withLayer(migrated, { excludeTestServices: true })("the wall", ({ effect }) => {
  effect("does not send what forgets the organisation, though the database would answer it", function* () {
    const open = yield* SqlClient.SqlClient
    const walled = tenantGuard(open)
    for (const organisation of ["org_1", "org_2"]) {
      yield* open`
          INSERT INTO organisations
          VALUES (${organisation}, ${organisation}, 'n', false, 'UTC', 'AUD', NULL, NULL, 'FREE', '{}', now(), now())`
      yield* open`
          INSERT INTO revenue_codes VALUES (${organisation}, ${`rev_${organisation}`}, 'A', 'a', 'INTERNAL', NULL, false, NULL, now(), now())`
    }
    const forgotten = (sql: SqlClient.SqlClient) => sql`SELECT id FROM revenue_codes WHERE id = ${"rev_org_2"}`
    const removed = (sql: SqlClient.SqlClient) => sql.unsafe("DELETE FROM revenue_codes WHERE id = $1", ["rev_org_2"])
    const remembered = (sql: SqlClient.SqlClient) =>
      sql`SELECT id FROM revenue_codes WHERE organisation_id = ${"org_1"} AND id = ${"rev_org_2"}`
    assert.lengthOf(yield* forgotten(open), 1)
    for (const statement of [
      forgotten(walled),
      forgotten(walled).unprepared,
      forgotten(walled).values,
      removed(walled)
    ]) {
      const defect = yield* Effect.flip(Effect.catchDefect(statement, Effect.fail))
      assert.include(String(defect), "revenue_codes AS revenue_codes is not restricted")
    }
    assert.deepStrictEqual(yield* remembered(walled), [])
    assert.lengthOf(yield* forgotten(open), 1)
  })

  effect("knows the column by which every table and view of the schema is a tenant's", function* () {
    const sql = yield* SqlClient.SqlClient
    const others = yield* sql<{ readonly name: string }>`
        SELECT t.table_name AS name FROM information_schema.tables AS t
        WHERE t.table_schema = 'public' AND NOT EXISTS (
          SELECT FROM information_schema.columns AS c
          WHERE c.table_schema = 'public' AND c.table_name = t.table_name AND c.column_name = 'organisation_id')
        ORDER BY 1`
    assert.deepStrictEqual(fieldsOf(others, "name"), [
      "almoner_migrations",
      "elections",
      "event_consumers",
      "mail_budgets",
      "organisations",
      "tariffs",
      "users"
    ])
  })
})
