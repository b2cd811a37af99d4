import { existsSync } from "node:fs"
import { access, constants, mkdir } from "node:fs/promises"
import { resolve } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, type Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { runFolder } from "../connection/SocketFolder.ts"
import {
  DatabaseMissing,
  type DataFolderLocked,
  type DataFolderUnusable,
  type Durability,
  unusable
} from "./DataFolder.ts"
import { client, layerOf } from "./EmbeddedClient.ts"
import { openFolder } from "./EmbeddedEngine.ts"
import { initialise } from "./EmbeddedInit.ts"
import { openMemory } from "./EmbeddedTemplate.ts"
import * as FolderLock from "./FolderLock.ts"
import { databaseFolder, hasDatabase, needsDatabase } from "./FolderLock.ts"

const checkpointEveryBytes = 64 * 1024 * 1024
const maintenanceInterval = Duration.seconds(15)

/**
 * One turn of the work that a server's checkpointer and autovacuum do. Inside a process there is neither, so that the
 * log (and the time of a recovery) and the dead rows would grow until the next start. The thresholds are the server's
 * defaults. Its counts end with the process: a table that grew before is told by its size.
 */
export const tidy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const checkpointDue = SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ due: Schema.Boolean }),
    execute: () =>
      sql`SELECT pg_current_wal_insert_lsn() - redo_lsn > ${checkpointEveryBytes} AS due FROM pg_control_checkpoint()`
  })
  const neglectedTables = SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({ name: Schema.String }),
    execute: () => sql`
      SELECT format('%I.%I', s.schemaname, s.relname) AS name
      FROM pg_stat_user_tables AS s JOIN pg_class AS t ON t.oid = s.relid
      WHERE s.n_dead_tup > 50 + 0.2 * s.n_live_tup
         OR s.n_ins_since_vacuum > 1000 + 0.2 * s.n_live_tup
         OR s.n_mod_since_analyze > 50 + 0.1 * s.n_live_tup
         OR pg_relation_size(s.relid) / current_setting('block_size')::int8 > 10 + 1.5 * t.relpages`
  })
  if ((yield* checkpointDue(undefined)).due) yield* sql`CHECKPOINT`
  for (const { name } of yield* neglectedTables(undefined)) yield* sql.unsafe(`VACUUM (ANALYZE) ${name}`)
})

/** Repeats {@link tidy} as long as the database is open; after a failure it is tried again at the next turn. */
const keepTidy = tidy.pipe(
  Effect.catchCause((cause) => Effect.logWarning("maintenance of the embedded database failed", loggedCause(cause))),
  Effect.delay(maintenanceInterval),
  Effect.forever
)

export type { Durability } from "./DataFolder.ts"
export { DatabaseMissing, DataFolderLocked, DataFolderUnusable } from "./DataFolder.ts"

/** The options of the embedded database. */
export interface Options {
  /** The folder of the service's data. It is made when missing, for its owner only. */
  readonly data_dir: string
  /** Defaults to `synced`. */
  readonly durability?: Durability
}

const reachable = (data_dir: string, prepare: () => Promise<unknown>) =>
  Effect.tryPromise({
    try: async () => {
      await prepare()
      await access(data_dir, constants.R_OK | constants.W_OK | constants.X_OK)
    },
    catch: unusable(data_dir)
  })

/** The database in a folder whose lock this process holds. */
const openHeld = Effect.fnUntraced(function* (data_dir: string, durability: Durability) {
  const opened = yield* client(() => openFolder(databaseFolder(data_dir), durability)).pipe(
    Effect.mapError(unusable(data_dir))
  )
  yield* keepTidy.pipe(Effect.provideService(SqlClient.SqlClient, opened), Effect.forkScoped)
  return opened
})

/** Whether somebody may have the folder open, or be making its database: every holder makes the run folder first. */
const mayBeHeld = (data_dir: string): boolean => existsSync(runFolder(data_dir))

const open = Effect.fnUntraced(function* (options: Options) {
  const data_dir = resolve(options.data_dir)
  const durability = options.durability ?? "synced"
  yield* reachable(data_dir, () => mkdir(data_dir, { recursive: true, mode: 0o700 }))
  // Before the lock, which writes: a folder that is refused is left as it is.
  if (!mayBeHeld(data_dir)) yield* needsDatabase(data_dir)
  yield* FolderLock.acquire(data_dir)
  yield* initialise(data_dir, { sync: durability === "synced" })
  return yield* openHeld(data_dir, durability)
})

const openExisting = Effect.fnUntraced(function* (options: Options) {
  const data_dir = resolve(options.data_dir)
  if (!mayBeHeld(data_dir) && !(yield* hasDatabase(data_dir))) return yield* new DatabaseMissing({ path: data_dir })
  yield* reachable(data_dir, () => Promise.resolve())
  yield* FolderLock.acquire(data_dir)
  if (!(yield* hasDatabase(data_dir))) return yield* new DatabaseMissing({ path: data_dir })
  return yield* openHeld(data_dir, options.durability ?? "synced")
})

/**
 * PostgreSQL inside this process, on a folder that it holds for itself. There is one connection: transactions take
 * turns, and nothing may `LISTEN`, because a listener would hold the connection for good.
 */
export const layer = (
  options: Options
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, DataFolderLocked | DataFolderUnusable> =>
  PgClient.layerFrom(open(options))

/** The same on a folder that has a database. Otherwise it fails with {@link DatabaseMissing}, and makes nothing. */
export const layerExisting = (
  options: Options
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, DatabaseMissing | DataFolderLocked | DataFolderUnusable> =>
  PgClient.layerFrom(openExisting(options))

/** An empty database in memory that is gone with the layer: for tests. */
export const layerMemory: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> = layerOf(openMemory)
