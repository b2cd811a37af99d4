import { isSymbol, isWord, type Node, nameOf, split } from "./SqlTree.ts"
import { keyOf, type Source } from "./TenantSources.ts"

/** A condition that holds for every row, or only for the rows of `only`, the source of an outer join's ON. */
export interface Condition {
  readonly items: ReadonlyArray<Node>
  readonly only: Source | undefined
}

type Operand =
  | { readonly _tag: "Value" }
  | { readonly _tag: "Column"; readonly alias: string | undefined; readonly column: string }

/** The parts of a condition that must all hold. A part that may be false is left out. */
export const conjuncts = (items: ReadonlyArray<Node>): ReadonlyArray<ReadonlyArray<Node>> => {
  if (items.some((item) => isWord(item, "or", "between"))) return []
  return split(items, (item) => isWord(item, "and")).flatMap((part) => {
    const [only] = part
    return part.length === 1 && only?.kind === "group" && only.text === "(" ? conjuncts(only.items) : [part]
  })
}

const operandOf = (items: ReadonlyArray<Node>): Operand | undefined => {
  const [first, second, third] = items
  const isCast = items.length === 3 && isSymbol(second, "::")
  if (first?.kind === "parameter" && (items.length === 1 || isCast)) return { _tag: "Value" }
  const name = nameOf(first)
  if (name === undefined) return undefined
  if (items.length === 1) return { _tag: "Column", alias: undefined, column: name }
  const column = nameOf(third)
  return items.length === 3 && isSymbol(second, ".") && column !== undefined
    ? { _tag: "Column", alias: name, column }
    : undefined
}

const equality = (items: ReadonlyArray<Node>): readonly [Operand, Operand] | undefined => {
  const [left = [], right = [], ...more] = split(items, (item) => isSymbol(item, "="))
  const a = operandOf(left)
  const b = operandOf(right)
  return more.length === 0 && a !== undefined && b !== undefined ? [a, b] : undefined
}

const isKey = (operand: Operand, source: Source, sources: ReadonlyArray<Source>): boolean =>
  operand._tag === "Column" &&
  operand.column === keyOf(source) &&
  (operand.alias === undefined ? sources.filter((each) => each.isTenants).length === 1 : operand.alias === source.alias)

/** Whether a key's other side is of one organisation: a value, or the key of a source that is restricted itself. */
const isSettled = (
  operand: Operand,
  key: string,
  sources: ReadonlyArray<Source>,
  settled: ReadonlySet<Source>
): boolean => {
  if (operand._tag === "Value") return true
  if (operand.alias === undefined) return false
  const here = sources.find(({ alias }) => alias === operand.alias)
  // A name of no table of this query belongs to a query around it, which is checked by itself.
  if (here === undefined) return operand.column === "organisation_id"
  return settled.has(here) && [here.isTenants ? keyOf(here) : key, "organisation_id"].includes(operand.column)
}

/** The sources of a query that no condition restricts to one organisation. */
export const unrestrictedSources = (
  sources: ReadonlyArray<Source>,
  conditions: ReadonlyArray<Condition>
): ReadonlyArray<Source> => {
  const settled = new Set(sources.filter(({ isMarked, isTenants }) => isMarked || !isTenants))
  const equalities = conditions.flatMap(({ items, only }) =>
    conjuncts(items).flatMap((part) => {
      const sides = equality(part)
      return sides === undefined ? [] : [{ sides, only }]
    })
  )
  const settles = (source: Source): boolean =>
    equalities.some(
      ({ only, sides: [a, b] }) =>
        (only === undefined || only === source) &&
        ((isKey(a, source, sources) && isSettled(b, keyOf(source), sources, settled)) ||
          (isKey(b, source, sources) && isSettled(a, keyOf(source), sources, settled)))
    )
  for (let before = -1; before !== settled.size; ) {
    before = settled.size
    for (const source of sources) if (!settled.has(source) && settles(source)) settled.add(source)
  }
  return sources.filter((source) => !settled.has(source))
}
