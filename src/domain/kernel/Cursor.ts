import type { Condition, ListQuery } from "./Listing.ts"
import { InvalidInput } from "./Rejection.ts"

/** Columns of orders in which changes move records, each with the filter of the same value. */
const moving: ReadonlyMap<string, string> = new Map([
  ["updated_at", "updated_at"],
  ["due_key", "due_at"]
])

/**
 * The conditions that the record which `starting_after` names must still meet. Any record of the organisation is a cursor,
 * whatever the filters say of it now, with one exception: sorted by `updated_at`, a change moves the record past others that
 * no page had yet, and with it the next page. So there it must be within the request's own `updated_at`; and sorted by
 * `due_at` within its own `due_at`. decisions, section 1: Lists.
 * @example
 * const spec: Listing.ListSpec = { filters: { updated_at: { kind: "timestamp", description: "Last change" } } }
 * const list = Result.getOrThrow(Listing.parse(spec, [["updated_at[gte]", "2026-04-01"]]))
 * Cursor.cursorConditions(list) // => []
 */
export const cursorConditions = ({ conditions, sort }: ListQuery): ReadonlyArray<Condition> =>
  conditions.filter(({ column }) => column === moving.get(sort.column))

/**
 * `starting_after` names no record that the list could have shown.
 * @example Cursor.unknownCursor().param // => "starting_after"
 */
export const unknownCursor = (): InvalidInput =>
  new InvalidInput({ param: "starting_after", message: "starting_after names no record of this list." })

/** The record that `starting_after` names does not meet {@link cursorConditions}. */
export const movedCursor = ({ sort }: ListQuery): InvalidInput => {
  const name = moving.get(sort.column) ?? sort.column
  return new InvalidInput({
    param: "starting_after",
    message: `The record that starting_after names changed and is not within ${name} any more, so its place in this order is lost. Leave starting_after out and send ${name}[${sort.descending ? "lte" : "gte"}] with the ${name} of the last record that you have.`
  })
}
