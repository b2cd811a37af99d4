import { once } from "node:events"
import { createServer, type Server } from "node:net"
import { PgClient, PgTypes } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, Redacted, Result } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { troubleOfKind } from "../../src/adapters/postgres/connection/ServerKind.ts"
import { administer, freshUrl, layerFresh } from "../support/FreshDatabase.ts"
import { live, withLayer } from "../support/Steps.ts"
import { databases } from "./PostgresStores.ts"

const canary = "c4nary-pa55word"

const refusal = (url: string) =>
  Layer.build(Client.layerServer({ url: Redacted.make(url), start_wait: 0 })).pipe(Effect.scoped, Effect.flip)

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 1
}

const freePort = Effect.callback<number>((resume) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const port = portOf(probe)
    probe.close(() => resume(Effect.succeed(port)))
  })
})

describe("a server that cannot be used", () => {
  live("that does not listen is named, without the password", function* () {
    const port = yield* freePort
    const failure = yield* refusal(`postgres://someone:${canary}@127.0.0.1:${port}/gifts`)
    assert.strictEqual(failure._tag, "DatabaseUnreachable")
    assert.strictEqual(
      failure.message,
      `The database gifts at 127.0.0.1:${port} cannot be used: nothing listens at this address (ECONNREFUSED). Start the server, or set the right host and port.`
    )
    assert.notInclude(JSON.stringify(failure) + String(failure.stack), canary)
  })

  live("that has no such database says so", function* () {
    const url = new URL(Redacted.value(yield* freshUrl))
    url.pathname = "/missing"
    assert.include((yield* refusal(url.href)).message, "there is no database of this name")
  })

  live("that refuses for a reason of its own is quoted, with the code", function* () {
    const url = new URL(Redacted.value(yield* freshUrl))
    yield* Effect.promise(() => administer(`ALTER DATABASE ${url.pathname.slice(1)} ALLOW_CONNECTIONS false`))
    assert.match((yield* refusal(url.href)).message, /is not currently accepting connections \(55000\)\. Look at /)
  })

  /** Answers whatever it is sent, once, with the same bytes. */
  const answering = (bytes: string | Buffer) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((socket) => socket.on("error", () => {}).once("data", () => socket.write(bytes)))
        await once(server.listen(0, "127.0.0.1"), "listening")
        return server
      }),
      (server) => Effect.sync(() => server.close())
    ).pipe(Effect.map(portOf))

  live("that is no PostgreSQL server says so, whatever it is", function* () {
    const mysql = Buffer.from("4a0000000a382e302e3336000b00000000000000", "hex")
    for (const bytes of ["HTTP/1.1 400 Bad Request\r\n\r\n", "-ERR unknown command\r\n", mysql]) {
      const port = yield* answering(bytes)
      const { message } = yield* refusal(`postgres://someone@127.0.0.1:${port}/gifts`)
      assert.include(message, "what answers there is not PostgreSQL (not_postgresql). Set host and port")
    }
  })

  live("whose database has another encoding than UTF-8 is told how to make one", function* () {
    for (const encoding of ["LATIN1", "SQL_ASCII"]) {
      const url = yield* freshUrl
      const name = new URL(Redacted.value(url)).pathname.slice(1)
      const remake = `CREATE DATABASE ${name} ENCODING '${encoding}' TEMPLATE template0`
      yield* Effect.promise(() => administer(`DROP DATABASE ${name}`).then(() => administer(remake)))
      assert.include((yield* refusal(Redacted.value(url))).message, `its encoding is ${encoding}`)
    }
  })

  it("that is older, or another database with the same protocol, is not taken for one that serves", () => {
    const row = (told: string, number: number) => troubleOfKind({ told, number, encoding: "UTF8" })?.reason
    assert.strictEqual(row("PostgreSQL 14.22 on x86_64", 140_022), "it is PostgreSQL 14")
    assert.strictEqual(row("CockroachDB CCL v25.2.0 (x86_64)", 160_000), "it is not PostgreSQL")
    assert.strictEqual(troubleOfKind(undefined)?.reason, "it is not PostgreSQL")
    assert.isUndefined(row("PostgreSQL 15.1 on x86_64", 150_001))
  })

  live("an address that is none is refused without being shown", function* () {
    const failure = yield* refusal(`postgres://x:${canary}@ho st:port/`)
    assert.strictEqual(
      failure.message,
      "The database at DATABASE_URL cannot be used: its address is not a PostgreSQL URL. Write postgres://user:password@host:port/database, special characters percent-encoded."
    )
  })
})

