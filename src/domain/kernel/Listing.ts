import { DateTime, Function, Result } from "effect"
import { type Comparison, type Operator, operators, type Scalar } from "./Comparison.ts"
import { booleanOf, echoOf, type FilterFailure, integerOf, invalid, malformedPart, readFilter } from "./FilterValues.ts"
import { instantAt } from "./InstantRange.ts"
import { isLongerThan } from "./Length.ts"
import { Limits } from "./Limits.ts"
import { MalformedInput } from "./Rejection.ts"
import { at, type Expiry, meets, rulesOf } from "./Rule.ts"
import { isStorable } from "./Text.ts"

export { type Comparison, type Operator, operators, passes, type Scalar } from "./Comparison.ts"

/** How the values of a filter are read and compared. */
export type Kind = "text" | "enum" | "integer" | "boolean" | "timestamp" | "day"

/** A field that a list can be filtered by. */
export interface Dimension {
  readonly kind: Kind
  /** The record's column that is compared, where it is not the filter's own name. */
  readonly column?: string
  /** For `day`: the column that holds the calendar day; a bare date is compared with it, an instant with `column`. */
  readonly dayColumn?: string
  /** For `enum`: the values there are. */
  readonly values?: ReadonlyArray<string>
  /** For `text` and `enum`: how a value is folded before it is compared with the column. */
  readonly fold?: (value: string) => string
  /** For `text`: whether an empty value is malformed, so that it never lists everything. */
  readonly filled?: boolean
  /** For a status that time changes before anybody writes it. */
  readonly expires?: Expiry
  /** The value that only archived records have: a filter for it lists archived records without `archived=true`. */
  readonly archived?: string
  readonly description: string
}

/** A parameter of a list that is true or false. */
export interface Flag {
  readonly default: boolean
  readonly description: string
}

/** The filters, searches and orders of a list. */
export interface ListSpec {
  readonly filters: Readonly<Record<string, Dimension>>
  /** Sort names and their columns; every list sorts by `created_at` when no sort is given. */
  readonly sorts?: Readonly<Record<string, string>>
  /** Whether the contract has no `sort` for this list; the reference says so. */
  readonly sortsBeyondContract?: boolean
  /** Whether `archived=true` lists archived records, too. */
  readonly archivable?: boolean
  /** Whether `search` takes words, and how a text becomes words. */
  readonly words?: (text: string) => ReadonlyArray<string>
  /** Whether `segment` takes a segment's slug. */
  readonly segments?: boolean
  /** Conditions that hold when their filter is not given. */
  readonly defaults?: Readonly<Record<string, string>>
  /** Parameters that are true or false and change how records are shown. */
  readonly flags?: Readonly<Record<string, Flag>>
}

/** The operators that a kind of filter takes: the type of {@link operatorsOf}. */
export type OperatorOf<K extends Kind> = K extends "boolean"
  ? "eq"
  : K extends "text" | "enum"
    ? "eq" | "in" | "not_in"
    : Operator

/** The values of a filter; instants and days are texts. */
export type ValueOf<D extends Dimension> = D["kind"] extends "integer"
  ? number
  : D["kind"] extends "boolean"
    ? boolean
    : D extends { readonly kind: "enum"; readonly values: ReadonlyArray<infer V> }
      ? V
      : string

/** The values of a list's `sort`; a leading - is descending. */
export type SortOf<S> = S extends { readonly sorts: infer Sorts }
  ? (keyof Sorts & string) | `-${keyof Sorts & string}`
  : never

/** The names of a list's parameters other than filters, with the types of their values. */
export type PlainOf<S extends ListSpec> = {
  readonly limit: number
  readonly starting_after: string
} & (S extends { readonly archivable: true } ? { readonly archived: boolean } : unknown) &
  (S extends { readonly words: unknown } ? { readonly search: string } : unknown) &
  (S extends { readonly segments: true } ? { readonly segment: string } : unknown) &
  (S extends { readonly sorts: unknown } ? { readonly sort: SortOf<S> } : unknown) &
  (S extends { readonly flags: infer Flags } ? { readonly [N in keyof Flags]: boolean } : unknown)

