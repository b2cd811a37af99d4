import type { PgClient } from "@effect/sql-pg"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as LocalRateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import * as RateLimiter from "../../src/adapters/postgres/access/RateLimiter.ts"
import { SchemaName } from "../../src/adapters/postgres/connection/SchemaName.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import * as Stores from "../../src/adapters/postgres/Stores.ts"
import { conformance, rateLimiter } from "../../src/testing/Conformance.ts"
import { cases } from "../support/Rounds.ts"
import { secretBox } from "./Seal.ts"

type Client = Layer.Layer<PgClient.PgClient | SqlClient.SqlClient>

/** A database, and the schema in which the tables are; one that takes one statement at a time is `serial`. */
interface Database {
  readonly name: string
  readonly client: Client
  readonly serial: boolean
  readonly schema?: string
}

export const conformanceOn = ({ client, name, schema, serial }: Database): void => {
  const inSchema = Layer.succeed(SchemaName, schema)
  const migrated = (own: Client) => Layer.provideMerge(Migrations.layer, Layer.merge(own, inSchema))
  const layer = Stores.layer.pipe(Layer.provide(secretBox), Layer.provideMerge(migrated(client)))
  conformance(name, { layer, serial, runs: cases(15) })
  rateLimiter(name, {
    layer: (size) => RateLimiter.layer.pipe(Layer.provide([LocalRateLimiter.layer({ size }), migrated(client)])),
    readsClock: false,
    runs: cases(5)
  })
}
