import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import pg from "pg"
import { root } from "../architecture/Checkout.ts"
import { folder } from "../support/Folder.ts"
import { administer } from "../support/FreshDatabase.ts"
import { type PostgresServer, postgresServer } from "../support/PostgresServer.ts"
import { demoKeys, freePort, run, serve } from "./Almoner.ts"
import { attempt } from "./Calls.ts"

const guide = readFileSync(join(root, "docs/guides/database.md"), "utf8")

const keys = { ALMONER_ENCRYPTION_KEYS: `e2e:${Buffer.alloc(32, 8).toString("base64")}` }

/** A text without what differs from run to run. */
const told = (text: string): string =>
  text
    .replaceAll(/(?:127\.0\.0\.1|localhost)(?::\d+)?/g, "db.example.org")
    .replaceAll(/\[\d{4}-\S+Z\] /g, "")
    .replaceAll(/req_\w+/g, "req_…")
    .replaceAll(/\d+ requests failed since this was last told/g, "the request failed")
    .trim()
    .replaceAll("\n", " ")

const tableOf = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const assertPrinted = (table: string) =>
  assert.isTrue(guide.includes(table), `docs/guides/database.md lacks:\n${table}`)

/** How each state is made that a start finds, and the address at which it is then found. */
type Making = (postgres: PostgresServer) => Promise<string>

const inDatabase =
  (name: string, options: string, ...statements: ReadonlyArray<string>): Making =>
  async ({ port, url }) => {
    const own = `postgres://${name}@127.0.0.1:${port}/${name}`
    await administer(`CREATE ROLE ${name} LOGIN`, url)
    await administer(`CREATE DATABASE ${name} ${options}`, url)
    for (const statement of statements) await administer(statement, own.replace(`//${name}`, "//postgres"))
    return own
  }

const mayCreate = (name: string) => `GRANT CREATE ON SCHEMA public TO ${name}`

const atStart: ReadonlyArray<readonly [state: string, make: Making]> = [
  ["Nothing listens there", async () => `postgres://almoner@127.0.0.1:${await Effect.runPromise(freePort)}/almoner`],
  [
    "Something else listens there",
    async () => {
      const other = createServer((_, answer) => answer.end())
        .listen(0, "127.0.0.1")
        .unref()
      await new Promise((resolve) => other.once("listening", resolve))
      return `postgres://almoner@127.0.0.1:${(other.address() as AddressInfo).port}/almoner`
    }
  ],
  ["There is no such role", async ({ port }) => `postgres://nobody@127.0.0.1:${port}/almoner`],
  [
    "The password is wrong",
    async ({ folder, port, url }) => {
      const rules = join(folder, "data", "pg_hba.conf")
      await administer("CREATE ROLE locked LOGIN PASSWORD 'right'", url)
      writeFileSync(rules, `host all locked 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, "utf8")}`)
      await administer("SELECT pg_reload_conf()", url)
      return `postgres://locked:wrong@127.0.0.1:${port}/postgres`
    }
  ],
  ["There is no such database", async ({ url }) => url.replace(/\/postgres$/, "/almoner")],
  [
    "The role has no connection left",
    async (postgres) => inDatabase("crowded", "", "ALTER ROLE crowded CONNECTION LIMIT 0")(postgres)
  ],
  ["The role has no rights", inDatabase("almoner", "")],
  ["Another program's tables", inDatabase("shared", "", mayCreate("shared"), "CREATE TABLE donors (id int)")],
  ["The encoding is not UTF8", inDatabase("latin", "ENCODING 'LATIN1' TEMPLATE template0")],
  ["Read-only", inDatabase("reader", "OWNER reader", "ALTER DATABASE reader SET default_transaction_read_only = on")]
]

const endOf = (how: { readonly status: number | null; readonly stdout: string; readonly stderr: string }): string =>
  `${how.status}: ${told(
    how.stderr
      .split("\n")
      .filter((line) => line !== "")
      .at(-1) ?? how.stdout
  )}`

describe("what a start and a command say", () => {
  it.live(
    "is the table of the guide, state by state",
    () =>
      Effect.gen(function* () {
        const postgres = yield* postgresServer()
        const rows = yield* Effect.forEach(
          atStart,
          Effect.fnUntraced(function* ([state, make]) {
            const env = { ...keys, DATABASE_URL: yield* Effect.promise(() => make(postgres)), DATA_DIR: yield* folder }
            const served = yield* run(["serve"], { ...env, PORT: `${yield* freePort}` })
            const listed = yield* run(["organisation", "list"], env)
            // The check finds what the start does, and says it alike.
            const checked = yield* run(["check", "--json"], env)
            assert.include(told(checked.stdout), endOf(served).replace("3: ", "").replaceAll('"', '\\"'), state)
            assert.strictEqual(checked.status, 3, state)
            // What may pass is waited for, and said so once.
            const waits = /ECONNREFUSED|53300/.test(served.stderr)
            assert.lengthOf(served.stdout.match(/ WARN: Waiting for the database /g) ?? [], waits ? 1 : 0, state)
            return [state, endOf(served), endOf(listed) === endOf(served) ? "the same" : endOf(listed)]
          }),
          { concurrency: 2 }
        )
        assertPrinted(tableOf(["The database", "`almoner serve`", "`almoner organisation list`"], rows))
      }).pipe(Effect.scoped),
    300_000
  )
})