/** One comparison that every listed record passes. */
export interface Condition extends Comparison {
  /** For a status that expires: how, and at which instant it is read, milliseconds since the epoch. */
  readonly expires?: Expiry & { readonly at: number }
}

/** Records that are not archived: lists show archived ones only when they are asked for. */
export const unarchivedRule = rulesOf<{ readonly archived_at: DateTime.Utc | null }>().lacks("archived_at")

/** The values of one dimension as they were sent, by operator. */
export type FilterEcho = Partial<Record<Exclude<Operator, "in" | "not_in">, string>> & {
  readonly in?: ReadonlyArray<string>
  readonly not_in?: ReadonlyArray<string>
}

/** A list request that passed every check except those that need the store. */
export interface ListQuery {
  readonly limit: number
  readonly starting_after: string | null
  readonly archived: boolean
  readonly conditions: ReadonlyArray<Condition>
  /** Every one of these must begin some word of the record. */
  readonly words: ReadonlyArray<string>
  readonly segment: string | null
  readonly sort: { readonly column: string; readonly descending: boolean }
  readonly flags: Readonly<Record<string, boolean>>
  /** The parameters as they were sent; the page echoes them. */
  readonly sent: {
    readonly search: string | null
    readonly segment: string | null
    readonly sort: string | null
    readonly filters: Readonly<Record<string, FilterEcho>>
  }
}

/** A page of a list. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
}

const allowed: Readonly<Record<Kind, ReadonlyArray<Operator>>> = {
  text: ["eq", "in", "not_in"],
  enum: ["eq", "in", "not_in"],
  boolean: ["eq"],
  integer: operators,
  timestamp: operators,
  day: operators
}

/**
 * The operators that a dimension takes.
 * @example Listing.operatorsOf({ kind: "boolean", description: "Whether it is active" }) // => ["eq"]
 */
export const operatorsOf = (dimension: Dimension): ReadonlyArray<Operator> => allowed[dimension.kind]

const filterName = /^([a-z_]+)(?:\[([a-z_]+)\])?$/

interface Draft {
  readonly conditions: Array<Condition>
  readonly echoes: Record<string, FilterEcho>
  readonly plain: Map<string, string>
}

const plainNames = (spec: ListSpec): ReadonlyArray<string> => [
  "limit",
  "starting_after",
  ...(spec.archivable === true ? ["archived"] : []),
  ...(spec.words === undefined ? [] : ["search"]),
  ...(spec.segments === true ? ["segment"] : []),
  ...(spec.sorts === undefined ? [] : ["sort"]),
  ...Object.keys(spec.flags ?? {})
]

const unknownFilter = (spec: ListSpec, name: string): string => {
  const told = isLongerThan(Limits.identifierCharacters, name) ? "This" : name
  const known = [...plainNames(spec), ...Object.keys(spec.filters)]
  return `${told} is not a filter of this list. It takes ${known.join(", ")}.`
}

const readEntry = (spec: ListSpec, deferred: Draft, name: string, text: string): Result.Result<void, FilterFailure> => {
  const storable: Result.Result<void, FilterFailure> = isStorable(text)
    ? Result.void
    : invalid(name, `${name} must be text without U+0000 and unpaired surrogates.`)
  if (plainNames(spec).includes(name)) {
    if (deferred.plain.has(name)) return malformedPart(`${name} was given twice.`)
    deferred.plain.set(name, text)
    return storable
  }
  const [, field = "", bracket = "eq"] = filterName.exec(name) ?? []
  const dimension = Object.hasOwn(spec.filters, field) ? spec.filters[field] : undefined
  if (dimension === undefined) return malformedPart(unknownFilter(spec, name))
  const operator = operatorsOf(dimension).find((each) => each === bracket)
  if (operator === undefined) {
    return malformedPart(`${field} has no filter operator ${bracket}. It has ${operatorsOf(dimension).join(", ")}.`)
  }
  if (deferred.echoes[field]?.[operator] !== undefined) return malformedPart(`${name} was given twice.`)
  deferred.echoes[field] = { ...deferred.echoes[field], ...echoOf(operator, text) }
  if (Result.isFailure(storable)) return storable
  return Result.map(readFilter(field, dimension, operator, name, text), (condition): void => {
    deferred.conditions.push(condition)
  })
}

