import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../architecture/Checkout.ts"
import { commandsOf, run } from "../e2e/Almoner.ts"
import { administer } from "../support/FreshDatabase.ts"
import { startPostgres } from "../support/PostgresServer.ts"
import { commandsToRun } from "./Markdown.ts"
import { assertInOrder, builtCheckout, runShell, walkTimeout } from "./Shell.ts"

/** Where Debian and its kin have the programs of each version. */
const debian = "/usr/lib/postgresql"

/** A folder with the programs of a server and those that dump and restore, which the package of the tests does not have. */
const installed = [
  ...(process.env["PATH"] ?? "").split(delimiter),
  ...(existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : [])
].find((bin) =>
  ["initdb", "postgres", "pg_dump", "pg_restore", "createdb", "psql"].every((name) => existsSync(join(bin, name)))
)

const prints = [
  /TABLE DATA public donations/,
  // The restored database: its secrets open with the keys, and its books add up.
  /^k +true +true +1 /m,
  /^riverside +Riverside /m,
  /^The database is up to date\.$/m,
  /^ +\d+ \| \w+$/m
]

describe.skipIf(installed === undefined)("docs/guides/backup.md", () => {
  it.live(
    "runs as printed: what was dumped is there again",
    () =>
      Effect.gen(function* () {
        const bin = installed ?? ""
        const server = yield* Effect.acquireRelease(
          Effect.promise(() =>
            startPostgres({ installed: { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") } })
          ),
          ({ stop }) => Effect.promise(stop)
        )
        yield* Effect.promise(() => administer("CREATE ROLE almoner LOGIN", server.url))
        yield* Effect.promise(() => administer("CREATE DATABASE almoner OWNER almoner TEMPLATE template0", server.url))
        const cwd = yield* builtCheckout
        const keys = `k:${Buffer.alloc(32, 1).toString("base64")}`
        writeFileSync(join(cwd, "encryption_keys"), keys)
        const address = (database: string) => `postgres://almoner:secret@127.0.0.1:${server.port}/${database}`
        const settings = {
          DATABASE_URL: address("almoner"),
          ALMONER_ENCRYPTION_KEYS: keys,
          DATA_DIR: join(cwd, ".almoner")
        }
        assert.strictEqual((yield* run(["migrate"], settings)).status, 0)
        const named = [
          "--slug",
          "riverside",
          "--name",
          "Riverside",
          "--timezone",
          "Australia/Sydney",
          "--default-currency",
          "AUD"
        ]
        assert.strictEqual((yield* run(["organisation", "create", ...named], settings)).status, 0)
        const json = commandsOf("riverside", settings)
        const donor = yield* json("donor", "create", "--first-name", "Ada")
        const sandbox = commandsOf("riverside-sandbox", { ...settings, WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" })
        yield* sandbox("endpoint", "create", "--url", "http://127.0.0.1/", "--event-types", "donor.created")

        const script = commandsToRun(readFileSync(join(root, "docs/guides/backup.md"), "utf8"))
          .join("\n")
          .replaceAll("localhost:5432", `127.0.0.1:${server.port}`)
        const printed = yield* runShell(script, cwd, [bin, process.env["PATH"]].join(delimiter))
        assertInOrder(printed.out, prints)

        const restored = commandsOf("riverside", { ...settings, DATABASE_URL: address("almoner_restored") })
        assert.deepStrictEqual(yield* restored("donor", "show", donor.id), donor)
        const { data } = JSON.parse(readFileSync(join(cwd, "since.json"), "utf8"))
        assert.deepInclude(data[0], { type: "donor.created" })
      }),
    walkTimeout
  )
})
