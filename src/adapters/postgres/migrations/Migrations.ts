import { Context, Duration, Effect, Layer, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { DatabaseUnusable, troubleFields, troubleOfCause } from "../../../ports/kernel/DatabaseTrouble.ts"
import { nameIn, SchemaName } from "../connection/SchemaName.ts"
import { StatementDeadline } from "../connection/Session.ts"
import { organisations } from "./0001_organisations.ts"
import { donors } from "./0002_donors.ts"
import { donations } from "./0003_donations.ts"
import { webhooks } from "./0004_webhooks.ts"
import { contactLogs } from "./0005_contact_logs.ts"
import { donationForms } from "./0006_forms.ts"
import { recipientAccounts } from "./0007_recipient_accounts.ts"
import { recommendationSets } from "./0008_recommendation_sets.ts"
import { introductions } from "./0009_introductions.ts"
import { intelligence } from "./0010_intelligence.ts"
import { sweeping } from "./0011_sweeping.ts"
import { listIndexes } from "./0012_list_indexes.ts"
import { mailRecipients } from "./0013_mail_recipients.ts"
import { mailBudgets } from "./0014_mail_budgets.ts"
import { deliveryLeases } from "./0015_delivery_leases.ts"
import { donorWords } from "./0016_donor_words.ts"
import { records } from "./0017_records.ts"
import { replays } from "./0019_replays.ts"
import { newestKeys } from "./0020_newest_keys.ts"
import { eventConsumers } from "./0021_event_consumers.ts"
import { charges } from "./0023_charges.ts"
import { testBank } from "./0024_test_bank.ts"
import { notices } from "./0025_notices.ts"
import { credits } from "./0026_credits.ts"
import { checkouts } from "./0027_checkouts.ts"
import { reconciliation } from "./0028_reconciliation.ts"
import { migrations0029 } from "./0029_to_0047.ts"
import { subscriptions } from "./0030_subscriptions.ts"
import { transferAttempts } from "./0031_transfer_attempts.ts"
import { mailboxes } from "./0036_mailboxes.ts"
import { migrations0048 } from "./0048_to_0068.ts"
import { olderPayerNames } from "./0052_older_payer_names.ts"
import { payerAddresses } from "./0069_payer_addresses.ts"

/** The database was migrated by a newer version of the program, which this one must not write to. */
export class DatabaseNewer extends Schema.TaggedError<DatabaseNewer>()("DatabaseNewer", {
  /** The newest migration that the database has. */
  found: Schema.Int,
  /** The newest one that this program knows. */
  known: Schema.Int
}) {
  override get message(): string {
    return `The database has migration ${this.found}, and this version of Almoner knows ${this.known} only. Use the newer version.`
  }
}

/** The database is not migrated to this program's schema, and was not asked to be. */
export class DatabaseNotMigrated extends Schema.TaggedError<DatabaseNotMigrated>()("DatabaseNotMigrated", {
  /** The newest migration that the database has; null where it has none of Almoner's tables. */
  found: Schema.NullOr(Schema.Int),
  known: Schema.Int,
  remedy: troubleFields.remedy
}) {
  override get message(): string {
    const state =
      this.found === null
        ? "The database has no tables of Almoner"
        : `The database has migration ${this.found}, and this version of Almoner needs ${this.known}`
    return `${state}. ${this.remedy}`
  }
}

const migrations = {
  "0001_organisations": organisations,
  "0002_donors": donors,
  "0003_donations": donations,
  "0004_webhooks": webhooks,
  "0005_contact_logs": contactLogs,
  "0006_forms": donationForms,
  "0007_recipient_accounts": recipientAccounts,
  "0008_recommendation_sets": recommendationSets,
  "0009_introductions": introductions,
  "0010_intelligence": intelligence,
  "0011_sweeping": sweeping,
  "0012_list_indexes": listIndexes,
  "0013_mail_recipients": mailRecipients,
  "0014_mail_budgets": mailBudgets,
  "0015_delivery_leases": deliveryLeases,
  "0016_donor_words": donorWords,
  "0017_records": records,
  "0019_replays": replays,
  "0020_newest_keys": newestKeys,
  "0021_event_consumers": eventConsumers,
  "0023_charges": charges,
  "0024_test_bank": testBank,
  "0025_notices": notices,
  "0026_credits": credits,
  "0027_checkouts": checkouts,
  "0028_reconciliation": reconciliation,
  "0030_subscriptions": subscriptions,
  "0031_transfer_attempts": transferAttempts,
  ...migrations0029,
  "0036_mailboxes": mailboxes,
  ...migrations0048,
  "0052_older_payer_names": olderPayerNames,
  "0069_payer_addresses": payerAddresses
}

const table = "almoner_migrations"

/** The last migration of this program. */
export const newestMigration = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/** The number of the advisory lock: arbitrary, and used by no other program on the database. */
const lock = 5_071_828_374

/**
 * The longest that a statement of a migration, or the wait for another program's, may take before the server is taken
 * as gone.
 */
const deadline = Duration.hours(1)

const hold = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const schema = yield* SchemaName
  if (schema === undefined) yield* sql`SELECT pg_advisory_xact_lock(${lock}::int8)`
  else yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${nameIn(schema, "almoner migrations")}, 0))`
})

/** Makes the schema where it is missing, and confines the transaction to it: tables are made and found there only. */
const enterSchema = Effect.gen(function* () {
  const schema = yield* SchemaName
  if (schema === undefined) return
  const sql = yield* SqlClient.SqlClient
  // Making a schema needs a right that a role need not have where the schema exists already.
  const found = yield* sql`SELECT 1 FROM pg_namespace AS n WHERE n.nspname = ${schema}::text`
  if (found.length === 0) yield* sql`CREATE SCHEMA ${sql(schema)}`
  yield* sql`SET LOCAL search_path TO ${sql(schema)}`
})

/** The newest migration that the database has; null where it has none. Fails when this program does not know it. */
const newest = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`SELECT 1 WHERE to_regclass(${table}::text) IS NOT NULL`
  if (tables.length === 0) return null
  const [row] = yield* sql<{ readonly migration_id: number }>`
    SELECT migration_id FROM ${sql(table)} ORDER BY migration_id DESC LIMIT 1`
  const found = row?.migration_id ?? null
  return found !== null && found > newestMigration ? yield* new DatabaseNewer({ found, known: newestMigration }) : found
})

/** As the migrator has it, which after a refusal would look again in a transaction that has failed. */
const makeTable = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    CREATE TABLE IF NOT EXISTS ${sql(table)} (
      migration_id integer PRIMARY KEY,
      created_at timestamptz NOT NULL DEFAULT now(),
      name text NOT NULL
    )`
)

