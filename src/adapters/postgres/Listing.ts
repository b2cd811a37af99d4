import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { OrganisationId } from "../../domain/Ids.ts"
import type { Condition, ListQuery, Page, Scalar } from "../../domain/Listing.ts"
import { InvalidInput } from "../../domain/Rejection.ts"
import type { Rows } from "./Rows.ts"

/** What a list reads. */
export interface Source<A> {
  readonly rows: Rows<A>
  readonly table: string
  /** The instant that hides a row for good. */
  readonly hiddenBy?: string
  /** Whether archived rows are left out unless they are asked for. */
  readonly archivable?: boolean
  /** Values of columns that an index is made for: they are written into the statement, so that it is always found. */
  readonly constants?: Readonly<Record<string, ReadonlyArray<Scalar>>>
}

type List<A> = (
  organisation_id: OrganisationId,
  query: ListQuery,
  more?: ReadonlyArray<Fragment>
) => Effect.Effect<Page<A>, InvalidInput>

const arrayTypes = {
  text: "text[]",
  integer: "int8[]",
  boolean: "boolean[]",
  timestamp: "timestamptz[]",
  date: "date[]"
} as const

const comparisons = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

/** Integers travel as text: as numbers they would make a plan for each width. */
const parameter = (type: Condition["type"], value: Scalar): string | boolean | Date =>
  type === "timestamp" ? new Date(Number(value)) : typeof value === "number" ? `${value}` : value

const scalar = (sql: SqlClient.SqlClient, type: Condition["type"], value: Scalar): Fragment => {
  const sent = parameter(type, value)
  if (type === "integer") return sql`${sent}::int8`
  return type === "date" ? sql`${sent}::date` : sql`${sent}`
}

const conditionOf = <A>(sql: SqlClient.SqlClient, source: Source<A>, condition: Condition): Fragment => {
  const { operator, type, values } = condition
  const column = sql(`t.${condition.column}`)
  if (operator === "in" || operator === "not_in") {
    const list = sql`${values.map((value) => parameter(type, value))}::${sql.literal(arrayTypes[type])}`
    return operator === "in" ? sql`${column} = ANY(${list})` : sql`(${column} <> ALL(${list})) IS NOT FALSE`
  }
  const [value] = values
  if (value === undefined) return sql`FALSE`
  if (typeof value === "boolean") return value ? sql`${column}` : sql`NOT ${column}`
  const constant = source.constants?.[condition.column]?.find((each) => each === value)
  return constant !== undefined && operator === "eq"
    ? sql`${column} = ${sql.literal(`'${constant}'`)}`
    : sql`${column} ${sql.literal(comparisons[operator])} ${scalar(sql, type, value)}`
}

/** Few sizes make few statements, and a size that is written out lets the planner see that the page is short. */
const sizes = [11, 26, 51, 101] as const

const sizeFor = (limit: number): number => sizes.find((size) => size > limit) ?? limit + 1

/**
 * `IS NULL`, in words of which the planner thinks that they hold for nearly every row, as these do. Of `IS NULL` it thinks,
 * before the first ANALYZE, that it holds for nearly none, and then sorts all rows for a page.
 */
const isNull = (sql: SqlClient.SqlClient, column: string): Fragment => sql`num_nonnulls(${sql(`t.${column}`)}) <> 1`

/** Lists rows of one organisation as `domain/Listing` defines, in the order of the sort column and the id. */
export const makeList = <A>(sql: SqlClient.SqlClient, source: Source<A>): List<A> => {
  const table = sql(source.table)
  const columns = sql.literal(source.rows.columns("t"))
  const shown = source.hiddenBy === undefined ? [] : [isNull(sql, source.hiddenBy)]
  const unarchived = isNull(sql, "archived_at")

  const after = (organisation_id: OrganisationId, query: ListQuery): ReadonlyArray<Fragment> => {
    if (query.starting_after === null) return []
    const column = query.sort.column
    return [
      sql`(${sql(`t.${column}`)}, t.id) ${sql.literal(query.sort.descending ? "<" : ">")} (
        SELECT ${sql(`c.${column}`)}, c.id FROM ${table} AS c
        WHERE c.organisation_id = ${organisation_id} AND c.id = ${query.starting_after})`
    ]
  }

  const refuseUnknownCursor = Effect.fnUntraced(function* (organisation_id: OrganisationId, cursor: string) {
    const found = yield* Effect.orDie(
      sql`SELECT 1 AS found FROM ${table} AS t WHERE t.organisation_id = ${organisation_id} AND t.id = ${cursor}`
    )
    if (found.length > 0) return
    return yield* new InvalidInput({ param: "starting_after", message: "starting_after names no record of this list." })
  })

  return Effect.fnUntraced(function* (organisation_id, query, more = []) {
    const where = sql.and([
      sql`t.organisation_id = ${organisation_id}`,
      ...shown,
      ...(source.archivable === true && !query.archived ? [unarchived] : []),
      ...query.conditions.map((condition) => conditionOf(sql, source, condition)),
      ...more,
      ...after(organisation_id, query)
    ])
    const direction = sql.literal(query.sort.descending ? "DESC" : "ASC")
    const statement = sql`
      SELECT ${columns} FROM ${table} AS t WHERE ${where}
      ORDER BY ${sql(`t.${query.sort.column}`)} ${direction}, t.id ${direction}
      LIMIT ${sql.literal(`${sizeFor(query.limit)}`)}`
    // How often a word occurs decides the plan: it is made for each search anew.
    const found = yield* source.rows.all(more.length > 0 ? statement.unprepared : statement)
    if (found.length === 0 && query.starting_after !== null) {
      yield* refuseUnknownCursor(organisation_id, query.starting_after)
    }
    return { data: found.slice(0, query.limit), has_more: found.length > query.limit }
  })
}
