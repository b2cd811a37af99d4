const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value))

/** The values of a list as one text. None may have a comma: the service would read it as two. */
const joined = (name: string, values: ReadonlyArray<unknown>): string => {
  const texts = values.map(textOf)
  if (texts.some((text) => text.includes(","))) throw new TypeError(`${name} takes no value that has a comma.`)
  return texts.join(",")
}

const isOperators = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !(value instanceof Date)

const pairsOf = (name: string, value: unknown): Array<[string, string]> => {
  if (value === undefined) return []
  if (Array.isArray(value)) return [[name, joined(name, value)]]
  return isOperators(value)
    ? Object.entries(value).flatMap(([operator, operand]) => pairsOf(`${name}[${operator}]`, operand))
    : [[name, textOf(value)]]
}

/** A query as text with its question mark, empty without a parameter: `{ a: { gte: 1 } }` is `?a[gte]=1`. */
export const queryText = (query: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => pairsOf(name, value))
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`
}
