import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { cursorConditions, movedCursor, unknownCursor } from "../../../domain/kernel/Cursor.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import {
  type Condition,
  type ListQuery,
  type Page,
  type Scalar,
  unarchivedRule
} from "../../../domain/kernel/Listing.ts"
import type { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import type { Rows } from "./Rows.ts"
import { ruleOf } from "./Rows.ts"

/** The table of a list, and how its rows are read. */
export interface Source<A> {
  readonly rows: Rows<A>
  readonly table: string
  /** The column of the instant that hides a row for good, such as `deleted_at`. */
  readonly hiddenBy?: string
  /** Whether archived rows are left out unless they are asked for. */
  readonly archivable?: boolean
  /**
   * Values of columns that have a partial index: they are written into the statement as literals, so that the index is
   * always used.
   */
  readonly constants?: Readonly<Record<string, ReadonlyArray<Scalar>>>
  /** Columns of instants, each with the column that holds its calendar day, in some timezone. */
  readonly days?: Readonly<Record<string, string>>
}

type Expires = NonNullable<Condition["expires"]>

type List<A> = (
  organisation_id: OrganisationId,
  query: ListQuery,
  more?: ReadonlyArray<Fragment>
) => Effect.Effect<Page<A>, InvalidInput>

/** The two ways to ask for a page of a list. */
interface Lists<A> {
  readonly page: List<A>
  /** The page, if the first `rows` rows of the list fill it with more to come. `more` is checked for those alone. */
  readonly pageAmong: (
    rows: number,
    organisation_id: OrganisationId,
    query: ListQuery,
    more: ReadonlyArray<Fragment>
  ) => Effect.Effect<Option.Option<Page<A>>>
}

const arrayTypes = {
  text: "text[]",
  integer: "int8[]",
  boolean: "boolean[]",
  timestamp: "timestamptz[]",
  date: "date[]"
} as const

const comparisons = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

/** A value as a parameter. Integers travel as text: as numbers they would make a plan for each width. */
const parameter = (type: Condition["type"], value: Scalar): string | boolean | Date =>
  type === "timestamp" ? new Date(Number(value)) : typeof value === "number" ? `${value}` : value

const scalar = (sql: SqlClient.SqlClient, type: Condition["type"], value: Scalar): Fragment => {
  const sent = parameter(type, value)
  if (type === "integer") return sql`${sent}::int8`
  return type === "date" ? sql`${sent}::date` : sql`${sent}`
}

/** The condition that a record's time has run out, whether or not that is written. */
const ranOut = (sql: SqlClient.SqlClient, { at, when }: Expires): Fragment =>
  ruleOf(sql, Rule.at(when, instantAt(at)), "t")

/** The column, or for a status that expires, the status at the condition's instant. */
const columnOf = (sql: SqlClient.SqlClient, { column, expires }: Condition, alias = "t"): Fragment => {
  if (expires === undefined) return sql`${sql(`${alias}.${column}`)}`
  const expired = sql.and([sql`${sql(`t.${column}`)} = ANY(${[...expires.from]}::text[])`, ranOut(sql, expires)])
  return sql`CASE WHEN ${expired} THEN ${expires.to}::text ELSE ${sql(`t.${column}`)} END`
}

const comparison = <A>(sql: SqlClient.SqlClient, source: Source<A>, condition: Condition, alias = "t"): Fragment => {
  const { operator, type, values } = condition
  const column = columnOf(sql, condition, alias)
  if (operator === "in" || operator === "not_in") {
    const list = sql`${values.map((value) => parameter(type, value))}::${sql.literal(arrayTypes[type])}`
    // The planner expects coalesce to hold for many rows, and other ways of writing this for hardly any.
    return operator === "in" ? sql`${column} = ANY(${list})` : sql`coalesce(${column} <> ALL(${list}), TRUE)`
  }
  const [value] = values
  if (value === undefined) return sql`FALSE`
  if (typeof value === "boolean") return value ? sql`${column}` : sql`NOT ${column}`
  const constant = source.constants?.[condition.column]?.find((each) => each === value)
  return constant !== undefined && operator === "eq"
    ? sql`${column} = ${sql.literal(`'${constant}'`)}`
    : sql`${column} ${sql.literal(comparisons[operator])} ${scalar(sql, type, value)}`
}

/**
 * A comparison with a status that expires, written with the stored status, which is the one that indexes have. Coalesce
 * keeps the planner from wrong estimates, as in {@link comparison}.
 */
const derived = <A>(sql: SqlClient.SqlClient, source: Source<A>, expires: Expires, condition: Condition): Fragment => {
  const { expires: _, ...own } = condition
  const isStored = (operator: "eq" | "in", values: ReadonlyArray<Scalar>): Fragment =>
    comparison(sql, source, { ...own, operator, values })
  const { operator, values } = condition
  const [value] = values
  if (operator === "in") {
    const candidates = values.flatMap((each) => (each === expires.to ? [each, ...expires.from] : [each]))
    return sql.and([isStored("in", candidates), sql`coalesce(${comparison(sql, source, condition)}, FALSE)`])
  }
  if (operator !== "eq") return comparison(sql, source, condition)
  if (value === expires.to) {
    return sql.or([isStored("eq", values), sql.and([isStored("in", expires.from), ranOut(sql, expires)])])
  }
  return expires.from.some((each) => each === value)
    ? sql.and([isStored("eq", values), sql`NOT coalesce(${ranOut(sql, expires)}, FALSE)`])
    : isStored("eq", values)
}

/** A further condition where only the day beside an instant has an index: the days that the instants can be on. */
const dayOf = <A>(sql: SqlClient.SqlClient, source: Source<A>, condition: Condition): ReadonlyArray<Fragment> => {
  const day = source.days?.[condition.column]
  const isEqual = condition.operator === "eq" || condition.operator === "in"
  if (day === undefined || condition.type !== "timestamp" || !isEqual) return []
  const instants = condition.values.map(Number)
  const dateOf = (instant: number) => sql`(${new Date(instant)}::timestamptz AT TIME ZONE 'UTC')::date`
  const [first, last] = [dateOf(Math.min(...instants)), dateOf(Math.max(...instants))]
  return [sql`${sql(`t.${day}`)} BETWEEN ${first} - 1 AND ${last} + 1`]
}

const conditionOf = <A>(sql: SqlClient.SqlClient, source: Source<A>, condition: Condition): Fragment =>
  sql.and([
    condition.expires === undefined
      ? comparison(sql, source, condition)
      : derived(sql, source, condition.expires, condition),
    ...dayOf(sql, source, condition)
  ])

/** Few page sizes make few statements, and a literal size shows the planner that the page is short. */
const sizes = [11, 26, 51, 101] as const

const sizeFor = (limit: number): number => sizes.find((size) => size > limit) ?? limit + 1

/**
 * `IS NULL`, written so that the planner expects it to hold for nearly every row, as it does. Of `IS NULL` itself it
 * expects, before the first ANALYZE, that it holds for nearly none, and then sorts all rows for a page.
 */
const isNull = (sql: SqlClient.SqlClient, column: string): Fragment => sql`num_nonnulls(${sql(`t.${column}`)}) <> 1`

/** Lists rows of one organisation as `domain/kernel/Listing` defines, in the order of the sort column and the id. */
export const makeLists = <A>(sql: SqlClient.SqlClient, source: Source<A>): Lists<A> => {
  const table = sql(source.table)
  const columns = sql.literal(source.rows.columns("t"))
  const shown = source.hiddenBy === undefined ? [] : [isNull(sql, source.hiddenBy)]
  const isUnarchived = isNull(sql, unarchivedRule.column)

  const conditionsOfCursor = (query: ListQuery): ReadonlyArray<Fragment> =>
    cursorConditions(query).map((condition) => comparison(sql, source, condition, "c"))

  /** The rows after the cursor; none after an invalid one, of which {@link refuseCursor} finds the reason. */
  const after = (organisation_id: OrganisationId, query: ListQuery): ReadonlyArray<Fragment> => {
    if (query.starting_after === null) return []
    const column = query.sort.column
    const isCursor = sql.and([
      sql`c.organisation_id = ${organisation_id}`,
      sql`c.id = ${query.starting_after}`,
      ...conditionsOfCursor(query)
    ])
    return [
      sql`(${sql(`t.${column}`)}, t.id) ${sql.literal(query.sort.descending ? "<" : ">")} (
        SELECT ${sql(`c.${column}`)}, c.id FROM ${table} AS c WHERE ${isCursor})`
    ]
  }

  const refuseCursor = Effect.fnUntraced(function* (organisation_id: OrganisationId, query: ListQuery) {
    const isWithin = sql.and([sql`TRUE`, ...conditionsOfCursor(query)])
    const found = yield* Effect.orDie(
      sql<{ readonly is_within: boolean | null }>`
        SELECT ${isWithin} AS is_within FROM ${table} AS c
        WHERE c.organisation_id = ${organisation_id} AND c.id = ${query.starting_after}`
    )
    for (const { is_within } of found) if (is_within !== true) return yield* movedCursor(query)
    if (found.length === 0) return yield* unknownCursor()
  })

  const conditionsOf = (organisation_id: OrganisationId, query: ListQuery): ReadonlyArray<Fragment> => [
    sql`t.organisation_id = ${organisation_id}`,
    ...shown,
    ...(source.archivable === true && !query.archived ? [isUnarchived] : []),
    ...query.conditions.map((condition) => conditionOf(sql, source, condition))
  ]

  const ordered = ({ sort }: ListQuery, limit: number): Fragment => {
    const direction = sql.literal(sort.descending ? "DESC" : "ASC")
    return sql`ORDER BY ${sql(`t.${sort.column}`)} ${direction}, t.id ${direction} LIMIT ${sql.literal(`${limit}`)}`
  }

  const pageOf = (query: ListQuery, found: ReadonlyArray<A>): Page<A> => ({
    data: found.slice(0, query.limit),
    has_more: found.length > query.limit
  })

  const page: List<A> = Effect.fnUntraced(function* (organisation_id, query, more = []) {
    const where = sql.and([...conditionsOf(organisation_id, query), ...more, ...after(organisation_id, query)])
    const statement = sql`
      SELECT ${columns} FROM ${table} AS t WHERE ${where} ${ordered(query, sizeFor(query.limit))}`
    // The frequency of a word decides the plan, so that it is made anew for each search.
    const found = yield* source.rows.all(more.length > 0 ? statement.unprepared : statement)
    if (found.length === 0 && query.starting_after !== null) {
      yield* refuseCursor(organisation_id, query)
    }
    return pageOf(query, found)
  })

  const pageAmong: Lists<A>["pageAmong"] = (rows, organisation_id, query, more) => {
    const first = sql.and([...conditionsOf(organisation_id, query), ...after(organisation_id, query)])
    const statement = sql`
      SELECT ${columns} FROM (SELECT t.* FROM ${table} AS t WHERE ${first} ${ordered(query, rows)}) AS t
      WHERE ${sql.and([sql`t.organisation_id = ${organisation_id}`, ...more])} ${ordered(query, sizeFor(query.limit))}`
    return Effect.map(source.rows.all(statement.unprepared), (found) =>
      found.length > query.limit ? Option.some(pageOf(query, found)) : Option.none()
    )
  }

  return { page, pageAmong }
}

/** {@link makeLists}, for stores that need the page only. */
export const makeList = <A>(sql: SqlClient.SqlClient, source: Source<A>): List<A> => makeLists(sql, source).page
