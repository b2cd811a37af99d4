import { execFile } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises"
import { createServer, request as httpRequest } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import pg from "pg"
import { fieldsOf } from "../support/Answer.ts"
import { folder } from "../support/Folder.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { live } from "../support/Steps.ts"
import {
  ask,
  demoKeys,
  freePort,
  type ProcessEnd,
  preparedFolder,
  type RunningProcess,
  run,
  serve,
  stop,
  takenPort
} from "./Almoner.ts"
import { makeInbox, verifyArrivals } from "./Inbox.ts"

const ring = `e2e:${Buffer.alloc(32, 9).toString("base64")}`

const environmentIn = (DATA_DIR: string) =>
  Effect.map(freePort, (port) => ({ DATA_DIR, PORT: `${port}`, EMBEDDED_DURABILITY: "relaxed" }))

/** A free port and an empty database. */
const fresh = Effect.flatMap(preparedFolder, environmentIn)

/** The same without even a folder. */
const untouched = Effect.flatMap(folder, (parent) => environmentIn(join(parent, "data")))

const refusal = (ended: ProcessEnd, status: 1 | 2 | 3, sentence: RegExp): void => {
  assert.match(ended.stderr, sentence, JSON.stringify(ended))
  assert.strictEqual(ended.stderr.trimEnd().split("\n").length, 1, ended.stderr)
  assert.deepInclude(ended, { status, stdout: "" })
}

const donor = { first_name: "Ada", last_name: "Lovelace", email: "canary@donor.example" }

/** Stands in for curl, which not every machine has: takes a URL, -H and -d. */
const curl = `#!/usr/bin/env node
const headers = {}
let url = "", body
const words = process.argv.slice(2)
while (words.length > 0) {
  const word = words.shift()
  if (word === "-H") { const [name, ...value] = words.shift().split(": "); headers[name] = value.join(": ") }
  else if (word === "-d") body = words.shift()
  else url = word
}
fetch(url, { method: body === undefined ? "GET" : "POST", headers, body }).then(async (answer) => console.log(answer.status, await answer.text()))
`

/** The announcement of a server that logs JSON. */
const bannerOf = Effect.fnUntraced(function* (server: RunningProcess) {
  const said = () => server.stdout().match(/^.*"Almoner listens on .*$/m)?.[0]
  while (said() === undefined) yield* Effect.sleep(10)
  const { annotations }: { readonly annotations: Readonly<Record<string, string>> } = JSON.parse(said() ?? "")
  return annotations
})

/** Waits until nothing listens any more. */
const refusesConnections = (port: string): Effect.Effect<void> =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(Number(port), "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(false))
    })
    socket.once("error", () => resume(Effect.succeed(true)))
  }).pipe(Effect.repeat({ until: (refused) => refused }), Effect.asVoid)

