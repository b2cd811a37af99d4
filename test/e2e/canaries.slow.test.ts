import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { folder } from "../support/Folder.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { live } from "../support/Steps.ts"
import { type DemoKeys, demoKeys, freePort, preparedFolder, type RunningProcess, run, serve } from "./Almoner.ts"
import { call, gift, query, terminateBackends } from "./Calls.ts"
import { makeInbox } from "./Inbox.ts"

/** Personal data that is recognisable wherever it turns up, escaped or not. */
const written = {
  first_name: "Canaryfirst",
  last_name: "Canarylast",
  email: "canarymail@donor.example",
  phone: "+61canaryphone",
  address_line1: "1 Canarystreet",
  employer_name: "Canaryemployer"
}
const idempotencyKey = "canaryidempotency"
const everyWord = /canary\w*|%63anary/gi

type Environment = Readonly<Record<string, string>>

const secretsOf = ({ live, sandbox }: DemoKeys) =>
  [live, sandbox].flatMap(({ read_key, write_key }) => [read_key, write_key])

/** Goes through every door with what must not be told. Answers the secrets that it was shown. */
const plant = Effect.fnUntraced(function* (base_url: string, demo: DemoKeys, env: Environment, round: string) {
  const inbox = yield* makeInbox
  const key = demo.sandbox.write_key
  let asked = 0
  const ask = (path: string, body?: unknown, method?: string, given = key) =>
    call(base_url, path, {
      key: given,
      ...(body === undefined ? {} : { body }),
      ...(method === undefined ? {} : { method }),
      headers: { "idempotency-key": `${idempotencyKey} ${round} ${asked++}` }
    })
  const donor = yield* ask("/donors", written)
  assert.strictEqual(donor.status, 201, donor.text)
  yield* ask(`/donors/${donor.body["id"]}`, { first_name: "Canaryother" }, "PATCH")
  yield* ask(`/donors?email=${encodeURIComponent(written.email)}&search=canaryfirst`)
  const event_types = ["donor.created", "donation.created"]
  const endpoint = yield* ask("/webhook-endpoints", { url: `${inbox.url}?token=canarytoken`, event_types })
  const rotated = yield* ask(`/webhook-endpoints/${endpoint.body["id"]}/rotate_secret`, {})
  yield* ask("/donors", { ...written, last_name: "Canarysecond" }, "POST")
  yield* call(base_url, "/donors", { key, body: written })
  yield* call(base_url, "/donations", { key, body: gift(`${donor.body["id"]}`, 100) })

  const refusals = [
    yield* ask("/revenue-codes", '{ "code": "canarybroken'),
    yield* ask("/revenue-codes", { canaryfield: 1 }),
    yield* ask("/revenue-codes", { code: 7, description: written.email }),
    yield* ask("/donations", gift("canarydonor", 1)),
    yield* ask(`/donors/${written.email}`),
    yield* ask(`/${written.email}`),
    yield* ask("/donors?canary=1"),
    yield* ask("/donors", written, "PUT"),
    yield* ask("/donors", written, "POST", demo.sandbox.read_key),
    yield* ask("/donors", written, "POST", `${key.slice(0, -1)}_`)
  ]
  for (const { status, text } of refusals) assert.include([400, 401, 403, 404, 405], status, text)

  const of = ["--organisation", "demo-sandbox", "--json"]
  const made = yield* run(["key", "create", "--name", "Canaryname", "--scope", "WRITE", ...of], env)
  const first = JSON.parse(made.stdout)
  const again = yield* run(["key", "rotate", first.id, ...of], env)
  const hook = ["endpoint", "create", "--url", inbox.url, "--event-types", "donor.created"]
  const registered = yield* run([...hook, ...of], env)
  const shown = [made, again, registered].map(({ stdout }) => `${JSON.parse(stdout).secret}`)
  const commands = [made, again, registered, yield* run(["key", "revoke", written.email, ...of], env)]
  const secrets = [`${endpoint.body["secret"]}`, `${rotated.body["secret"]}`, ...shown]
  for (const secret of secrets) assert.match(secret, /^(alm_test_|almwh_)\w{36,}$/)
  while (inbox.arrivals.length < 3) yield* Effect.sleep(10)
  return { secrets, errors: commands.map(({ stderr }) => stderr).join("") }
})

const logOf = (server: RunningProcess) =>
  Effect.promise(async () => {
    server.kill("SIGTERM")
    const { stderr, stdout } = await server.ended
    return stdout + stderr
  })

const assertDiscreet = (log: string, secrets: ReadonlyArray<string>): void => {
  assert.deepStrictEqual(log.match(everyWord), null)
  for (const secret of secrets) assert.notInclude(log, secret)
}

/** Everything in every table as text: bytes as they are, and as hexadecimal digits. */
const dump = Effect.fnUntraced(function* (url: string) {
  const tables = yield* query(
    url,
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
  )
  const texts: Array<string> = []
  for (const { relname } of tables) {
    for (const { line } of yield* query(url, `SELECT t::text AS line FROM "${relname}" AS t`)) texts.push(`${line}`)
  }
  const answers = yield* query(url, "SELECT encode(body, 'escape') AS body FROM idempotency_records")
  return [...texts, ...answers.map(({ body }) => `${body}`)].join("\n")
})

const hex = (text: string): string => Buffer.from(text, "utf8").toString("hex")

