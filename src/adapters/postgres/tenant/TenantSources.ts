import { type Group, isSymbol, isWord, type Node, nameOf, nameToken, type Token } from "./SqlTree.ts"

/** A source or target of a statement: a table, a function or a subquery. */
export interface Source {
  readonly name: string
  readonly alias: string
  /** Whether it is a table or a view that holds rows of tenants. */
  readonly isTenants: boolean
  /** Whether it has the marker that the statement concerns every organisation. */
  readonly isMarked: boolean
  /** The columns that an INSERT names; undefined when it names none. */
  readonly columns: Group | undefined
  /** The token of a table or view of the stores that is named without a schema; undefined for every other source. */
  readonly table: Token | undefined
}

const shared = new Set(["users", "mail_budgets", "event_consumers", "tariffs", "elections"])

const isPostgres = (name: string): boolean => name.startsWith("pg_")

/** Whether a table holds nothing of one organisation; everything that belongs to PostgreSQL does not, either. */
const isShared = (name: string): boolean => shared.has(name) || isPostgres(name)

/** The column that holds the tenant of a row. */
export const keyOf = ({ name }: Source): string => (name === "organisations" ? "id" : "organisation_id")

const noAlias = new Set(
  `as cross default do except fetch for full group having inner intersect join lateral left limit natural offset on order
   overriding returning right select set tablesample union using values when where window with`.split(/\s+/)
)

const isQuery = (node: Node | undefined): boolean =>
  node?.kind === "group" && (isWord(node.items[0], "select", "with", "values", "table") || isQuery(node.items[0]))

/** A source, undefined where it is not understood, and where the next item begins. */
interface Read {
  readonly source: Source | undefined
  readonly next: number
}

const readAlias = (items: ReadonlyArray<Node>, at: number): { readonly alias: string | undefined; next: number } => {
  if (isWord(items[at], "as")) return { alias: nameOf(items[at + 1]), next: at + 2 }
  const name = nameOf(items[at])
  const isAlias = name !== undefined && !(items[at]?.kind === "word" && noAlias.has(name))
  return isAlias ? { alias: name, next: at + 1 } : { alias: undefined, next: at }
}

/** Reads a table, function or subquery with its alias from `start` on. `named` are the names of the WITH. */
export const readSource = (
  items: ReadonlyArray<Node>,
  start: number,
  named: ReadonlySet<string>,
  isInserted: boolean
): Read => {
  let at = start
  while (isWord(items[at], "only", "lateral")) at += 1
  const isMarked = items[at]?.kind === "marker"
  if (isMarked) at += 1
  if (isQuery(items[at])) {
    const { alias = "", next } = readAlias(items, at + 1)
    return { source: { name: "", alias, isTenants: false, isMarked, columns: undefined, table: undefined }, next }
  }
  const first = at
  while (isSymbol(items[at + 1], ".")) at += 2
  const token = nameToken(items[at])
  if (token === undefined) return { source: undefined, next: at + 1 }
  const name = token.text
  const isQualified = at > first
  at += 1
  const isFunction = !isInserted && items[at]?.kind === "group"
  if (isFunction) at += 1
  const { alias = name, next } = readAlias(items, at)
  const list = items[next]
  const columns = list?.kind === "group" ? list : undefined
  const isTable = !isFunction && !named.has(name)
  const source = {
    name,
    alias,
    isTenants: isTable && !isShared(name),
    isMarked,
    columns: isInserted ? columns : undefined,
    table: isTable && !isQualified && !isPostgres(name) ? token : undefined
  }
  return { source, next: columns === undefined ? next : next + 1 }
}
