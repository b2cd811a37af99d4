import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { readAddress } from "../../src/adapters/postgres/connection/ServerAddress.ts"
import { Almoner } from "../../src/index.ts"
import { postgres } from "../../src/postgres.ts"
import { run } from "../e2e/Almoner.ts"
import { type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { forEvery } from "../support/Property.ts"
import { live } from "../support/Steps.ts"

/** How libpq lets a server on a Unix socket be named, the user and the database with it. */
const forms: Readonly<Record<string, (folder: string, port: number) => string>> = {
  "the folder as a parameter, and no host": (folder, port) =>
    `postgres://postgres@/template1?host=${folder}&port=${port}`,
  "the port without a host": (folder, port) => `postgresql://postgres@:${port}/template1?host=${folder}`,
  "the folder percent-encoded as a parameter": (folder, port) =>
    `postgres://postgres@:${port}/template1?host=${encodeURIComponent(folder)}`,
  "the folder percent-encoded as the host": (folder, port) =>
    `postgres://postgres@${encodeURIComponent(folder)}:${port}/template1`,
  "a password that nobody asks for": (folder, port) => `postgres://postgres:p%40ss@:${port}/template1?host=${folder}`,
  "nothing in front of the path": (folder, port) => `postgres:///template1?host=${folder}&port=${port}&user=postgres`,
  "everything as parameters": (folder, port) =>
    `postgres://?host=${folder}&port=${port}&user=postgres&dbname=template1`,
  "a host that the parameter replaces": (folder, port) =>
    `postgres://postgres@db.example:1/template1?host=${folder}&port=${port}`,
  "encryption, which a socket does without": (folder, port) =>
    `postgres://postgres@:${port}/template1?host=${folder}&sslmode=require`
}

const where = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<object>`
    SELECT inet_server_addr() IS NULL AS is_local, current_user::text AS role, current_database()::text AS database`
)

const refusal = (url: string) =>
  Effect.map(
    Layer.build(Client.layerServer({ url: Redacted.make(url), start_wait: 0 })).pipe(Effect.scoped, Effect.flip),
    ({ message }) => message
  )

describe("a server on a Unix socket", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ socket: true })
  })
  afterAll(() => server.stop())

  it.live.each(Object.entries(forms))("is reached by a URL with %s", ([, form]) =>
    Effect.gen(function* () {
      const url = Redacted.make(form(server.folder, server.port))
      const [found] = yield* Effect.provide(where, Client.layerServer({ url, max_connections: 2 }))
      assert.deepStrictEqual(found, { is_local: true, role: "postgres", database: "template1" })
    })
  )

  live("is used by the command, and by a host", function* () {
    const url = `postgres://postgres@:${server.port}/postgres?host=${server.folder}`
    const keys = `test:${Buffer.alloc(32, 7).toString("base64")}`
    const migrated = yield* run(["migrate"], { DATABASE_URL: url, ALMONER_ENCRYPTION_KEYS: keys })
    assert.strictEqual(migrated.status, 0, migrated.stderr)
    yield* Effect.promise(async () => {
      const almoner = await Almoner.open({ backend: postgres({ url, migrate: false }), keys })
      const charity = { slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD" }
      assert.strictEqual((await almoner.organisations.create(charity)).live.slug, "riverside")
      await almoner.close()
    })
  })

  live("is named by its socket when it is not there, and by no password", function* () {
    const message = yield* refusal(`postgres://almoner:secret@:5433/gifts?host=${server.folder}`)
    assert.strictEqual(
      message,
      `The database gifts at ${server.folder}/.s.PGSQL.5433 cannot be used: its socket does not exist (ENOENT). Start the server, or set the right folder of its socket.`
    )
  })
})

describe("the address of a server", () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/)
  const part = fc.option(fc.string({ minLength: 1, maxLength: 12, unit: "grapheme-ascii" }), { nil: undefined })
  const host = fc.oneof(fc.domain(), fc.ipV4(), fc.constant(undefined))
  const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined })

  it("is what stands in the URL, whatever user and password stand before it", () =>
    forEvery(part, part, host, port, name, (user, password, at, number, database) => {
      const who =
        user === undefined
          ? ""
          : `${encodeURIComponent(user)}${password === undefined ? "" : `:${encodeURIComponent(password)}`}@`
      const url = `postgres://${who}${at ?? ""}${number === undefined ? "" : `:${number}`}/${database}`
      const address = Result.getOrThrow(readAddress(url))
      const place = { host: at ?? "localhost", port: number ?? 5432, socket: undefined }
      assert.deepStrictEqual(address.places, [place])
      assert.strictEqual(address.database, database)
      assert.strictEqual(address.user, user)
      assert.deepStrictEqual(address.password && Redacted.value(address.password), user && password)
    }))

  it("is refused for a parameter that is not understood, and neither shows its value", () => {
    const faults: Readonly<Record<string, string>> = {
      "sslmode=verify": "its parameter sslmode has another value than it may",
      "sslmode=prefer&SSLMODE=require": "its parameter SSLMODE is not understood",
      "ssl=1": "its parameter ssl has another value than it may",
      "sslcompression=1": "its parameter sslcompression is not understood",
      "target_session_attrs=standby": "its parameter target_session_attrs has another value than it may",
      "channel_binding=require": "its parameter channel_binding has another value than it may",
      "sslmode=verify-ca": "sslmode=verify-ca has no sslrootcert",
      "sslrootcert=system&sslmode=require": "sslrootcert=system is for sslmode=verify-full only",
      "sslcert=/canary": "a file that sslrootcert, sslcert or sslkey names cannot be read (ENOENT)",
      "port=canary": "its port is none",
      "connect_timeout=0": "its connect_timeout is none",
      "toString=canary": "its parameter toString is not understood"
    }
    for (const [parameter, expected] of Object.entries(faults)) {
      const read = readAddress(`postgres://user:canary@host/db?${parameter}`)
      if (Result.isSuccess(read)) return assert.fail(parameter)
      const { reason, remedy } = read.failure
      assert.strictEqual(reason, expected)
      assert.match(remedy, /^[A-Z].*\.$/)
      assert.notInclude(reason + remedy, "canary")
    }
  })

  it("has each host with its port, and what else libpq reads", () => {
    const read = (text: string) => Result.getOrThrow(readAddress(text))
    const placesOf = (text: string) => read(text).places.map(({ host, port }) => `${host} ${port}`)
    assert.deepStrictEqual(placesOf("postgres://u:p@a:1,[::1]:2,c/db"), ["a 1", "::1 2", "c 5432"])
    assert.deepStrictEqual(placesOf("postgres:///db?host=a,b&port=7"), ["a 7", "b 7"])
    assert.deepStrictEqual(placesOf("postgres:///db?host=a,b&port=7,8"), ["a 7", "b 8"])
    assert.deepInclude(read("postgres://h/a%2Fb?application_name=x&options=-c%20geqo%3Doff&connect_timeout=9"), {
      ...{ database: "a/b", applicationName: "x", options: "-c geqo=off", connectSeconds: 9, mustWrite: false }
    })
  })

  it("is none for what is no URL of PostgreSQL", () => {
    for (const text of [
      "",
      "postgres:",
      "postgres:/x",
      "mysql://a/b",
      "host=/run dbname=x",
      "postgres://a b/c",
      "postgres://a/%zz"
    ]) {
      assert.isTrue(Result.isFailure(readAddress(text)), text)
    }
  })
})