/** Ways to make the database refuse, each with what the log is to name. */
const breakages = [
  {
    path: "/donors",
    statement: "ALTER TABLE donors ADD CONSTRAINT nobody CHECK (email IS NULL) NOT VALID",
    repair: "ALTER TABLE donors DROP CONSTRAINT nobody",
    named: /SQLSTATE 23514: new row for relation \W*donors\W* violates check constraint .*constraint nobody/
  },
  {
    path: "/donors",
    statement: "ALTER TABLE donors ALTER COLUMN phone TYPE integer USING NULL",
    repair: "ALTER TABLE donors ALTER COLUMN phone TYPE text",
    named: /SQLSTATE 22P02: invalid input syntax for type integer/
  },
  {
    path: "/donors",
    statement: `
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no place for %', NEW.email USING DETAIL = NEW.last_name, HINT = NEW.phone; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON donors FOR EACH ROW EXECUTE FUNCTION refuse()`,
    repair: "DROP FUNCTION refuse CASCADE",
    named: /SQLSTATE P0001/
  },
  {
    path: "/donations",
    statement: "ALTER TABLE donations ALTER COLUMN in_kind_description TYPE integer USING NULL",
    repair: "ALTER TABLE donations ALTER COLUMN in_kind_description TYPE text",
    named: /SQLSTATE 22P02/
  },
  {
    path: "/donors",
    statement: "ALTER TABLE donor_words RENAME TO words",
    repair: "ALTER TABLE words RENAME TO donor_words",
    named: /a table of Almoner is missing: relation \W*donor_words\W* does not exist \(42P01\)/
  }
]

describe("confidential data", () => {
  live("is in no log, whatever breaks, and no secret is in the database", function* () {
    const url = Redacted.value(yield* freshUrl)
    const env = {
      ...{ DATABASE_URL: url, DATA_DIR: yield* folder, DEMO: "on", LOG_LEVEL: "debug" },
      ALMONER_ENCRYPTION_KEYS: `e2e:${Buffer.alloc(32, 8).toString("base64")}`
    }
    const logs: Array<string> = []
    const secrets: Array<string> = []
    for (const LOG_FORMAT of ["json", "pretty"]) {
      const PORT = `${yield* freePort}`
      const server = yield* serve({ ...env, PORT, LOG_FORMAT })
      const base_url = `http://localhost:${PORT}`
      const demo = yield* demoKeys(env.DATA_DIR)
      const planted = yield* plant(base_url, demo, { ...env, LOG_FORMAT }, LOG_FORMAT)
      secrets.push(...secretsOf(demo), ...planted.secrets)
      const key = demo.live.write_key
      const donor = yield* call(base_url, "/donors", { key, body: written })
      const inKind = { donation_type: "IN_KIND", in_kind_category: "GOODS", in_kind_description: "Canarygoods" }
      const bodies = new Map<string, object>([
        ["/donors", written],
        ["/donations", { ...gift(`${donor.body["id"]}`, 100), ...inKind }]
      ])
      for (const [index, { path, repair, statement }] of breakages.entries()) {
        yield* query(url, statement)
        for (const headers of [{}, { "idempotency-key": `${idempotencyKey} ${LOG_FORMAT} ${index}` }]) {
          const answer = yield* call(base_url, path, { key, headers, body: bodies.get(path) })
          assert.strictEqual(answer.status, 500, answer.text)
          assert.notMatch(answer.text, everyWord)
        }
        yield* query(url, repair)
      }
      yield* query(url, "ALTER TABLE api_keys RENAME TO keys")
      const stranger = yield* call(base_url, `/donors/${written.email}`, { key: demo.live.read_key })
      yield* query(url, "ALTER TABLE keys RENAME TO api_keys")
      yield* query(url, "ALTER TABLE donors RENAME TO people")
      const reads = [
        yield* call(base_url, `/donors?search=canaryfirst&email=${written.email}`, { key }),
        yield* call(base_url, `/donors/${written.email}`, { key })
      ]
      yield* query(url, "ALTER TABLE people RENAME TO donors")
      assert.strictEqual(stranger.status, 500)
      for (const { status } of reads) assert.include([404, 500], status)
      yield* terminateBackends(url)
      yield* call(base_url, "/donors", { key, body: written })
      const log = `${yield* logOf(server)}${planted.errors}`
      logs.push(log)
    }
    for (const log of logs) {
      assertDiscreet(log, secrets)
      for (const { named } of breakages) assert.match(log, named)
    }
    const everything = yield* dump(url)
    assert.include(everything, written.email)
    for (const secret of secrets) {
      assert.notInclude(everything, secret)
      assert.notInclude(everything, hex(secret))
    }
  })

  live("leaves no secret in the embedded database's folder", function* () {
    const DATA_DIR = yield* preparedFolder
    const env = { DATA_DIR, PORT: `${yield* freePort}`, LOG_LEVEL: "debug", LOG_FORMAT: "json" }
    const server = yield* serve(env)
    const demo = yield* demoKeys(DATA_DIR)
    const planted = yield* plant(demo.base_url, demo, env, "embedded")
    const secrets = [...secretsOf(demo), ...planted.secrets]
    assertDiscreet(`${yield* logOf(server)}${planted.errors}`, secrets)
    const entries = yield* Effect.promise(() => readdir(DATA_DIR, { recursive: true, withFileTypes: true }))
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    assert.isTrue(files.includes(join(DATA_DIR, "demo.json")))
    let hasCanary = false
    for (const file of files) {
      if (file === join(DATA_DIR, "demo.json")) continue
      const bytes = yield* Effect.promise(() => readFile(file))
      hasCanary ||= bytes.includes(written.email)
      for (const secret of secrets) assert.isFalse(bytes.includes(secret) || bytes.includes(hex(secret)), file)
    }
    assert.isTrue(hasCanary)
  })
})