describe("serve", () => {
  live("makes the demo and prints where it is, with a request that works as pasted", function* () {
    const env = yield* untouched
    const server = yield* serve({ ...env, LOG_LEVEL: "All", LOG_FORMAT: "json" })
    const demo = yield* demoKeys(env.DATA_DIR)
    assert.strictEqual(demo.base_url, `http://localhost:${env.PORT}`)
    const { mode } = yield* Effect.promise(() => stat(join(env.DATA_DIR, "demo.json")))
    assert.strictEqual(mode & 0o777, 0o600)
    const tools = yield* folder
    yield* Effect.promise(() => writeFile(join(tools, "curl"), curl))
    yield* Effect.promise(() => chmod(join(tools, "curl"), 0o755))
    const { demo_file, try_it } = yield* bannerOf(server)
    assert.strictEqual(demo_file, join(env.DATA_DIR, "demo.json"))
    const line = `${try_it}`
    const pasted = yield* Effect.callback<string>((resume) => {
      const options = { env: { PATH: `${tools}:${process.env["PATH"]}` } }
      execFile("/bin/sh", ["-c", line], options, (_, stdout, stderr) => resume(Effect.succeed(stdout + stderr)))
    })
    assert.match(pasted, /^status +SUCCEEDED$/m)
    assert.match(pasted, /^200 \{"data":\[\{"id":"evt_\w+","type":"donation\.succeeded"/m)
    yield* ask(demo.base_url, "/donors", demo.live.write_key, donor)
    yield* ask(demo.base_url, "/donors", `${demo.live.write_key}x`)

    const { stderr, stdout } = yield* stop(server)
    for (const secret of [demo.live, demo.sandbox].flatMap((part) => [part.write_key, part.read_key])) {
      assert.notInclude(stdout + stderr, secret)
    }
    assert.notInclude(stdout + stderr, donor.email)
    for (const each of stdout.trimEnd().split("\n")) assert.isObject(JSON.parse(each), each)
  })

  live("prints the same for people, where it logs for people", function* () {
    const env = yield* fresh
    const server = yield* serve(env)
    while (!server.stdout().includes("\ncurl ")) yield* Effect.sleep(10)
    const lines = server.stdout().split("\n")
    assert.include(lines, `Almoner listens on http://localhost:${env.PORT}`)
    assert.include(lines, `The demo's keys are in ${join(env.DATA_DIR, "demo.json")}`)
    const build = /^Almoner \d+\.\d+\.\d+ \((?:commit|sources) [0-9a-f]{12}\b.*\) on /
    assert.match(lines.find((line) => line.startsWith("Almoner ")) ?? "", build)
  })

  live(
    "beside a server starts with a folder that cannot be written, and says what makes the first organisation",
    function* () {
      const file = join(yield* folder, "file")
      yield* Effect.promise(() => writeFile(file, ""))
      const env = {
        ...(yield* environmentIn(join(file, "data"))),
        ...{ DATABASE_URL: Redacted.value(yield* freshUrl), ALMONER_ENCRYPTION_KEYS: ring, LOG_FORMAT: "json" }
      }
      const server = yield* serve(env)
      const { base_url, begin_with, demo_file } = yield* bannerOf(server)
      assert.deepStrictEqual([base_url, demo_file], [`http://localhost:${env.PORT}`, undefined])
      assert.match(`${begin_with}`, /^almoner organisation create --slug <slug> /)
      const { key, organisation } = yield* lifecycle(env)
      const who = yield* ask(`${base_url}`, "/whoami", key.secret)
      assert.deepStrictEqual(who.body["organisation_id"], organisation.id)
      const { stdout } = yield* stop(server)
      const logged = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      const warned = logged
        .filter(({ level }) => level === "WARN")
        .map(({ message }) => `${message}`)
        // From some day on each regime has to be checked again.
        .filter((message) => !message.startsWith("The figures of the disclosure regime "))
      assert.match(warned.join(), /^Mails cannot be written to \S+ \(ENOTDIR\), and wait\. Set SMTP_URL [^\n]+\.$/)

      const again = yield* serve(env)
      assert.notProperty(yield* bannerOf(again), "begin_with")
      const wanted = yield* run(["serve"], {
        ...env,
        ...{ DATABASE_URL: Redacted.value(yield* freshUrl), DEMO: "on" }
      })
      refusal(wanted, 3, /^The demo's keys cannot be written to \S+ \(ENOTDIR\)\. Set DEMO=off [^\n]+\.$/m)
    }
  )

  live("finishes requests and deliveries in flight when it is asked to stop", function* () {
    const env = yield* fresh
    const server = yield* serve(env)
    const demo = yield* demoKeys(env.DATA_DIR)
    const receiver = createServer()
    const arrived = once(receiver, "request")
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void receiver.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => receiver.close())
    )
    const address = receiver.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`
    const key = demo.sandbox.write_key
    const endpoint = yield* ask(demo.base_url, "/webhook-endpoints", key, { url, event_types: ["donor.created"] })
    assert.strictEqual(endpoint.status, 201)
    yield* ask(demo.base_url, "/donors", key, donor)
    const [, delivered] = yield* Effect.promise(() => arrived)

    const body = JSON.stringify({ ...donor, first_name: "Late" })
    const late = httpRequest({
      ...{ host: "127.0.0.1", port: env.PORT, path: "/api/v1/donors", method: "POST" },
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        expect: "100-continue"
      }
    })
    const answered = once(late, "response")
    late.flushHeaders()
    yield* Effect.promise(() => once(late, "continue"))
    late.write(body.slice(0, 10))
    server.kill("SIGTERM")
    yield* refusesConnections(env.PORT)
    late.end(body.slice(10))
    delivered.end("ok")
    const [answer] = yield* Effect.promise(() => answered)
    assert.strictEqual(answer.statusCode, 201)
    const ended = yield* Effect.promise(() => server.ended)
    assert.strictEqual(ended.status, 0, ended.stderr)

    const sandbox = ["--organisation", "demo-sandbox", "--json"]
    const listed = yield* run(["delivery", "list", "--status", "DELIVERED", ...sandbox], env)
    assert.strictEqual(JSON.parse(listed.stdout).data[0]?.attempt_count, 1)
    const audit = yield* run(["audit", "list", ...sandbox], env)
    const operations = JSON.parse(audit.stdout).data.map(({ operation }: { operation: string }) => operation)
    assert.strictEqual(operations.filter((name: string) => name === "donors.create").length, 2)
  })

  live("is refused in one sentence where it cannot serve", function* () {
    const env = yield* fresh
    const file = join(yield* folder, "file")
    yield* Effect.promise(() => writeFile(file, ""))
    const refused = (given: Readonly<Record<string, string>>) => run(["serve"], { ...env, ...given })
    refusal(yield* refused({ PORT: "many" }), 2, /^PORT must be a whole number from 1 to 65535\.$/m)
    refusal(yield* refused({ DATA_DIR: join(file, "x") }), 3, /^The data folder \S+ cannot be used: [^\n]+\.$/m)
    refusal(yield* refused({ DATABASE_URL: "" }), 2, /^DATABASE_URL is set and empty\. [^\n]+\.$/m)
    refusal(yield* refused({ NODE_ENV: "production" }), 2, /^DATABASE_URL is not set, [^\n]+\.$/m)
    const short = { ALMONER_ENCRYPTION_KEYS: "k:short", DATABASE_URL: "embedded" }
    refusal(yield* refused(short), 2, /^ALMONER_ENCRYPTION_KEYS: [^\n]+ Make one: echo "[^\n]+$/m)
    const taken = yield* takenPort
    refusal(yield* refused({ PORT: `${taken}` }), 3, new RegExp(`^Port ${taken} of 127.0.0.1 cannot be listened on: `))
  })
})

const lifecycle = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const json = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const ended = yield* run([...args, "--json"], env)
    assert.deepInclude(ended, { status: 0, stderr: "" })
    return JSON.parse(ended.stdout)
  })
  const slug = `shelter-${env["PORT"]}`
  const of = ["--organisation", slug]
  const made = yield* json(
    ...["organisation", "create", "--slug", slug, "--name", "Shelter", "--timezone", "UTC", "--default-currency", "AUD"]
  )
  const key = yield* json("key", "create", ...of, "--name", "CRM", "--scope", "WRITE")
  const listed = yield* json("key", "list", ...of)
  assert.deepStrictEqual(fieldsOf(listed.data, "id"), [key.id])
  const human = yield* run(["key", "list", ...of], env)
  assert.include(human.stdout, key.id)
  assert.notInclude(human.stdout, key.secret)
  const nobody = yield* run(["key", "list", "--organisation", "nobody"], env)
  refusal(nobody, 1, /^There is no organisation nobody\.$/m)
  refusal(yield* run(["key", "lost"], env), 2, / See: almoner key --help$/m)
  return { json, of, key, organisation: made.live }
})

describe("commands", () => {
  live("work on the embedded database while its server runs, through it, and without it", function* () {
    const env = yield* fresh
    const server = yield* serve(env)
    const { base_url } = yield* demoKeys(env.DATA_DIR)
    const { json, key, of, organisation } = yield* lifecycle(env)
    const who = yield* ask(base_url, "/whoami", key.secret)
    assert.strictEqual(who.status, 200)
    const rotated = yield* json("key", "rotate", key.id, ...of)
    assert.strictEqual((yield* ask(base_url, "/whoami", key.secret)).status, 401)
    assert.strictEqual((yield* ask(base_url, "/whoami", rotated.secret)).status, 200)
    assert.deepStrictEqual(yield* json("migrate"), { migrations: [] })
    assert.deepInclude(yield* json("sweep"), { introductions_expired: 0, deliveries_trimmed: 0 })

    yield* stop(server, "SIGINT")
    const unknown = yield* run(["key", "list", "--json", "--organisation", "nobody"], env)
    assert.deepInclude(unknown, { status: 1, stdout: "" })
    assert.deepStrictEqual(JSON.parse(unknown.stderr).error.code, "not_found")
    const { data } = yield* json("organisation", "list")
    assert.deepInclude(data, organisation)
    yield* json("key", "revoke", key.id, ...of)
    yield* serve(env)
    assert.strictEqual((yield* ask(base_url, "/whoami", rotated.secret)).status, 401)
  })

  live("say in a folder without a database that there is none, and make nothing", function* () {
    const parent = yield* folder
    const env = { DATA_DIR: join(parent, "data") }
    const sentence = /^There is no database in the data folder \S+\/data\. [^\n]+\.$/m
    for (const args of [["organisation", "list"], ["sweep"], ["key", "list", "--organisation", "demo"]]) {
      refusal(yield* run(args, env), 3, sentence)
      const { error } = JSON.parse((yield* run([...args, "--json"], env)).stderr)
      assert.strictEqual(error.code, "unavailable")
      assert.match(error.message, sentence)
    }
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(parent)), [])
    // A start that was cut off leaves its folder for locks and no database.
    yield* Effect.promise(() => mkdir(join(env.DATA_DIR, "run"), { recursive: true, mode: 0o700 }))
    refusal(yield* run(["organisation", "list"], env), 3, sentence)
    assert.deepStrictEqual(yield* Effect.promise(() => readdir(env.DATA_DIR)), ["run"])
  })

  live("leave a PostgreSQL database alone that has not this version's schema", function* () {
    const DATABASE_URL = Redacted.value(yield* freshUrl)
    const env = { DATA_DIR: yield* folder, DATABASE_URL, ALMONER_ENCRYPTION_KEYS: ring }
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const opened = new pg.Client({ connectionString: DATABASE_URL })
        await opened.connect()
        return opened
      }),
      (opened) => Effect.promise(() => opened.end())
    )
    const query = (sql: string) => Effect.promise(() => client.query(sql))
    const tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    refusal(yield* run(["organisation", "list"], env), 3, /^The database has no tables of Almoner\. /)
    assert.deepStrictEqual((yield* query(tables)).rows, [])
    assert.strictEqual((yield* run(["migrate"], env)).status, 0)
    assert.strictEqual((yield* run(["organisation", "list"], env)).status, 0)
    yield* query("DELETE FROM almoner_migrations WHERE migration_id > 3")
    refusal(yield* run(["organisation", "list"], env), 3, /^The database has migration 3, [^\n]+ almoner migrate\.$/m)
  })

  live("try an endpoint through the running server and without it, by the rules of deliveries", function* () {
    const env = yield* fresh
    const inbox = yield* makeInbox
    const open = { ...env, WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" }
    const json = (given: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
      Effect.map(run([...args, "--json"], given), (ended) => {
        assert.deepInclude(ended, { status: 0, stderr: "" })
        return JSON.parse(ended.stdout)
      })
    const slug = ["--slug", "tried", "--name", "Tried", "--timezone", "UTC", "--default-currency", "AUD"]
    yield* json(open, "organisation", "create", ...slug)
    const of = ["--organisation", "tried-sandbox"]
    const hook = ["--url", inbox.url, "--event-types", "donor.created"]
    const made = yield* json(open, "endpoint", "create", ...hook, ...of)
    const alone = yield* json(open, "endpoint", "test", made.id, ...of)
    assert.deepInclude(alone, { received: true, response_status: 200, error: null })
    const shut = yield* json(env, "endpoint", "test", made.id, ...of)
    assert.deepInclude(shut, { received: false, response_status: null, error: "address_refused" })
    yield* serve(open)
    const served = yield* json(env, "endpoint", "test", made.id, ...of)
    assert.deepInclude(served, { received: true, response_status: 200, error: null })
    const arrived = verifyArrivals(inbox.arrivals, made.secret)
    assert.sameMembers([...arrived.keys()], [alone.webhook_id, served.webhook_id])
    assert.match(inbox.arrivals[0]?.headers["user-agent"] ?? "", /^Almoner-Webhooks\/\d/)
    assert.deepStrictEqual((yield* json(env, "delivery", "list", ...of)).data, [])
    const counted = yield* json(env, "delivery", "replay", "--since", "2026-01-01", ...of)
    assert.deepInclude(counted, { dry_run: true, selected: 0, replayable: 0 })
  })

  live("wait for one another on the embedded database", function* () {
    const env = yield* fresh
    const runs = yield* Effect.all([run(["organisation", "list"], env), run(["organisation", "list"], env)], {
      concurrency: "unbounded"
    })
    for (const ended of runs) assert.deepInclude(ended, { status: 0, stdout: "There are none.\n", stderr: "" })
  })
})
