import { Effect, Option } from "effect"
import { scalarOf } from "../../domain/kernel/Comparison.ts"
import { cursorConditions, movedCursor, unknownCursor } from "../../domain/kernel/Cursor.ts"
import {
  type Condition,
  comparedValue,
  type ListQuery,
  type Page,
  passes,
  type Scalar,
  unarchivedRule
} from "../../domain/kernel/Listing.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import * as Rule from "../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import { get, records, type State, type Table, where } from "./State.ts"

export interface ListSource<A> {
  readonly table: (state: State) => Table<A>
  /** The columns that are filtered and sorted by: the record's own where this is left out. */
  readonly columns?: (record: A) => object
  /** Records that no list shows, whatever the query. */
  readonly hidden?: (record: A) => boolean
  /** Whether archived records are left out unless they are asked for. */
  readonly archivable?: boolean
  readonly words?: (record: A) => ReadonlyArray<string>
}

interface Row<A> {
  readonly id: string
  readonly record: A
  readonly columns: ReadonlyMap<string, unknown>
}

const column = (row: Row<unknown>, name: string): Scalar | null => scalarOf(row.columns.get(name))

const compareScalars = (a: Scalar | null, b: Scalar | null): number => {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  return typeof a === "string" && typeof b === "string" ? compareCodePoints(a, b) : Number(a) - Number(b)
}

/** The order of a list: by the sort column, then by id, both in the sort's direction. */
const order =
  ({ sort }: ListQuery) =>
  (a: Row<unknown>, b: Row<unknown>): number => {
    const upward = compareScalars(column(a, sort.column), column(b, sort.column)) || compareCodePoints(a.id, b.id)
    return sort.descending ? -upward : upward
  }

const hasWords = (words: ReadonlyArray<string>, query: ListQuery): boolean =>
  query.words.every((wanted) => words.some((word) => word.startsWith(wanted)))

const isUnarchived = (row: Row<unknown>): boolean => Rule.meets(unarchivedRule, (name) => row.columns.get(name))

const meets = (conditions: ReadonlyArray<Condition>, row: Row<unknown>): boolean =>
  conditions.every((condition) =>
    passes(
      condition,
      comparedValue(condition, (name) => column(row, name))
    )
  )

const membersOf = (state: State, organisation_id: string, slug: string): ReadonlySet<string> | undefined => {
  for (const { members, segment } of records(state.segments, organisation_id)) {
    if (segment.slug === slug) return members
  }
  return undefined
}

/** A page of a list, as `domain/kernel/Listing` defines it. */
export const page = <A extends { readonly id: string }>(
  listed: ListSource<A>,
  state: State,
  organisation_id: string,
  query: ListQuery
): Effect.Effect<Page<A>, InvalidInput> => {
  const rowOf = (record: A): Row<A> => ({
    id: record.id,
    record,
    columns: new Map(Object.entries(listed.columns?.(record) ?? record))
  })
  const table = listed.table(state)
  const cursor = query.starting_after === null ? null : get(table, organisation_id, query.starting_after)
  if (cursor !== null && Option.isNone(cursor)) return Effect.fail(unknownCursor())
  const ids = query.segment === null ? null : membersOf(state, organisation_id, query.segment)
  if (ids === undefined) {
    return Effect.fail(new InvalidInput({ param: "segment", message: "segment names no segment." }))
  }
  const after = cursor === null ? null : rowOf(cursor.value)
  if (after !== null && !meets(cursorConditions(query), after)) return Effect.fail(movedCursor(query))
  const compare = order(query)
  const rows = where(
    table,
    organisation_id,
    (record) =>
      listed.hidden?.(record) !== true &&
      (ids === null || ids.has(record.id)) &&
      (query.words.length === 0 || hasWords(listed.words?.(record) ?? [], query))
  )
    .map(rowOf)
    .filter((row) => query.archived || listed.archivable !== true || isUnarchived(row))
    .filter((row) => meets(query.conditions, row))
    .filter((row) => after === null || compare(row, after) > 0)
    .sort(compare)
  return Effect.succeed({
    data: rows.slice(0, query.limit).map(({ record }) => record),
    has_more: rows.length > query.limit
  })
}
