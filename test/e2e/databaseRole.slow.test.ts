import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../architecture/Checkout.ts"
import { blocksOf } from "../docs/Markdown.ts"
import { folder } from "../support/Folder.ts"
import { administer } from "../support/FreshDatabase.ts"
import { postgresServer } from "../support/PostgresServer.ts"
import { freePort, run, serve, stop } from "./Almoner.ts"

const guide = readFileSync(join(root, "docs/guides/deploy.md"), "utf8")

/** The SQL of the guide, by what it makes first beside the role, with the database that the role is to use. */
const ways = [
  { name: "in a database of its own", makes: "CREATE DATABASE", database: "almoner" },
  { name: "in a schema of a database that others use", makes: "CREATE SCHEMA", database: "postgres" }
]

const keys = { ALMONER_ENCRYPTION_KEYS: `e2e:${Buffer.alloc(32, 7).toString("base64")}` }

describe("the role that the guide has", () => {
  it.live.each(ways)("serves $name, and no other role does", ({ database, makes }) =>
    Effect.gen(function* () {
      const server = yield* postgresServer()
      const [block = assert.fail(), ...others] = blocksOf(guide, "sql").filter((sql) => sql.includes(makes))
      assert.deepStrictEqual(others, [])
      for (const statement of block.split(/(?<=;)\n/)) {
        yield* Effect.promise(() => administer(statement, server.url))
      }
      const of = (role: string) => `postgres://${role}:secret@127.0.0.1:${server.port}/${database}`
      const env = { ...keys, DATABASE_URL: of("almoner"), DATA_DIR: yield* folder, PORT: `${yield* freePort}` }
      const served = yield* serve(env)
      const ready = yield* Effect.promise(() => fetch(`http://127.0.0.1:${env.PORT}/ready`))
      assert.strictEqual(ready.status, 200, yield* Effect.promise(() => ready.text()))
      const names = ["--slug", "riverside", "--name", "Riverside", "--timezone", "UTC", "--default-currency", "AUD"]
      assert.strictEqual((yield* run(["organisation", "create", ...names], env)).status, 0)
      yield* stop(served)

      yield* Effect.promise(() => administer("CREATE ROLE other LOGIN", server.url))
      const refused = yield* run(["migrate"], { ...env, DATABASE_URL: of("other") })
      assert.strictEqual(refused.status, 3)
      assert.match(
        refused.stderr,
        /^The database .*cannot be used: the role lacks a right: permission denied for [^\n]+\(42501\)\. Give [^\n]+\.\n$/
      )
    }).pipe(Effect.scoped)
  )
})
