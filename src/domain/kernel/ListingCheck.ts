import { Result, Schema } from "effect"
import { type ListQuery, type ListSpec, parse } from "./Listing.ts"
import { type InvalidInput, MalformedInput } from "./Rejection.ts"

const Text = Schema.NullOr(Schema.String)

/** As much of a query as tells how it was asked for. */
const Asked = Schema.Struct({
  limit: Schema.Number,
  starting_after: Text,
  archived: Schema.Boolean,
  conditions: Schema.Array(
    Schema.Struct({
      column: Schema.String,
      type: Schema.String,
      operator: Schema.String,
      values: Schema.Array(Schema.Union([Schema.String, Schema.Number, Schema.Boolean]))
    })
  ),
  words: Schema.Array(Schema.String),
  segment: Text,
  sort: Schema.Struct({ column: Schema.String, descending: Schema.Boolean }),
  flags: Schema.Record(Schema.String, Schema.Boolean),
  sent: Schema.Struct({
    search: Text,
    segment: Text,
    sort: Text,
    filters: Schema.Record(
      Schema.String,
      Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)]))
    )
  })
})

type Asked = typeof Asked.Type

const isAsked = Schema.is(Asked)

type Entry = readonly [name: string, value: string]

const text = (name: string, value: string | number | boolean | null): ReadonlyArray<Entry> =>
  value === null ? [] : [[name, String(value)]]

const filtersOf = (filters: Asked["sent"]["filters"]): ReadonlyArray<Entry> =>
  Object.entries(filters).flatMap(([name, echo]) =>
    Object.entries(echo).map(([operator, values]): Entry => [`${name}[${operator}]`, String(values)])
  )

/** The parameters that a query was read from. */
const entriesOf = (spec: ListSpec, query: Asked): ReadonlyArray<Entry> => [
  ...text("limit", query.limit),
  ...text("starting_after", query.starting_after),
  ...(spec.archivable === true ? text("archived", query.archived) : []),
  ...text("search", query.sent.search),
  ...text("segment", query.sent.segment),
  ...text("sort", query.sent.sort),
  ...Object.entries(query.flags).flatMap(([name, flag]) => text(name, flag)),
  ...filtersOf(query.sent.filters)
]

const conditionText = ({ column, operator, type, values }: Asked["conditions"][number]): string =>
  JSON.stringify([column, type, operator, values])

/** A query's conditions as text: equal queries have the same. */
const meaningOf = ({
  archived,
  conditions,
  segment,
  sort,
  words
}: Pick<ListQuery, "archived" | "segment" | "sort" | "words"> & Pick<Asked, "conditions">): string =>
  JSON.stringify([archived, conditions.map(conditionText).toSorted(), segment, sort.column, sort.descending, words])

const notOurs = () =>
  new MalformedInput({
    message: "The query of a list must be one that Listing.parse made of the listing's parameters."
  })

/**
 * A query that a host gives, read again from its parameters: what it asks for is what the list takes, however it was
 * made. Fails as {@link parse} does, and with {@link MalformedInput} for a query that its parameters do not make.
 */
export const checkedQuery = (
  spec: ListSpec,
  query: unknown
): Result.Result<ListQuery, InvalidInput | MalformedInput> => {
  if (!isAsked(query)) return Result.fail(notOurs())
  return Result.flatMap(parse(spec, entriesOf(spec, query)), (read) =>
    meaningOf(read) === meaningOf(query) ? Result.succeed(read) : Result.fail(notOurs())
  )
}
