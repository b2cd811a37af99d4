/** A token of a statement. Words are unquoted, in lower case; names were quoted, and are unchanged. */
export interface Token {
  readonly kind: "word" | "name" | "parameter" | "text" | "symbol" | "marker"
  readonly text: string
  /** The index at which it begins in the statement. */
  readonly at: number
}

/** A part in parentheses, or between CASE and END. */
export interface Group {
  readonly kind: "group"
  readonly text: "(" | "case"
  readonly items: ReadonlyArray<Node>
}

export type Node = Token | Group

const pattern =
  /(?<space>\s+|--[^\n]*)|(?<comment>\/\*(?:[^*]|\*(?!\/))*\*\/)|(?<text>[eE]?'(?:[^'\\]|''|\\.)*'|\$(?<tag>[a-zA-Z_]\w*)?\$.*?\$\k<tag>?\$)|"(?<name>(?:[^"]|"")*)"|(?<parameter>\$\d+)|(?<word>[a-zA-Z_][\w$]*)|(?<symbol>::|[\d.]*\d|.)/gsu

const tokenOf = ({ groups = {}, index: at }: RegExpExecArray, marker: string): Token | undefined => {
  const { comment, name, parameter, symbol, text, word } = groups
  if (word !== undefined) return { kind: "word", text: word.toLowerCase(), at }
  if (symbol !== undefined) return { kind: "symbol", text: symbol, at }
  if (parameter !== undefined) return { kind: "parameter", text: parameter, at }
  if (name !== undefined) return { kind: "name", text: name.replaceAll('""', '"'), at }
  if (text !== undefined) return { kind: "text", text: "", at }
  return comment === marker ? { kind: "marker", text: marker, at } : undefined
}

const opens = ({ kind, text }: Token): boolean =>
  (kind === "symbol" && text === "(") || (kind === "word" && text === "case")

const closes = ({ kind, text }: Token): boolean =>
  (kind === "symbol" && text === ")") || (kind === "word" && text === "end")

/** Parses a statement into a tree. Comments are dropped, except those that equal `marker`. */
export const parse = (statement: string, marker: string): ReadonlyArray<Node> => {
  const open: Array<Array<Node>> = [[]]
  for (const found of statement.matchAll(pattern)) {
    const token = tokenOf(found, marker)
    if (token === undefined) continue
    const items = open.at(-1) ?? []
    if (opens(token)) {
      const inner: Array<Node> = []
      items.push({ kind: "group", text: token.text === "(" ? "(" : "case", items: inner })
      open.push(inner)
    } else if (closes(token)) open.pop()
    else items.push(token)
  }
  return open[0] ?? []
}

/** Whether a node is one of these unquoted words. */
export const isWord = (node: Node | undefined, ...words: ReadonlyArray<string>): boolean =>
  node?.kind === "word" && words.includes(node.text)

export const isSymbol = (node: Node | undefined, symbol: string): boolean =>
  node?.kind === "symbol" && node.text === symbol

/** A token that is a name, quoted or not. */
export const nameToken = (node: Node | undefined): Token | undefined =>
  node?.kind === "word" || node?.kind === "name" ? node : undefined

export const nameOf = (node: Node | undefined): string | undefined => nameToken(node)?.text

/** Splits items at those for which `divides` holds. */
export const split = (
  items: ReadonlyArray<Node>,
  divides: (node: Node) => boolean
): ReadonlyArray<ReadonlyArray<Node>> => {
  const parts: Array<Array<Node>> = [[]]
  for (const item of items) {
    if (divides(item)) parts.push([])
    else parts.at(-1)?.push(item)
  }
  return parts
}
