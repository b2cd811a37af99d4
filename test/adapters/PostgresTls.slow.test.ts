import { execFileSync } from "node:child_process"
import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { query } from "../e2e/Calls.ts"
import { administer } from "../support/FreshDatabase.ts"
import { type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { live } from "../support/Steps.ts"

const openssl = (...words: ReadonlyArray<string>) =>
  execFileSync("openssl", words, { stdio: ["ignore", "pipe", "ignore"] })

const hasOpenssl = (() => {
  try {
    return openssl("version").length > 0
  } catch {
    return false
  }
})()

/** An authority, and certificates of it for a host and for a role, in files of a folder. */
const certify = (folder: string): void => {
  const at = (name: string) => join(folder, name)
  const key = (name: string) => [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    at(`${name}.key`)
  ]
  for (const name of ["authority", "other"]) {
    openssl("req", "-x509", ...key(name), "-subj", `/CN=${name}`, "-days", "2", "-out", at(`${name}.crt`))
  }
  for (const name of ["localhost", "certified"]) {
    writeFileSync(at("names"), `subjectAltName=DNS:${name}`)
    openssl("req", ...key(name), "-subj", `/CN=${name}`, "-out", at("request"))
    const signed = ["-CA", at("authority.crt"), "-CAkey", at("authority.key"), "-CAcreateserial", "-days", "2"]
    openssl("x509", "-req", "-in", at("request"), ...signed, "-extfile", at("names"), "-out", at(`${name}.crt`))
  }
}

const isEncrypted = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
)

const unknownAuthority = ["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"]

/** What comes of connecting: clear, TLS, or what is in the way. */
const outcomeOf = (url: string) =>
  isEncrypted.pipe(
    Effect.map(([row]) => (row?.ssl === true ? "tls" : "clear")),
    Effect.provide(Client.layerServer({ url: Redacted.make(url), max_connections: 1, start_wait: 0 })),
    Effect.catchTag("DatabaseUnreachable", ({ code }) =>
      Effect.succeed(unknownAuthority.includes(code) ? "unknown authority" : code)
    )
  )

describe.skipIf(!hasOpenssl)("a server with certificates, by each mode of libpq", () => {
  let server: PostgresServer
  let file: (name: string) => string
  let at: (user: string, parameters: string, host?: string) => string
  const configure = async (...settings: ReadonlyArray<string>) => {
    for (const setting of settings) await administer(`ALTER SYSTEM SET ${setting}`, server.url)
    await administer("SELECT pg_reload_conf()", server.url)
    const shown = async () => (await Effect.runPromise(query(server.url, "SHOW ssl")))[0]?.["ssl"]
    while ((await shown()) !== settings.at(-1)?.split(" = ")[1]) await new Promise(setImmediate)
  }
  beforeAll(async () => {
    server = await startPostgres()
    file = (name) => join(server.folder, name)
    at = (user, parameters, host = "127.0.0.1") => `postgres://${user}@${host}:${server.port}/postgres?${parameters}`
    certify(server.folder)
    const { gid, uid } = statSync(file("data"))
    if (process.getuid?.() === 0) chownSync(file("localhost.key"), uid, gid)
    for (const role of ["covered", "open", "certified"]) await administer(`CREATE ROLE ${role} LOGIN`, server.url)
    const rules = file("data/pg_hba.conf")
    const own = ["hostssl all covered all trust", "hostnossl all open all trust", "hostssl all certified all cert"]
    const refused = ["covered", "open", "certified"].map((role) => `host all ${role} all reject`)
    writeFileSync(rules, [...own, ...refused, readFileSync(rules, "utf8")].join("\n"))
    await configure(
      `ssl_cert_file = '${file("localhost.crt")}'`,
      `ssl_key_file = '${file("localhost.key")}'`,
      `ssl_ca_file = '${file("authority.crt")}'`,
      "ssl = on"
    )
  })
  afterAll(() => server.stop())

  const told = Effect.fnUntraced(function* (cases: ReadonlyArray<readonly [url: string, outcome: string]>) {
    for (const [url, outcome] of cases) assert.strictEqual(yield* outcomeOf(url), outcome, url)
  })

  it.live("is encrypted where the mode says so, and verified as far as it says", () => {
    const root = `sslrootcert=${file("authority.crt")}`
    const other = `sslrootcert=${file("other.crt")}`
    const unknown = "unknown authority"
    return told([
      [at("postgres", ""), "tls"],
      [at("postgres", "ssl=true"), "tls"],
      [at("postgres", "sslmode=disable"), "clear"],
      [at("postgres", "sslmode=allow"), "clear"],
      [at("postgres", "sslmode=prefer"), "tls"],
      [at("postgres", "sslmode=require"), "tls"],
      [at("postgres", `sslmode=require&${root}`), "tls"],
      [at("postgres", `sslmode=require&${other}`), unknown],
      [at("postgres", `sslmode=verify-ca&${root}`), "tls"],
      [at("postgres", `sslmode=verify-ca&${other}`), unknown],
      [at("postgres", `sslmode=verify-full&${root}`, "localhost"), "tls"],
      [at("postgres", `sslmode=verify-full&${root}`), "ERR_TLS_CERT_ALTNAME_INVALID"],
      [at("postgres", `sslmode=verify-full&${other}`, "localhost"), unknown],
      [at("postgres", "sslmode=verify-full", "localhost"), unknown],
      [at("postgres", "sslrootcert=system", "localhost"), unknown]
    ])
  })

  it.live("is tried the other way where the mode allows it, and the server wants it", () =>
    told([
      [at("covered", "sslmode=allow"), "tls"],
      [at("covered", "sslmode=disable"), "28000"],
      [at("open", "sslmode=prefer"), "clear"],
      [at("open", "sslmode=require"), "28000"]
    ])
  )

  it.live("knows a role by its certificate", () =>
    told([
      [at("certified", `sslmode=require&sslcert=${file("certified.crt")}&sslkey=${file("certified.key")}`), "tls"],
      [at("certified", "sslmode=require"), "28000"]
    ])
  )

  live("without TLS is not spoken to where the mode asks for it", function* () {
    yield* Effect.promise(() => configure("ssl = off"))
    yield* told([
      [at("postgres", ""), "clear"],
      [at("postgres", "sslmode=prefer"), "clear"],
      [at("postgres", "sslmode=allow"), "clear"],
      [at("postgres", "sslmode=require"), "no_tls"],
      [at("postgres", "ssl=true"), "no_tls"],
      [at("postgres", `sslmode=verify-ca&sslrootcert=${file("authority.crt")}`), "no_tls"]
    ])
  })
})