/** Turns what the operator can mend into {@link DatabaseUnusable}. */
const usable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseUnusable, R> =>
  Effect.catchCause(effect, (cause): Effect.Effect<never, E | DatabaseUnusable> => {
    const trouble = troubleOfCause(cause)
    return trouble === undefined ? Effect.failCause(cause) : Effect.fail(new DatabaseUnusable(trouble))
  })

/**
 * Brings the database, or the one schema of {@link SchemaName} in it, to this program's schema, and returns the
 * migrations that ran: none when there was nothing to do. Programs that start at the same time wait for each other.
 * Everything is one transaction.
 */
export const run: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  DatabaseNewer | DatabaseUnusable,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      // What the program that was first made is seen after the wait for it.
      yield* sql`SET TRANSACTION ISOLATION LEVEL READ COMMITTED`
      // Another program's migration may take longer than any statement of the service.
      yield* sql`SET LOCAL lock_timeout = 0`
      yield* sql`SET LOCAL statement_timeout = 0`
      yield* hold
      yield* enterSchema
      if ((yield* newest) === null) yield* makeTable
      return yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })
    })
  )
}).pipe(
  Effect.provideService(StatementDeadline, deadline),
  usable,
  Effect.catchTags({ SqlError: Effect.die, MigrationError: Effect.die })
)

/** The names of the migrations that this process ran. */
export class RanMigrations extends Context.Service<RanMigrations, ReadonlyArray<string>>()(
  "almoner/postgres/RanMigrations"
) {}

/** Migrates when the layer is built. */
export const layer: Layer.Layer<RanMigrations, DatabaseNewer | DatabaseUnusable, SqlClient.SqlClient> = Layer.effect(
  RanMigrations,
  Effect.map(run, (migrations) => migrations.map(([, name]) => name))
)

const commandFirst = "Start the server on it, or run almoner migrate."

const checkFor = (
  remedy: string
): Effect.Effect<void, DatabaseNewer | DatabaseNotMigrated | DatabaseUnusable, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const schema = yield* SchemaName
    const found = yield* schema === undefined
      ? newest
      : sql.withTransaction(Effect.andThen(sql`SET LOCAL search_path TO ${sql(schema)}`, newest))
    if (found !== newestMigration) yield* new DatabaseNotMigrated({ found, known: newestMigration, remedy })
  }).pipe(usable, Effect.catchTags({ SqlError: Effect.die }))

/** Fails unless the database, or the schema of {@link SchemaName} in it, has exactly this program's tables. It changes nothing. */
export const check = checkFor(commandFirst)

/** Checks when the layer is built, and runs none. `remedy` says what to do where the tables are older, or missing. */
export const layerCheckedFor = (remedy: string) => Layer.effect(RanMigrations, Effect.as(checkFor(remedy), []))

/** {@link layerCheckedFor} a command. */
export const layerChecked: Layer.Layer<
  RanMigrations,
  DatabaseNewer | DatabaseNotMigrated | DatabaseUnusable,
  SqlClient.SqlClient
> = layerCheckedFor(commandFirst)
