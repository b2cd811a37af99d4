import { Layer, Redacted } from "effect"
import * as Client from "../adapters/postgres/Client.ts"
import { type HostClient, within } from "../adapters/postgres/HostConnection.ts"
import * as HostPool from "../adapters/postgres/HostPool.ts"
import * as Migrations from "../adapters/postgres/Migrations.ts"
import * as Stores from "../adapters/postgres/Stores.ts"
import type { Backend } from "./Backend.ts"

interface Common {
  /** Whether the database is brought to this version's schema when it is opened. Defaults to true. */
  readonly migrate?: boolean
}

/** A PostgreSQL server: connections of Almoner's own, or those of the host's pool of the driver `pg`. */
export type PostgresOptions =
  | (Common & {
      /** `postgres://user:password@host:port/database`, with libpq's parameters (`sslmode`, …). */
      readonly url: string
      /** Connections at most. Defaults to 10. */
      readonly maxConnections?: number
      /** How long opening waits for a server that does not listen yet, milliseconds. Defaults to 10 000. */
      readonly startWaitMillis?: number
    })
  | (Common & {
      /** Sessions must have `DateStyle` ISO and find Almoner's tables by their `search_path`, as is so by default. */
      readonly pool: HostPool.HostPool
    })

/**
 * Records on a PostgreSQL server. A host's open transaction is given to `within` as the client of the driver `pg` that it
 * is open on, connected to the same database.
 */
export const postgres = (options: PostgresOptions): Backend<HostClient> => {
  const client =
    "pool" in options
      ? HostPool.layer(options.pool)
      : Client.layerServer({
          url: Redacted.make(options.url),
          ...(options.maxConnections === undefined ? {} : { max_connections: options.maxConnections }),
          ...(options.startWaitMillis === undefined ? {} : { start_wait: options.startWaitMillis })
        })
  const migrated = options.migrate === false ? client : Layer.provideMerge(Migrations.layer, client)
  return {
    name: "postgres",
    stores: Layer.provide(Stores.layer, migrated),
    keys: { _tag: "Given" },
    isExclusive: false,
    within
  }
}
