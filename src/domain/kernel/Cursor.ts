import type { Condition, ListQuery } from "./Listing.ts"
import { InvalidInput } from "./Rejection.ts"

/**
 * The conditions that the record which `starting_after` names must still meet. Any record of the organisation is a cursor,
 * whatever the filters say of it now, with one exception: sorted by `updated_at`, a change moves the record past others that
 * no page had yet, and with it the next page. So there it must be within the request's own `updated_at`. decisions, section
 * 1: Lists.
 * @example
 * const spec: Listing.ListSpec = { filters: { updated_at: { kind: "timestamp", description: "Last change" } } }
 * const list = Result.getOrThrow(Listing.parse(spec, [["updated_at[gte]", "2026-04-01"]]))
 * Cursor.cursorConditions(list) // => []
 */
export const cursorConditions = ({ conditions, sort }: ListQuery): ReadonlyArray<Condition> =>
  sort.column === "updated_at" ? conditions.filter(({ column }) => column === "updated_at") : []

/**
 * `starting_after` names no record that the list could have shown.
 * @example Cursor.unknownCursor().param // => "starting_after"
 */
export const unknownCursor = (): InvalidInput =>
  new InvalidInput({ param: "starting_after", message: "starting_after names no record of this list." })

/** The record that `starting_after` names does not meet {@link cursorConditions}. */
export const movedCursor = ({ sort }: ListQuery): InvalidInput =>
  new InvalidInput({
    param: "starting_after",
    message: `The record that starting_after names changed and is not within updated_at any more, so its place in this order is lost. Leave starting_after out and send updated_at[${sort.descending ? "lte" : "gte"}] with the updated_at of the last record that you have.`
  })
