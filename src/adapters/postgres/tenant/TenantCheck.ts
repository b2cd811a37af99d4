import { isSymbol, isWord, type Node, nameOf, nameToken, parse, split, type Token } from "./SqlTree.ts"
import { type Condition, unrestrictedSources } from "./TenantConditions.ts"
import { keyOf, readSource, type Source } from "./TenantSources.ts"

/**
 * The marker of a table whose rows the statement takes over all organisations: work that is due, or a look-up by a
 * secret that is known before the organisation is. It stands before the table's name.
 */
export const everyOrganisation = "/* every organisation */"

type Items = ReadonlyArray<Node>
type Named = ReadonlySet<string>

type Faults = ReadonlyArray<string>

/** The tables that a statement, or a part of it, reads, and its faults. */
export interface StatementRead {
  readonly faults: Faults
  /** Where the stores' tables and views are named without a schema, and where the types of their rows are. */
  readonly tables: ReadonlyArray<Token>
}

const endsClause = (node: Node): boolean =>
  isWord(node, "group", "order", "having", "window", "limit", "offset", "fetch", "for", "returning", "set", "select")

/** Whether a join begins here; `left` and `right` are functions, too. */
const joins = (items: Items, at: number): boolean =>
  isWord(items[at], "join", "full", "inner", "cross", "natural") ||
  (isWord(items[at], "left", "right") && items[at + 1]?.kind !== "group")

/** The index after the items of a condition that follows a WHERE or an ON. */
const endOfCondition = (items: Items, start: number): number => {
  let at = start
  for (let node = items[at]; node !== undefined; node = items[at]) {
    if (endsClause(node) || joins(items, at) || isWord(node, "where", "on") || isSymbol(node, ",")) break
    at += 1
  }
  return at
}

/** Whether the word at this place is followed by a source: a table or query that is read or written. */
const leadsToSource = (items: Items, at: number): boolean => {
  const before = items[at - 1]
  if (isWord(items[at], "from")) return !(isWord(before, "distinct") && isWord(items[at - 2], "is", "not"))
  if (isWord(items[at], "update")) return !isWord(before, "for", "key", "do")
  if (isWord(items[at], "using")) return items[at + 1]?.kind !== "group"
  return isWord(items[at], "join", "into", "table")
}

type Join = "inner" | "left" | "other"

/** The kind of a JOIN. The ON of a left one restricts what is joined, that of a right or full one nothing. */
const joinOf = (items: Items, at: number): Join => {
  const side = items[isWord(items[at - 1], "outer") ? at - 2 : at - 1]
  if (isWord(side, "left")) return "left"
  return isWord(side, "right", "full", "natural") ? "other" : "inner"
}

/** The fault of an INSERT that, on conflict, would update another organisation's row. */
const conflictFaults = (items: Items, at: number, target: Source | undefined): Faults => {
  const list = items[at + 1]
  const isUpdated = items.some((item, i) => i > at && isWord(item, "do") && isWord(items[i + 1], "update"))
  if (!isUpdated || target?.isTenants !== true) return []
  const names = list?.kind === "group" ? list.items.map(nameOf) : []
  return names.includes(keyOf(target)) ? [] : [`ON CONFLICT of ${target.name} does not name ${keyOf(target)}`]
}

const insertFaults = (target: Source): Faults =>
  target.isTenants && target.columns !== undefined && !target.columns.items.map(nameOf).includes(keyOf(target))
    ? [`INSERT INTO ${target.name} does not name ${keyOf(target)}`]
    : []

const merged = (parts: ReadonlyArray<StatementRead>): StatementRead => ({
  faults: parts.flatMap(({ faults }) => faults),
  tables: parts.flatMap(({ tables }) => tables)
})

