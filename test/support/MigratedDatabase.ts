import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { PgClient } from "@effect/sql-pg"
import type { PGlite } from "@electric-sql/pglite"
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { inject } from "vitest"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { layerOf } from "../../src/adapters/postgres/embedded/EmbeddedClient.ts"
import { openDump, openMemory } from "../../src/adapters/postgres/embedded/EmbeddedTemplate.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import { administer, copyOf } from "./FreshDatabase.ts"
import { oncePerRun } from "./OncePerRun.ts"

// To migrate a database costs more than most of what a test file does with it: one of each kind is migrated in a run, and
// copied.

/** Migrates, and does something while the database is open. */
const migrate = (client: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient>, then: () => Promise<void>) =>
  Layer.build(Migrations.layer.pipe(Layer.provide(client))).pipe(
    Effect.andThen(Effect.promise(then)),
    Effect.scoped,
    Effect.runPromise
  )

const makeDump = async (folder: string): Promise<void> => {
  const opened: Array<PGlite> = []
  const open = async () => {
    const database = await openMemory()
    opened.push(database)
    return database
  }
  await migrate(layerOf(open), async () => {
    for (const database of opened) {
      await database.exec("CHECKPOINT")
      const dump = await database.dumpDataDir("none")
      await writeFile(join(folder, "dump.tar"), Buffer.from(await dump.arrayBuffer()))
    }
  })
}

/** A database in this process, migrated and otherwise empty. */
export const layerEmbedded: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> = layerOf(async () => {
  const folder = await oncePerRun("migrated-dump", makeDump)
  return openDump(new Blob([await readFile(join(folder, "dump.tar"))]))
})

const template = "migrated"

const makeTemplate = async (): Promise<void> => {
  await administer(`DROP DATABASE IF EXISTS ${template}`)
  await administer(`CREATE DATABASE ${template}`)
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${template}`
  await migrate(Layer.orDie(Client.layerServer({ url: Redacted.make(url.href), max_connections: 1 })), () =>
    Promise.resolve()
  )
}

/** The address of a new database on the server of this run, migrated and otherwise empty. */
export const migratedUrl = Effect.andThen(
  Effect.promise(() => oncePerRun("migrated-template", makeTemplate)),
  copyOf(template)
)

/** A client of such a database. */
export const layerServer: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> = Layer.unwrap(
  Effect.map(migratedUrl, (url) => Client.layerServer({ url, max_connections: 8 }).pipe(Layer.orDie))
)