/** How a state comes over a database that is served, and how it ends. */
interface Change {
  readonly make: (postgres: PostgresServer, url: string) => Promise<unknown>
  readonly end: (postgres: PostgresServer, url: string) => Promise<unknown>
}

const setting = (statement: string): ((postgres: PostgresServer) => Promise<void>) => {
  return async ({ url }) => {
    await administer(statement, url)
    await administer("SELECT pg_reload_conf()", url)
  }
}

/** Changes the files of the server while it is down. */
const offline =
  (change: (data: string, file: string) => void): Change["make"] =>
  async (postgres, url) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query("SELECT pg_relation_filepath('donors') AS file")
    await client.end()
    await postgres.halt()
    const data = join(postgres.folder, "data")
    change(data, join(data, `${rows[0].file}`))
    await postgres.restart()
  }

const whileServed: ReadonlyArray<readonly [state: string, change: Change]> = [
  ["The server is down", { make: (postgres) => postgres.halt(), end: (postgres) => postgres.restart() }],
  [
    "A standby",
    {
      make: offline((data) => writeFileSync(join(data, "standby.signal"), "")),
      end: offline((data) => rmSync(join(data, "standby.signal")))
    }
  ],
  [
    "A right was taken",
    {
      make: (_, url) => administer("REVOKE INSERT ON donors FROM almoner", url),
      end: (_, url) => administer("GRANT INSERT ON donors TO almoner", url)
    }
  ],
  [
    "Read-only (`default_transaction_read_only`)",
    {
      make: setting("ALTER SYSTEM SET default_transaction_read_only = on"),
      end: setting("ALTER SYSTEM RESET default_transaction_read_only")
    }
  ],
  [
    "A table is missing",
    {
      make: (_, url) => administer("ALTER TABLE donors RENAME TO donors_away", url),
      end: (_, url) => administer("ALTER TABLE donors_away RENAME TO donors", url)
    }
  ],
  [
    "Its disk is full",
    {
      make: offline((_, file) => {
        renameSync(file, `${file}_away`)
        // The system answers every write to it that no space is left.
        symlinkSync("/dev/full", file)
      }),
      end: offline((_, file) => renameSync(`${file}_away`, file))
    }
  ]
]

describe("what a service says", () => {
  it.live(
    "is the table of the guide, state by state, and it serves again after each",
    () =>
      Effect.gen(function* () {
        const postgres = yield* postgresServer()
        yield* Effect.promise(() => administer("CREATE ROLE almoner LOGIN", postgres.url))
        yield* Effect.promise(() => administer("CREATE DATABASE almoner OWNER almoner", postgres.url))
        const url = postgres.url.replace(/\/postgres$/, "/almoner")
        const DATA_DIR = yield* folder
        const PORT = `${yield* freePort}`
        const DATABASE_URL = url.replace("//postgres@", "//almoner@")
        const env = { ...keys, DATABASE_URL, DATA_DIR, PORT, DEMO: "on", WORKERS: "off" }
        const served = yield* serve(env)
        const { sandbox } = yield* demoKeys(DATA_DIR)
        const base_url = `http://127.0.0.1:${PORT}`

        const ready = Effect.gen(function* () {
          // A look is shared for a second.
          yield* Effect.sleep(1_100)
          const answer = yield* Effect.promise(() => fetch(`${base_url}/ready`))
          const { checks } = Object(yield* Effect.promise(() => answer.json()))
          const parts = Object.entries(checks).filter(([, standing]) => standing === "failed")
          return [answer.status, ...parts.map(([part]) => `\`${part}\``)].join(", ")
        })
        const give = Effect.map(
          attempt(base_url, "/donors", { key: sandbox.write_key, body: { first_name: "Ada" } }),
          (answer) => `${answer?.status}: ${Object(answer?.body["error"])["message"]}`
        )

        const rows: Array<ReadonlyArray<string>> = []
        for (const [state, { end, make }] of whileServed) {
          assert.match(yield* give, /^201/)
          const before = served.stdout().length
          yield* Effect.promise(() => make(postgres, url))
          const stands = yield* ready
          const answer = yield* give
          const words = ["donor", "create", "--organisation", "demo-sandbox", "--first-name", "Ada"]
          const command = endOf(yield* run(words, env))
          const line = /^.* ERROR: .*$/m.exec(served.stdout().slice(before))?.[0] ?? "nothing"
          rows.push([state, stands, answer, command, told(line)])
          yield* Effect.promise(() => end(postgres, url))
          while ((yield* ready) !== "200") yield* Effect.sleep(50)
        }
        assertPrinted(tableOf(["The database", "`GET /ready`", "A request", "A command", "The log"], rows))
      }).pipe(Effect.scoped),
    300_000
  )
})
