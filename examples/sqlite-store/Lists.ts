import { Cursor, type Listing, type Rejection } from "almoner/domain"
import { Effect } from "effect"
import type { Row, Sqlite, Statements, Value } from "./Sqlite.ts"

interface Part {
  readonly sql: string
  readonly values: ReadonlyArray<Value>
}

const comparisons = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

const valueOf = (value: Listing.Scalar): Value => (typeof value === "boolean" ? Number(value) : value)

/** The columns are those of the record's `ListSpec`: no request names one. */
const conditionOf = ({ column, operator, values: given }: Listing.Condition): Part => {
  const values = given.map(valueOf)
  const marks = values.map(() => "?").join(", ")
  if (operator === "in") return { sql: `${column} IN (${marks})`, values }
  if (operator === "not_in") return { sql: `(${column} IS NULL OR ${column} NOT IN (${marks}))`, values }
  return { sql: `${column} ${comparisons[operator]} ?`, values }
}

/** The place behind the cursor, or why there is none. */
const placeOf = (
  sql: Statements,
  table: string,
  organisation_id: string,
  query: Listing.ListQuery
): Part | Rejection.InvalidInput => {
  const { column, descending } = query.sort
  if (query.starting_after === null) return { sql: "TRUE", values: [] }
  const cursor = [organisation_id, query.starting_after]
  const isFound = (parts: ReadonlyArray<Part>): boolean => {
    const where = ["organisation_id = ?", "id = ?", ...parts.map((part) => part.sql)].join(" AND ")
    return (
      sql.all(`SELECT 1 FROM ${table} WHERE ${where}`, [...cursor, ...parts.flatMap((part) => part.values)]).length > 0
    )
  }
  if (!isFound([])) return Cursor.unknownCursor()
  if (!isFound(Cursor.cursorConditions(query).map(conditionOf))) return Cursor.movedCursor(query)
  return {
    sql: `(${column}, id) ${descending ? "<" : ">"} (SELECT ${column}, id FROM ${table} WHERE organisation_id = ? AND id = ?)`,
    values: cursor
  }
}

/** Lists the records of an archivable table as `Listing` of almoner defines. */
export const listFrom =
  <A>(sqlite: Sqlite["Service"], table: string, recordOf: (row: Row) => A) =>
  (organisation_id: string, query: Listing.ListQuery): Effect.Effect<Listing.Page<A>, Rejection.InvalidInput> =>
    Effect.flatMap(
      sqlite.use((sql) => {
        const place = placeOf(sql, table, organisation_id, query)
        if ("_tag" in place) return place
        const { column, descending } = query.sort
        const parts = [...query.conditions.map(conditionOf), place]
        const shown = query.archived ? "TRUE" : "archived_at IS NULL"
        const where = ["organisation_id = ?", shown, ...parts.map((part) => part.sql)].join(" AND ")
        const direction = descending ? "DESC" : "ASC"
        return sql.all(
          `SELECT * FROM ${table} WHERE ${where} ORDER BY ${column} ${direction}, id ${direction} LIMIT ?`,
          [organisation_id, ...parts.flatMap((part) => part.values), query.limit + 1]
        )
      }),
      (rows) =>
        "_tag" in rows
          ? Effect.fail(rows)
          : Effect.succeed({
              data: rows.slice(0, query.limit).map(recordOf),
              has_more: rows.length > query.limit
            })
    )
