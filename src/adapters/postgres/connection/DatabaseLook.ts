import { Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { DatabaseUnusable, troubleWithCode } from "../../../ports/kernel/DatabaseTrouble.ts"
import { type Finding, findingsOf } from "../../../ports/kernel/Finding.ts"

/** The database as the role that asks has it. */
const Facts = Schema.Struct({
  version: Schema.String,
  role: Schema.String,
  is_read_only: Schema.Boolean,
  /** Almoner's tables that the role may not read and write, comma-separated. */
  closed_tables: Schema.String,
  /** Tables where none is Almoner's, comma-separated. */
  foreign_tables: Schema.String,
  milliseconds: Schema.Number
})

const readFacts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  SqlSchema.findOne({
    Request: Schema.Void,
    Result: Facts,
    execute: () => sql`
      WITH ours AS (
        SELECT c.relowner FROM pg_class AS c WHERE c.oid = to_regclass('almoner_migrations')
      ), tables AS (
        SELECT c.oid, c.relname, c.relowner FROM pg_class AS c
        WHERE c.relkind IN ('r', 'p') AND c.relnamespace = to_regnamespace(current_schema()::text)
      )
      SELECT
        current_setting('server_version') AS version,
        current_user::text AS role,
        current_setting('transaction_read_only') = 'on' AS is_read_only,
        coalesce((
          SELECT string_agg(t.relname, ', ' ORDER BY t.relname) FROM tables AS t, ours AS o
          WHERE t.relowner = o.relowner AND NOT (
            has_table_privilege(t.oid, 'SELECT') AND has_table_privilege(t.oid, 'INSERT')
            AND has_table_privilege(t.oid, 'UPDATE') AND has_table_privilege(t.oid, 'DELETE'))
        ), '') AS closed_tables,
        coalesce((
          SELECT string_agg(t.relname, ', ' ORDER BY t.relname) FROM tables AS t WHERE NOT EXISTS (SELECT 1 FROM ours)
        ), '') AS foreign_tables,
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS milliseconds`
  })(undefined)
)

const database = findingsOf("database")
const clock = findingsOf("clock")

/** What is said of this machine's clock beside the database's. */
export const clockFinding = (milliseconds: number, theirs: number): Finding => {
  const seconds = Math.round(Math.abs(milliseconds - theirs) / 1000)
  if (seconds < Limits.clockDifferenceSeconds) {
    return clock.ok(`within ${Limits.clockDifferenceSeconds} s of the database's`)
  }
  const where = milliseconds > theirs ? "ahead of" : "behind"
  const message = `This machine's clock is ${seconds} s ${where} that of the database. Have both follow a time server.`
  return seconds < Limits.noticeToleranceSeconds
    ? clock.warning(message)
    : clock.away(`${message} Signatures whose time differs by ${Limits.noticeToleranceSeconds} s are refused.`)
}

/** A list of tables in a sentence, of which a few stand for all. */
const some = (list: string): string => {
  const names = list.split(", ")
  return names.length <= 6 ? list : `${names.slice(0, 5).join(", ")} and ${names.length - 5} others`
}

/** What keeps a server from working here, though the database answers. */
const troubleOfFacts = ({ closed_tables, is_read_only }: typeof Facts.Type) => {
  if (is_read_only) return troubleWithCode("25006")
  return closed_tables === "" ? undefined : troubleWithCode("42501", `it may not write ${some(closed_tables)}`)
}

/** Looks at what a database allows, before anything is written to it: writes, rights, tables, and its clock. */
export const lookAtDatabase = Effect.gen(function* () {
  const facts = yield* readFacts
  const now = (yield* realNow).epochMilliseconds
  const trouble = troubleOfFacts(facts)
  const { foreign_tables, role, version } = facts
  const found: ReadonlyArray<Finding> = [
    trouble === undefined
      ? database.ok(`PostgreSQL ${version}, as the role ${role}`)
      : database.wrong(new DatabaseUnusable(trouble).message),
    ...(foreign_tables === ""
      ? []
      : [
          database.warning(
            `The database has tables of another program (${some(foreign_tables)}). Give Almoner a database, or a schema, of its own: where names are the same, its tables cannot be made.`
          )
        ]),
    clockFinding(now, facts.milliseconds)
  ]
  return { trouble, found }
})

/** Looks when the layer is built: what is wrong fails it, and what somebody should know is logged. */
export const layerFit: Layer.Layer<never, DatabaseUnusable, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { found, trouble } = yield* Effect.orDie(lookAtDatabase)
    if (trouble !== undefined) return yield* new DatabaseUnusable(trouble)
    for (const { message, state } of found) if (state !== "ok") yield* Effect.logWarning(message)
  })
)
