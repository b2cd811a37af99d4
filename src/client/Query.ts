import type { Kind, Operator } from "../domain/kernel/Listing.ts"
import type { Shape } from "./Lists.ts"

/** A value of a filter that names one of the record's own fields has that field's values. */
type Named<Item, Name> = Name extends keyof Item ? Extract<NonNullable<Item[Name]>, string> : string

type Value<K, Item, Name> = K extends "integer"
  ? number
  : K extends "boolean"
    ? boolean
    : K extends "enum"
      ? Named<Item, Name>
      : string

type OperatorOf<K> = K extends "boolean" ? "eq" : K extends "text" | "enum" ? "eq" | "in" | "not_in" : Operator

type Operators<K, V> = {
  readonly [O in OperatorOf<K>]?: (O extends "in" | "not_in" ? ReadonlyArray<V> : V) | undefined
}

type Filter<K, V> = V | Operators<K, V>

type Param<S, Item, Name> =
  S extends ReadonlyArray<infer Sort extends string>
    ? Sort | `-${Sort}`
    : S extends "plain text"
      ? string
      : S extends "plain flag"
        ? boolean
        : S extends Kind
          ? Filter<S, Value<S, Item, Name>>
          : never

/** The query of a list of a shape, whose records are items. A filter is a value, or its operators with their values. */
export type ListQuery<S extends Shape, Item> = {
  readonly [Name in keyof S]?: Param<S[Name], Item, Name> | undefined
} & {
  /** Records on a page. */
  readonly limit?: number | undefined
  /** The id of the last record of the page before. */
  readonly starting_after?: string | undefined
}

/** A list cannot carry a value with a comma: the service would read two. */
const joined = (name: string, values: ReadonlyArray<unknown>): string => {
  const texts = values.map(String)
  if (texts.some((text) => text.includes(","))) throw new TypeError(`${name}: a value of a list has no comma`)
  return texts.join(",")
}

const isOperators = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const pairsOf = (name: string, value: unknown): Array<[string, string]> => {
  if (value === undefined) return []
  if (Array.isArray(value)) return [[name, joined(name, value)]]
  return isOperators(value)
    ? Object.entries(value).flatMap(([operator, operand]) => pairsOf(`${name}[${operator}]`, operand))
    : [[name, String(value)]]
}

/** A query as text with its question mark, empty without a parameter: `{ a: { gte: 1 } }` is `?a[gte]=1`. */
export const queryText = (query: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => pairsOf(name, value))
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`
}
