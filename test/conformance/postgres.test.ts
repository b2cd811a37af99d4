import type { PgClient } from "@effect/sql-pg"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as LocalRateLimiter from "../../src/adapters/memory/RateLimiter.ts"
import * as Embedded from "../../src/adapters/postgres/Embedded.ts"
import * as Migrations from "../../src/adapters/postgres/Migrations.ts"
import * as RateLimiter from "../../src/adapters/postgres/RateLimiter.ts"
import * as Stores from "../../src/adapters/postgres/Stores.ts"
import { conformance, rateLimiter } from "../../src/testing/Conformance.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { secretBox } from "./Seal.ts"

type Client = Layer.Layer<PgClient.PgClient | SqlClient.SqlClient>

const migrated = (client: Client) => Layer.provideMerge(Migrations.layer, client)

const databases = [
  { name: "PostgreSQL, embedded", client: Embedded.layerMemory, serial: true },
  { name: "PostgreSQL, server", client: layerFresh, serial: false }
] as const

for (const { client, name, serial } of databases) {
  const database = migrated(client)
  const layer = Stores.layer.pipe(Layer.provide(secretBox), Layer.provideMerge(database))
  conformance(name, { layer, serial, runs: 15 })
  rateLimiter(name, {
    layer: (size) => RateLimiter.layer.pipe(Layer.provide([LocalRateLimiter.layer({ size }), migrated(client)])),
    readsClock: false,
    runs: 5
  })
}
