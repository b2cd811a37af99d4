import { randomBytes } from "node:crypto"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import pg from "pg"
import { inject } from "vitest"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"

/** Runs statements as the superuser on the server of this run, in a database of it. */
export const administer = async (statement: string, url = inject("postgresUrl")): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The address of a new copy of a database on the server of this run; it is dropped when the scope closes. */
export const copyOf = Effect.fnUntraced(function* (template: string) {
  const name = `test_${randomBytes(8).toString("hex")}`
  yield* Effect.acquireRelease(
    Effect.promise(() => administer(`CREATE DATABASE ${name} TEMPLATE ${template}`)),
    () => Effect.promise(() => administer(`DROP DATABASE ${name} WITH (FORCE)`))
  )
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${name}`
  return Redacted.make(url.href)
})

/** The address of a new, empty database on the server of this run; it is dropped when the scope closes. */
export const freshUrl: Effect.Effect<Redacted.Redacted<string>, never, Scope.Scope> = copyOf("template1")

/** The name of a new role that may log in, and has no other right; it is dropped when the scope closes. */
export const freshRole: Effect.Effect<string, never, Scope.Scope> = Effect.suspend(() => {
  const name = `role_${randomBytes(8).toString("hex")}`
  return Effect.acquireRelease(
    Effect.as(
      Effect.promise(() => administer(`CREATE ROLE ${name} LOGIN`)),
      name
    ),
    () => Effect.promise(() => administer(`DROP ROLE ${name}`))
  )
})

/** A client of a new, empty database on the server of this run. */
export const layerFresh: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> = Layer.unwrap(
  Effect.map(freshUrl, (url) => Client.layerServer({ url, max_connections: 8 }).pipe(Layer.orDie))
)