withLayer(layerFresh, { excludeTestServices: true })("a session of the server", ({ effect }) => {
  effect("is in UTC, under our name, and bounded in time", function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql`
        SELECT current_setting('TimeZone') AS zone, current_setting('application_name') AS name,
               current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
               current_setting('idle_in_transaction_session_timeout') AS idle`
    assert.deepStrictEqual(row, { zone: "UTC", name: "almoner", statement: "10s", lock: "3s", idle: "15s" })
  })

  const terminateOthers = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
  })

  effect("that was killed while idle is replaced unnoticed", function* () {
    const sql = yield* SqlClient.SqlClient
    const warm = Effect.all(
      Array.from({ length: 4 }, () => sql.withTransaction(sql`SELECT pg_sleep(0.05)`)),
      { concurrency: "unbounded" }
    )
    yield* warm
    yield* terminateOthers
    yield* Effect.sleep("100 millis")
    yield* warm
  })

  effect(
    "that is killed in a transaction ends it with an SqlError and without its writes; the next one works",
    function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE killed (id int)`
      const cause = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO killed VALUES (1)`
            yield* sql`SELECT pg_terminate_backend(pg_backend_pid())`
          })
        )
        .pipe(Effect.sandbox, Effect.flip)
      assert.instanceOf(Cause.squash(cause), SqlError.SqlError)
      assert.deepStrictEqual(yield* sql`SELECT count(*)::int4 AS count FROM killed`, [{ count: 0 }])
    }
  )
})

const at = new Date("2024-02-29T12:34:56.789Z")
const bytes = new Uint8Array([0, 1, 255])
const text = 'é😀 "quoted", {braced} \\'

/** A value, how it is written in SQL, and what comes back. */
const values: ReadonlyArray<readonly [type: string, given: unknown, back: unknown]> = [
  ["text", text, text],
  ["int4", 5, 5],
  ["int8", 5, 5n],
  ["int8", 3_000_000_000, 3_000_000_000n],
  ["int8", 9_007_199_254_740_993n, 9_007_199_254_740_993n],
  ["boolean", false, false],
  ["timestamptz", at, at],
  ["timestamptz", at.toISOString(), at],
  ["date", "2024-02-29", "2024-02-29"],
  ["uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
  ["bytea", bytes, bytes],
  ["jsonb", JSON.stringify({ a: [1, null, text] }), { a: [1, null, text] }],
  ["jsonb", PgTypes.jsonb({ a: [1, null, text] }), { a: [1, null, text] }],
  ["text", null, null],
  ["text[]", [text, null, ""], [text, null, ""]],
  ["text[]", [], []],
  ["int8[]", [1n, null], [1n, null]],
  ["timestamptz[]", [at, null], [at, null]],
  ["bytea[]", [bytes, null], [bytes, null]],
  ["jsonb[]", [JSON.stringify({ a: 1 }), null], [{ a: 1 }, null]],
  ["text[]", Result.getOrThrow(PgTypes.array([null, null], PgTypes.OID.text)), [null, null]]
]

for (const [name, database] of databases) {
  withLayer(database, { excludeTestServices: true })(`values in ${name}`, ({ effect }) => {
    for (const [type, given, back] of values) {
      effect(`${type}: ${Array.isArray(given) ? `${given.length} elements` : typeof given}`, function* () {
        const sql = yield* PgClient.PgClient
        assert.deepStrictEqual(yield* sql.unsafe(`SELECT $1::${type} AS value`, [given]), [{ value: back }])
      })
    }

    effect("rows from arrays, nulls included", function* () {
      const sql = yield* PgClient.PgClient
      const rows = yield* sql`
          SELECT * FROM unnest(
            ${["a", "b"]}::text[], ${[1, 2]}::int4[], ${[at, null]}::timestamptz[], ${[bytes, null]}::bytea[],
            ${[JSON.stringify({ a: 1 }), null]}::jsonb[]) AS t (id, n, at, bytes, document)`
      assert.deepStrictEqual(rows, [
        { id: "a", n: 1, at, bytes, document: { a: 1 } },
        { id: "b", n: 2, at: null, bytes: null, document: null }
      ])
    })
  })
}
