import { Layer, Predicate, Redacted, Result } from "effect"
import * as Client from "../adapters/postgres/connection/Client.ts"
import { isSchemaName, SchemaName } from "../adapters/postgres/connection/SchemaName.ts"
import { readAddress } from "../adapters/postgres/connection/ServerAddress.ts"
import * as HostPool from "../adapters/postgres/host/HostPool.ts"
import { type HostClient, isHostClient, within } from "../adapters/postgres/host/HostPool.ts"
import { transactionClient } from "../adapters/postgres/host/TransactionClient.ts"
import * as Migrations from "../adapters/postgres/migrations/Migrations.ts"
import * as Stores from "../adapters/postgres/Stores.ts"
import * as InvalidOption from "../app/kernel/host/InvalidOption.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import type { Backend } from "./Backend.ts"

interface Common {
  /**
   * Whether the database is brought to this version's schema when it is opened. Defaults to true. With `false` opening
   * fails unless it has exactly that schema.
   */
  readonly migrate?: boolean | undefined
  /**
   * The schema of the database for all tables of Almoner, beside other schemas with tables of the same names: letters,
   * digits, `_` and `-`, at most 63, a letter or `_` first. It is made when it does not exist. When absent, the
   * sessions' `search_path` decides.
   */
  readonly schema?: string | undefined
}

/** A PostgreSQL server: connections of Almoner's own, or those of the host's pool of the driver `pg`. */
export type PostgresOptions =
  | (Common & {
      /**
       * `postgres://user:password@host:port/database`, with libpq's parameters (`sslmode`, …); over a Unix socket
       * `postgres://user@/database?host=/folder`.
       */
      readonly url: string
      /** Connections at most. Defaults to 10. */
      readonly maxConnections?: number | undefined
      /** How long opening waits for a server that does not listen yet, milliseconds. Defaults to 10 000. */
      readonly startWaitMillis?: number | undefined
    })
  | (Common & {
      /**
       * Sessions must have `DateStyle` ISO and, without `schema`, find Almoner's tables by their `search_path`; both
       * are PostgreSQL's defaults.
       */
      readonly pool: HostPool.HostPool
    })

const refuseSchema = (name: string): never => {
  throw new InvalidOption.InvalidOption(
    "schema",
    `The schema ${JSON.stringify(name)} cannot be used: its name must be letters, digits, _ and -, at most ${Limits.schemaNameCharacters}, a letter or _ first, and none of PostgreSQL's own.`
  )
}

const common: InvalidOption.OptionRules<Common> = {
  migrate: InvalidOption.aBoolean,
  schema: { holds: Predicate.isString, expected: "a name" }
}

const isPool = (value: unknown): boolean =>
  Predicate.hasProperty(value, "connect") && Predicate.isFunction(value.connect)

const ofPool = { pool: { holds: isPool, expected: "a pool of the driver pg", required: true }, ...common }

const ofUrl = {
  url: InvalidOption.aText(
    "postgres://user:password@host:port/database, or postgres://user@/database?host=/folder for a Unix socket",
    (text) => Result.isSuccess(readAddress(text))
  ),
  maxConnections: InvalidOption.aWholeNumber(1, Limits.poolConnections),
  startWaitMillis: InvalidOption.aWholeNumber(0, Limits.startWaitMillis),
  ...common
}

const wanted = "{ url } or { pool }"

const isOfPool = (options: PostgresOptions): options is Extract<PostgresOptions, { readonly pool: unknown }> =>
  Predicate.hasProperty(options, "pool") && options.pool !== undefined

const check = (options: PostgresOptions): void => {
  if (isOfPool(options) && Predicate.hasProperty(options, "url") && options.url !== undefined) {
    throw new InvalidOption.InvalidOption("url", `postgres takes ${wanted}, and not both.`)
  }
  const { pool, url } = { ...ofPool, ...ofUrl }
  const named = isOfPool(options)
    ? ofPool
    : { ...ofUrl, url: { ...url, required: true }, pool: { ...pool, required: false } }
  InvalidOption.checkOptions("postgres", named, options, wanted)
}

/** A pool has `query`, too, which runs each statement on whatever session is idle. */
const withinClient: typeof within = (client) => {
  if (isHostClient(client) && !Predicate.hasProperty(client, "idleCount")) return within(client)
  throw new InvalidOption.InvalidOption(
    "client",
    "almoner.within takes the client of the driver pg that your transaction is open on, which pool.connect() gives, and not the pool."
  )
}

const clientOf = (options: PostgresOptions) =>
  isOfPool(options)
    ? HostPool.layer(options.pool)
    : Client.layerServer({
        url: Redacted.make(options.url),
        ...(options.maxConnections === undefined ? {} : { max_connections: options.maxConnections }),
        ...(options.startWaitMillis === undefined ? {} : { start_wait: options.startWaitMillis })
      })

const migrateFirst = "Open it once without migrate: false, as a role that may change its tables."

/**
 * Records on a PostgreSQL server. `within` takes the host's open transaction as the client of the driver `pg` that it
 * is open on, connected to the same database, and throws {@link InvalidOption} for anything else, as for options that cannot be used.
 */
export const postgres = (options: PostgresOptions): Backend<HostClient> => {
  check(options)
  const { migrate = true, schema } = options
  if (schema !== undefined && !isSchemaName(schema)) return refuseSchema(schema)
  const client = clientOf(options)
  const migrated = Layer.provideMerge(migrate ? Migrations.layer : Migrations.layerCheckedFor(migrateFirst), client)
  return {
    name: "postgres",
    stores: Layer.provide(Stores.layer, migrated).pipe(Layer.provide(Layer.succeed(SchemaName, schema))),
    keys: { _tag: "Given" },
    isExclusive: false,
    transactionClient,
    within: withinClient
  }
}
