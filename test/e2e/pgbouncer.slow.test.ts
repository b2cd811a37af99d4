import { execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { troubleOfCause } from "../../src/ports/kernel/DatabaseTrouble.ts"
import { folder } from "../support/Folder.ts"
import { administer } from "../support/FreshDatabase.ts"
import { postgresServer } from "../support/PostgresServer.ts"
import { quickRoot } from "../support/QuickFolder.ts"
import { live } from "../support/Steps.ts"
import { commandsOf, demoKeys, freePort, noLimits, run, serve, stop } from "./Almoner.ts"
import { allGiven, call, giftSender, prepare, query } from "./Calls.ts"
import { makeInbox, verifyArrivals } from "./Inbox.ts"

/** Debian installs it where only the superuser looks. */
const program = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin"]
  .map((path) => join(path, "pgbouncer"))
  .find((path) => existsSync(path))

/** Whether it keeps track of prepared statements, which it does since version 1.21. */
const tracks =
  program !== undefined &&
  Number(/1\.(\d+)/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[1]) >= 21

const answers = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resume(Effect.succeed(true)))
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

/** A pooler with its defaults, which gives a session of the server to a client for each transaction, before a server of its own. */
const pooler = Effect.fnUntraced(function* (...settings: ReadonlyArray<string>) {
  const server = yield* postgresServer()
  const port = yield* freePort
  const place = mkdtempSync(join(quickRoot, "almoner-pgbouncer-"))
  const file = join(place, "pgbouncer.ini")
  const users = join(place, "users")
  writeFileSync(users, '"postgres" ""')
  writeFileSync(
    file,
    [
      "[databases]",
      `* = host=127.0.0.1 port=${server.port}`,
      "[pgbouncer]",
      ...[
        "listen_addr = 127.0.0.1",
        `listen_port = ${port}`,
        "unix_socket_dir =",
        "auth_type = trust",
        `auth_file = ${users}`
      ],
      ...["pool_mode = transaction", ...settings]
    ].join("\n")
  )
  // It refuses to run as root, as the server does.
  const { gid, uid } = statSync(join(server.folder, "data"))
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [place, file, users]) chownSync(path, uid, gid)
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program ?? "", ["-q", file], { stdio: "ignore", ...(isRoot ? { uid, gid } : {}) })),
    (child) =>
      Effect.promise(async () => {
        child.kill("SIGKILL")
        await new Promise((resolve) => child.once("close", resolve))
        rmSync(place, { recursive: true, force: true })
      })
  )
  while (!(yield* Effect.scoped(answers(port)))) yield* Effect.sleep(20)
  yield* Effect.promise(() => administer("CREATE DATABASE almoner", server.url))
  return { server, url: `postgres://postgres@127.0.0.1:${port}/almoner` }
})

/** Serves through a pooler, and is asked by several at the same moment; the log has no warning, and nothing is lost. */
const serveThrough = Effect.fnUntraced(function* (url: string, given: Readonly<Record<string, string>> = {}) {
  const ALMONER_ENCRYPTION_KEYS = `e2e:${Buffer.alloc(32, 6).toString("base64")}`
  const env = { DATABASE_URL: url, DEMO: "on", ALMONER_ENCRYPTION_KEYS, DATA_DIR: yield* folder, ...noLimits, ...given }
  const server = yield* serve({ ...env, PORT: `${yield* freePort}` })
  const demo = yield* demoKeys(env.DATA_DIR)
  const key = demo.sandbox.write_key
  const inbox = yield* makeInbox
  const { donor_id, secret } = yield* prepare(demo, inbox.url)
  const gifts = 200
  const give = giftSender(demo.base_url, key, donor_id)
  const answered = yield* Effect.forEach(
    Array.from({ length: gifts }, (_, n) => n + 1),
    (n) => Effect.all([give(n), call(demo.base_url, "/donations?limit=100", { key })]),
    { concurrency: 24 }
  )
  assert.isTrue(answered.every(([given, listed]) => given?.status === 201 && listed.status === 200))
  yield* allGiven(demo.base_url, key, gifts)
  yield* commandsOf("demo-sandbox", env)("trigger", "subscription.payment_failed")
  while (verifyArrivals(inbox.arrivals, secret).size < 2 * gifts) yield* Effect.sleep(50)
  const checked = yield* run(["check"], env)
  assert.strictEqual(checked.status, 0, checked.stdout + checked.stderr)
  const { stderr, stdout } = yield* stop(server)
  assert.strictEqual(stderr, "")
  assert.notMatch(stdout, / (?:WARN|ERROR|FATAL)/)
})

describe.skipIf(program === undefined)("through PgBouncer in transaction mode", () => {
  live("a server starts, serves and delivers without an error", function* () {
    const { url } = yield* pooler()
    yield* serveThrough(url)
  })

  live("with few sessions of the server, and with prepared statements that it tracks", function* () {
    const { url } = yield* pooler("default_pool_size = 3", ...(tracks ? ["max_prepared_statements = 100"] : []))
    yield* serveThrough(url, tracks ? { DATABASE_PREPARE: "on" } : { DATABASE_PREPARE: "off" })
  })

  live("the server keeps the deadlines of every statement, and no session keeps them after it", function* () {
    const { server, url } = yield* pooler("default_pool_size = 1")
    const ended = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sleep = sql`SELECT pg_sleep(60)`
      for (const asked of [sleep, sql.withTransaction(sleep)]) {
        const exit = yield* Effect.exit(asked)
        assert.strictEqual(Exit.isFailure(exit) ? troubleOfCause(exit.cause)?.code : "", "57014")
      }
    }).pipe(Effect.provide(Client.layerServer({ url: Redacted.make(url), request_bounds: { statementMillis: 300 } })))
    yield* ended
    assert.deepStrictEqual(yield* query(url, "SHOW statement_timeout"), [{ statement_timeout: "0" }])
    // A role's own deadlines hold for statements outside of transactions, too.
    for (const name of ["statement_timeout", "lock_timeout"]) {
      yield* query(server.url, `ALTER ROLE postgres SET ${name} = '400ms'`)
    }
    yield* query(server.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'almoner'")
    yield* ended
  })
})