const readLimit = (text: string | undefined): Result.Result<number, FilterFailure> => {
  if (text === undefined) return Result.succeed(Limits.pageDefault)
  const read = integerOf("limit", text)
  if (Result.isFailure(read) && read.failure._tag === "MalformedInput") return read
  const limit = Result.getOrElse(read, () => 0)
  return limit >= 1 && limit <= Limits.pageMaximum
    ? Result.succeed(limit)
    : invalid("limit", `limit must be from 1 to ${Limits.pageMaximum}.`)
}

const readSort = (spec: ListSpec, text: string | undefined): Result.Result<ListQuery["sort"], FilterFailure> => {
  if (text === undefined) return Result.succeed({ column: "created_at", descending: true })
  const descending = text.startsWith("-")
  const name = descending ? text.slice(1) : text
  const column = spec.sorts !== undefined && Object.hasOwn(spec.sorts, name) ? spec.sorts[name] : undefined
  return column === undefined
    ? invalid("sort", `sort must be one of ${Object.keys(spec.sorts ?? {}).join(", ")}, each with an optional -.`)
    : Result.succeed({ column, descending })
}

const readFlags = (spec: ListSpec, deferred: Draft): Result.Result<Readonly<Record<string, boolean>>, FilterFailure> =>
  Result.all(
    Object.fromEntries(
      Object.entries(spec.flags ?? {}).map(([name, flag]) => {
        const text = deferred.plain.get(name)
        return [name, text === undefined ? Result.succeed(flag.default) : booleanOf(name, text)]
      })
    )
  )

/** The words of `search`. Its characters are counted before words are made, and words before anything is searched. */
const readSearch = (spec: ListSpec, text: string | undefined): Result.Result<ReadonlyArray<string>, FilterFailure> => {
  if (text === undefined) return Result.succeed([])
  if (isLongerThan(Limits.searchCharacters, text)) {
    return invalid("search", `search must have at most ${Limits.searchCharacters} characters.`)
  }
  const words = spec.words?.(text) ?? []
  return words.length > Limits.searchWords
    ? invalid("search", `search must have at most ${Limits.searchWords} different words.`)
    : Result.succeed(words)
}

const readDefaults = (spec: ListSpec, deferred: Draft): void => {
  for (const [field, text] of Object.entries(spec.defaults ?? {})) {
    const dimension = spec.filters[field]
    if (dimension === undefined || deferred.echoes[field] !== undefined) continue
    const read = readFilter(field, dimension, "eq", field, text)
    if (Result.isSuccess(read)) deferred.conditions.push(read.success)
  }
}

/** Whether a filter asks for a value that only archived records have. */
const asksForArchived = (spec: ListSpec, { conditions }: Draft): boolean =>
  Object.entries(spec.filters).some(
    ([field, { archived, column = field }]) =>
      archived !== undefined &&
      conditions.some(
        (each) =>
          each.column === column && each.operator !== "not_in" && each.values.some((value) => value === archived)
      )
  )

/** Reads entries until one is malformed, and returns that error; otherwise the error of the first invalid value, if any. */
const readEntries = (
  spec: ListSpec,
  deferred: Draft,
  entries: Iterable<readonly [name: string, value: string]>
): FilterFailure | undefined => {
  let first: FilterFailure | undefined
  let count = 0
  for (const [name, text] of entries) {
    if (++count > Limits.queryParameters) {
      return new MalformedInput({ message: `A request has at most ${Limits.queryParameters} query parameters.` })
    }
    const read = readEntry(spec, deferred, name, text)
    if (Result.isSuccess(read)) continue
    if (read.failure._tag === "MalformedInput") return read.failure
    first ??= read.failure
  }
  return first
}