/** Reads one query without its WITH, and without the queries inside it. */
const readBranch = (items: Items, named: Named): StatementRead => {
  const faults: Array<string> = []
  const tables: Array<Token> = []
  const read: Array<Source> = []
  const conditions: Array<Condition> = []
  let inserted: Source | undefined
  let join: Join = "inner"
  let isList = false
  const readNext = (start: number, isInserted: boolean): number => {
    const { next, source } = readSource(items, start, named, isInserted)
    if (source?.table !== undefined) tables.push(source.table)
    if (source === undefined) faults.push("a table that is not understood")
    else if (isInserted) {
      inserted = source
      faults.push(...insertFaults(source))
    } else read.push(source)
    return next
  }
  for (let at = 0; at < items.length; ) {
    const node = items[at]
    if (node === undefined) break
    if (isWord(node, "on") && isWord(items[at + 1], "conflict")) {
      faults.push(...conflictFaults(items, at + 1, inserted))
      break
    }
    if (leadsToSource(items, at)) {
      isList = isWord(node, "from", "using", "join")
      join = isWord(node, "join") ? joinOf(items, at) : "inner"
      at = readNext(at + 1, isWord(node, "into"))
    } else if (isList && isSymbol(node, ",")) at = readNext(at + 1, false)
    else if (isWord(node, "where", "on")) {
      const end = endOfCondition(items, at + 1)
      const only = isWord(node, "on") && join === "left" ? read.at(-1) : undefined
      if (isWord(node, "where") || join !== "other") conditions.push({ items: items.slice(at + 1, end), only })
      at = end
    } else {
      if (endsClause(node)) isList = false
      at += 1
    }
  }
  const open = unrestrictedSources(read, conditions).map(({ alias, name }) => `${name} AS ${alias} is not restricted`)
  return { faults: [...faults, ...open], tables }
}

interface With {
  readonly inside: StatementRead
  readonly named: Named
  readonly rest: Items
}

/** Reads the WITH of a statement: its queries by name, known after the query, or everywhere when recursive. */
const readWith = (items: Items, outer: Named): With => {
  if (!isWord(items[0], "with")) return { inside: merged([]), named: outer, rest: items }
  const recurs = isWord(items[1], "recursive")
  const named = new Set(outer)
  const bodies: Array<StatementRead> = []
  let at = recurs ? 2 : 1
  for (;;) {
    const name = nameOf(items[at]) ?? ""
    at += items[at + 1]?.kind === "group" ? 2 : 1
    while (isWord(items[at], "as", "not", "materialized")) at += 1
    const body = items[at]
    if (recurs) named.add(name)
    bodies.push(
      body?.kind === "group" ? readQuery(body.items, named) : { faults: ["a WITH that is not understood"], tables: [] }
    )
    named.add(name)
    at += 1
    if (!isSymbol(items[at], ",")) return { inside: merged(bodies), named, rest: items.slice(at) }
    at += 1
  }
}

const readQuery = (items: Items, outer: Named): StatementRead => {
  const { inside, named, rest } = readWith(items, outer)
  const branches = split(rest, (node) => isWord(node, "union", "intersect", "except"))
  const inner = rest.flatMap((node) => (node.kind === "group" ? [readQuery(node.items, named)] : []))
  return merged([inside, ...branches.map((branch) => readBranch(branch, named)), ...inner])
}

/** Casts to the type of a table's rows, which has the table's name. */
const readTypes = (items: Items, names: Named): ReadonlyArray<Token> =>
  items.flatMap((node, at) => {
    if (node.kind === "group") return readTypes(node.items, names)
    const type = isSymbol(items[at - 1], "::") && !isSymbol(items[at + 1], ".") ? nameToken(node) : undefined
    return type !== undefined && names.has(type.text) ? [type] : []
  })

/**
 * Reads a statement: finds whether every table that it reads or changes is restricted to one organisation, by an
 * equation that holds for every row, and where these tables are named. Anything that it does not understand is a fault.
 */
export const readStatement = (statement: string): StatementRead => {
  const items = parse(statement, everyOrganisation)
  const isKnown = isWord(items[0], "with", "select", "insert", "update", "delete", "values")
  if (!isKnown) return { faults: ["a statement that is not understood"], tables: [] }
  const { faults, tables } = readQuery(items, new Set())
  return { faults, tables: [...tables, ...readTypes(items, new Set(tables.map(({ text }) => text)))] }
}

/** The faults of a statement; empty when each of its tables is restricted to one organisation. */
export const check = (statement: string): Faults => readStatement(statement).faults
