import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as EmbeddedDatabase from "../../src/adapters/postgres/embedded/EmbeddedDatabase.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import { schemaText } from "../../src/printing/ReferenceSchema.ts"
import { root } from "../architecture/Checkout.ts"
import { layerFresh } from "../support/FreshDatabase.ts"

const kept = readFileSync(join(root, "docs/schema.sql"), "utf8")

const statements = kept.replaceAll(/^--.*$/gm, "").split(/;\n/)

const replayed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    statements.filter((each) => each.trim() !== ""),
    (each) => sql.unsafe(each)
  )
  return yield* schemaText
})

describe("docs/schema.sql", () => {
  for (const [name, database] of [
    ["the embedded database", EmbeddedDatabase.layerMemory],
    ["a server", layerFresh]
  ] as const) {
    it.live(`is what the migrations make of ${name}`, () =>
      Effect.gen(function* () {
        yield* Migrations.run
        assert.strictEqual(yield* schemaText, kept, 'docs/schema.sql is stale: run "npm run docs"')
      }).pipe(Effect.provide(Layer.fresh(database)))
    )
  }

  it.live("makes the schema that it tells, and tells what was changed", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* replayed, kept)
      const sql = yield* SqlClient.SqlClient
      for (const change of [
        sql`ALTER TABLE donors ADD COLUMN probe text`,
        sql`ALTER TABLE donors ADD CONSTRAINT probe CHECK (probe <> '')`,
        sql`CREATE INDEX donors_probe ON donors (probe)`,
        sql`CREATE VIEW probes AS SELECT probe FROM donors`
      ]) {
        const before = yield* schemaText
        yield* change
        assert.notStrictEqual(yield* schemaText, before)
      }
    }).pipe(Effect.provide(Layer.fresh(EmbeddedDatabase.layerMemory)))
  )
})
