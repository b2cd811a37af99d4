/**
 * The operators of one filter with their values. The query has a parameter for each, `name[operator]`; a list of values
 * is one text.
 */
type Operators<Q, Name extends string> = {
  readonly [P in keyof Q & string as P extends `${Name}[${infer O}]` ? O : never]?:
    | (P extends `${string}[${"in" | "not_in"}]`
        ? Name extends keyof Q
          ? ReadonlyArray<Exclude<Q[Name], undefined>>
          : never
        : Q[P])
    | undefined
}

type Param<Q, Name extends keyof Q & string> = [keyof Operators<Q, Name>] extends [never]
  ? Q[Name]
  : Q[Name] | Operators<Q, Name>

/** The query of a list, made of the parameters that are declared. A filter is a value, or its operators with their values. */
export type ListQuery<Q> = {
  readonly [Name in keyof Q & string as Name extends `${string}[${string}` ? never : Name]?: Param<Q, Name> | undefined
}

/** The values of a list as one text. None may have a comma: the service would read it as two. */
const joined = (name: string, values: ReadonlyArray<unknown>): string => {
  const texts = values.map(String)
  if (texts.some((text) => text.includes(","))) throw new TypeError(`${name} takes no value that has a comma.`)
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
