/**
 * What a second wall between tenants costs: row-level security against the check of statements by their text.
 * `node bench/tenantWall.mjs` prints a table; the decision that rests on it is docs/decisions/0022.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import pg from "pg"
import { check } from "../dist/adapters/postgres/tenant/TenantCheck.js"
import { tenantGuard } from "../dist/adapters/postgres/tenant/TenantGuard.js"
import { median } from "../harness/Percentile.mjs"
import { startPostgres } from "../harness/Postgres.mjs"
import { machine, quantity } from "../harness/Table.mjs"

const rounds = 7
const requests = 1_500
const tenants = 50

const schema = `
  CREATE TABLE gifts (
    organisation_id text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, amount_cents integer NOT NULL,
    PRIMARY KEY (organisation_id, id));
  INSERT INTO gifts SELECT 'org_' || o, 'don_' || g, g FROM generate_series(1, ${tenants}) o, generate_series(1, 2000) g;
  CREATE TABLE guarded_gifts (LIKE gifts INCLUDING ALL);
  INSERT INTO guarded_gifts SELECT * FROM gifts;
  ALTER TABLE guarded_gifts ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own ON guarded_gifts USING (organisation_id = current_setting('almoner.organisation'));
  CREATE ROLE service LOGIN PASSWORD 'bench';
  GRANT ALL ON gifts, guarded_gifts TO service;
  ANALYZE;`

const read = (table) => ({
  name: `read_${table}`,
  text: `SELECT * FROM ${table} WHERE organisation_id = $1 AND id = $2`
})
const write = (table) => ({
  name: `write_${table}`,
  text: `UPDATE ${table} SET amount_cents = amount_cents + 1 WHERE organisation_id = $1 AND id = $2`
})

const own = (n) => `org_${1 + (n % tenants)}`
const values = (n) => [own(n), `don_${1 + (n % 2_000)}`]

/** Setting what the policy compares with goes along with BEGIN: one message more, and no round trip of its own. */
const guardedTransaction = async (client, n, statement) => {
  await client.query(`BEGIN; SET LOCAL almoner.organisation = '${own(n)}'`)
  await client.query({ ...statement, values: values(n) })
  await client.query("COMMIT")
}

const plainTransaction = async (client, n, statement) => {
  await client.query("BEGIN")
  await client.query({ ...statement, values: values(n) })
  await client.query("COMMIT")
}

/** Microseconds of one run of each kind of work, the medians over rounds in which they take turns. */
const timed = async (...kinds) => {
  const results = kinds.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of kinds.entries()) {
      const start = process.hrtime.bigint()
      for (let n = 0; n < requests; n++) await work(n)
      results[index].push(Number(process.hrtime.bigint() - start) / 1_000 / requests)
    }
  }
  return results.map(median)
}

const timedNow = (work, count) => {
  const results = []
  for (let round = 0; round < rounds; round++) {
    const start = process.hrtime.bigint()
    for (let n = 0; n < count; n++) work(n)
    results.push(Number(process.hrtime.bigint() - start) / 1_000 / count)
  }
  return median(results)
}

const database = async (client) => [
  [
    "a read",
    ...(await timed(
      (n) => client.query({ ...read("gifts"), values: values(n) }),
      (n) => guardedTransaction(client, n, read("guarded_gifts"))
    ))
  ],
  [
    "a write in a transaction",
    ...(await timed(
      (n) => plainTransaction(client, n, write("gifts")),
      (n) => guardedTransaction(client, n, write("guarded_gifts"))
    ))
  ]
]

const long = `WITH held AS (${Array.from({ length: 12 }, (_, n) => `SELECT g.id FROM gifts AS g WHERE g.organisation_id = $1 AND g.amount_cents > $${n + 2}`).join(" UNION ALL ")}) SELECT * FROM held`

/** Compiling a statement, which its text is looked up at, and the first look at a text. */
const statements = (sql) => {
  const walled = tenantGuard(sql)
  const compile = (client) => (n) =>
    client`SELECT * FROM gifts AS t WHERE t.organisation_id = ${own(n)} AND t.id = ${"don_1"} ORDER BY t.id LIMIT 11`.compile()
  return [
    ["compiling a statement", timedNow(compile(sql), 100_000), timedNow(compile(walled), 100_000)],
    ["the first look at a text of 90 characters", 0, timedNow(() => check(read("gifts").text), 5_000)],
    [`the first look at a text of ${long.length} characters`, 0, timedNow(() => check(long), 500)]
  ]
}

const server = await startPostgres()
const url = new URL(await server.createDatabase("wall"))
const admin = new pg.Client({ connectionString: url.href })
await admin.connect()
await admin.query(schema)
await admin.end()
url.username = "service"
// What a disk takes to keep a commit would hide what is compared.
const client = new pg.Client({ connectionString: url.href, options: "-c synchronous_commit=off" })
await client.connect()
const measured = await database(client)
await client.end()
const checked = await Effect.runPromise(
  Effect.map(PgClient.make({ url: Redacted.make(url.href) }), statements).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )
)
const print = ([what, without, wall]) =>
  `| ${what} | ${quantity(without, "µs")} | ${quantity(wall, "µs")} | ${quantity(wall - without, "µs")} |`
console.log(machine(await server.settings()).join("; "))
console.log("\n| row-level security | without | with | more |\n|---|---|---|---|")
for (const line of measured) console.log(print(line))
console.log("\n| the check of texts | without | with | more |\n|---|---|---|---|")
for (const line of checked) console.log(print(line))
await server.stop()
