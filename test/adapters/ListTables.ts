import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OrganisationId } from "../../src/domain/kernel/Ids.ts"

/** Rows of each table of the large tenant. */
export const rowCount = 6_000

interface Column {
  readonly table_name: string
  readonly column_name: string
  readonly data_type: string
  readonly is_nullable: "YES" | "NO"
  readonly is_unique: boolean
}

/** The values of columns that take only some, the most frequent first. */
export type Choices = Readonly<Record<string, ReadonlyArray<string>>>

const chosen = ([first = "", ...rest]: ReadonlyArray<string>): string =>
  rest.length === 0
    ? `'${first}'`
    : `CASE WHEN g % 50 = 0 THEN (ARRAY['${rest.join("', '")}'])[1 + g / 50 % ${rest.length}] ELSE '${first}' END`

/** Values as tenants have them: few statuses and currencies, many ids, and what is optional is mostly missing. */
const valueOf = ({ column_name, data_type, is_nullable, is_unique }: Column, choices: Choices): string => {
  const choice = choices[column_name]
  if (choice !== undefined) return chosen(choice)
  const rare = (value: string) =>
    is_nullable === "YES" && !is_unique ? `CASE WHEN g % 50 = 0 THEN ${value} END` : value
  switch (data_type) {
    case "boolean":
      return "g % 50 = 0"
    case "integer":
    case "bigint":
      return rare("1 + g % 3000")
    case "date":
      return rare("now()::date - g % 365")
    case "jsonb":
      return "'[]'::jsonb"
    case "ARRAY":
      return "'{}'"
    case "timestamp with time zone":
      return column_name === "created_at"
        ? "now() - g * interval '1 minute'"
        : rare("now() - g % 900 * interval '1 day'")
    default:
      if (is_unique) return `'${column_name}' || lpad(g::text, 6, '0')`
      return rare(`'${column_name}' || g % ${column_name.endsWith("_id") || column_name.endsWith("_key") ? 400 : 4}`)
  }
}

const columnsOf = (table: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Column>`
      SELECT c.table_name::text, c.column_name::text, c.data_type::text, c.is_nullable::text,
        EXISTS (
          SELECT 1 FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
          WHERE i.indrelid = c.table_name::regclass AND i.indisunique AND a.attname = c.column_name
        ) AS is_unique
      FROM information_schema.columns AS c
      WHERE c.table_schema = 'public' AND c.table_name = ${table} AND c.column_name <> 'organisation_id'
        AND c.is_generated = 'NEVER'`
  )

/** Fills a table with rows of one tenant, whatever they refer to. */
const fill = Effect.fnUntraced(function* (organisation_id: OrganisationId, table: string, choices: Choices) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* columnsOf(table)
  yield* sql`
    INSERT INTO ${sql(table)} (organisation_id, ${sql.literal(columns.map(({ column_name }) => column_name).join(", "))})
    SELECT ${organisation_id}, ${sql.literal(columns.map((column) => valueOf(column, choices)).join(", "))}
    FROM generate_series(1, ${sql.literal(`${rowCount}`)}) AS g`
})

/** Fills tables, each with its choices, with rows of one tenant that has nothing else, and counts what is in them. */
export const fillAll = (organisation_id: OrganisationId, tables: ReadonlyMap<string, Choices>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(
      Effect.gen(function* () {
        // Foreign keys are not checked.
        yield* sql`SET LOCAL session_replication_role = replica`
        for (const [table, choices] of tables) yield* fill(organisation_id, table, choices)
      })
    )
    yield* sql`ANALYZE`
  })

/** An index: the columns that it is sorted by, and the condition of its rows. */
export interface Index {
  readonly columns: ReadonlyArray<string>
  readonly condition: string | null
}

export const indexesOf = (table: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Index>`
      SELECT ARRAY(
          SELECT pg_get_indexdef(i.indexrelid, n, true) FROM generate_series(1, i.indnkeyatts) AS n ORDER BY n
        ) AS columns,
        pg_get_expr(i.indpred, i.indrelid) AS condition
      FROM pg_index AS i WHERE i.indrelid = ${table}::regclass`
  )