/**
 * Reads a list's query. Malformed input (an unknown name or operator, an undecodable number) is reported before an
 * invalid value, whichever of them comes first. decisions, section 1. Reading stops at the first malformed entry.
 * docs/decisions/0025. Fails with `MalformedInput` or `InvalidInput`.
 * @example
 * const spec: Listing.ListSpec = { filters: { amount_cents: { kind: "integer", description: "Amount" } } }
 * const list = Result.getOrThrow(Listing.parse(spec, [["amount_cents[gte]", "500"], ["limit", "10"]]))
 * list.limit // => 10
 * Result.isFailure(Listing.parse(spec, [["colour", "red"]])) // => true
 */
export const parse = (
  spec: ListSpec,
  entries: Iterable<readonly [name: string, value: string]>
): Result.Result<ListQuery, FilterFailure> => {
  const deferred: Draft = { conditions: [], echoes: {}, plain: new Map() }
  const refused = readEntries(spec, deferred, entries)
  if (refused?._tag === "MalformedInput") return Result.fail(refused)
  const archivedText = deferred.plain.get("archived")
  const limit = readLimit(deferred.plain.get("limit"))
  const sort = readSort(spec, deferred.plain.get("sort"))
  const archived =
    archivedText === undefined ? Result.succeed(asksForArchived(spec, deferred)) : booleanOf("archived", archivedText)
  const flags = readFlags(spec, deferred)
  const words = readSearch(spec, deferred.plain.get("search"))
  const reads = { limit, sort, archived, flags, words }
  const results: ReadonlyArray<Result.Result<unknown, FilterFailure>> = Object.values(reads)
  const failures = results.filter(Result.isFailure).map(({ failure }) => failure)
  const first = failures.find((each) => each._tag === "MalformedInput") ?? refused
  if (first !== undefined) return Result.fail(first)
  readDefaults(spec, deferred)
  const search = deferred.plain.get("search") ?? null
  const segment = deferred.plain.get("segment") ?? null
  // Fails with the first of the reads that failed.
  return Result.map(Result.all(reads), (read) => ({
    ...read,
    starting_after: deferred.plain.get("starting_after") ?? null,
    conditions: deferred.conditions,
    segment,
    sent: { search, segment, sort: deferred.plain.get("sort") ?? null, filters: deferred.echoes }
  }))
}

/**
 * The query as it reads at an instant: a record that has expired by then counts as expired.
 * @example
 * const list = Result.getOrThrow(Listing.parse(Introduction.listing, [["status", "expired"]]))
 * Listing.asOf(list, DateTime.makeUnsafe("1970-01-01T00:00:01Z")).conditions[0]?.expires?.at // => 1000
 */
export const asOf = (query: ListQuery, now: DateTime.Utc): ListQuery => ({
  ...query,
  conditions: query.conditions.map((condition) =>
    condition.expires === undefined
      ? condition
      : { ...condition, expires: { ...condition.expires, at: DateTime.toEpochMillis(now) } }
  )
})

/** The query over the records of one parent. */
export const within: {
  (column: string, id: string): (query: ListQuery) => ListQuery
  (query: ListQuery, column: string, id: string): ListQuery
} = Function.dual(
  3,
  (query: ListQuery, column: string, id: string): ListQuery => ({
    ...query,
    conditions: [...query.conditions, { column, type: "text", operator: "eq", values: [id] }]
  })
)

/**
 * The value that a condition compares: the column's, or the status that time made of it.
 * @example
 * const list = Result.getOrThrow(Listing.parse(Introduction.listing, [["status", "expired"]]))
 * const [condition] = Listing.asOf(list, at).conditions
 * const read = (column: string) => (column === "status" ? "PENDING" : at.epochMilliseconds)
 * condition && Listing.comparedValue(condition, read) // => "EXPIRED"
 */
export const comparedValue = (condition: Condition, read: (column: string) => Scalar | null): Scalar | null => {
  const value = read(condition.column)
  const { expires } = condition
  if (expires === undefined || typeof value !== "string" || !expires.from.includes(value)) return value
  return meets(at(expires.when, instantAt(expires.at)), read) ? expires.to : value
}
