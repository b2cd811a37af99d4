import { Limits } from "../kernel/Limits.ts"

/** How a file is marked up: as XML, or as the SGML of OFX, whose tags may stay open. */
export type MarkupDialect = "xml" | "sgml"

/** Something that a parser finds in a file. After a fault it finds nothing more. */
export type MarkupPart =
  | {
      readonly _tag: "Open"
      readonly name: string
      readonly attributes: Readonly<Record<string, string>>
      readonly line: number
    }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Close" }
  | { readonly _tag: "Fault"; readonly line: number; readonly says: string }

/** Parses a file piece by piece. */
export interface MarkupParser {
  readonly write: (piece: string) => ReadonlyArray<MarkupPart>
  readonly end: () => ReadonlyArray<MarkupPart>
}

/** An element with all that is in it; `line` is where it begins. */
export interface Element {
  readonly name: string
  readonly line: number
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
  readonly children: ReadonlyArray<Element>
}

/** What is found in a file: elements that are wanted whole, and of others that they begin, and their texts. */
export type MarkupFinding =
  | Exclude<MarkupPart, { readonly _tag: "Text" | "Close" }>
  | { readonly _tag: "Said"; readonly name: string; readonly text: string }
  | { readonly _tag: "Whole"; readonly element: Element }
  | { readonly _tag: "Closed" }

interface Growing extends Element {
  text: string
  readonly children: Array<Growing>
}

/**
 * Finds the elements that are wanted whole; `Closed` says that the outermost element ends.
 * @example
 * const find = Markup.makeFinder(new Set(["b"]))
 * const parts = [
 *   { _tag: "Open", name: "a", attributes: {}, line: 1 },
 *   { _tag: "Open", name: "b", attributes: {}, line: 2 },
 *   { _tag: "Text", text: "in" },
 *   { _tag: "Close" }
 * ] as const
 * const element = { name: "b", line: 2, attributes: {}, text: "in", children: [] }
 * parts.map(find) // => [parts[0], undefined, undefined, { _tag: "Whole", element }]
 */
export const makeFinder = (wanted: ReadonlySet<string>): ((part: MarkupPart) => MarkupFinding | undefined) => {
  const path: Array<string> = []
  const growing: Array<Growing> = []
  let count = 0

  const fault = (line: number, says: string): MarkupFinding => ({ _tag: "Fault", line, says })

  const open = (part: MarkupPart & { readonly _tag: "Open" }): MarkupFinding | undefined => {
    const { attributes, line, name } = part
    path.push(name)
    if (path.length > Limits.markupDepth)
      return fault(line, `has more than ${Limits.markupDepth} elements in one another`)
    const parent = growing.at(-1)
    if (parent === undefined && !wanted.has(name)) return part
    count += 1
    if (count > Limits.markupElements)
      return fault(line, `has more than ${Limits.markupElements} elements in one of its lines`)
    const element: Growing = { name, line, attributes, text: "", children: [] }
    parent?.children.push(element)
    growing.push(element)
    return undefined
  }

  const said = (text: string): MarkupFinding | undefined => {
    const [element, name] = [growing.at(-1), path.at(-1)]
    if (element === undefined) return name === undefined ? undefined : { _tag: "Said", name, text }
    element.text += text
    return element.text.length > Limits.markupTextCharacters
      ? fault(element.line, `has a text of more than ${Limits.markupTextCharacters} characters`)
      : undefined
  }

  const close = (): MarkupFinding | undefined => {
    path.pop()
    const element = growing.pop()
    if (element !== undefined && growing.length === 0) {
      count = 0
      return { _tag: "Whole", element }
    }
    return path.length === 0 ? { _tag: "Closed" } : undefined
  }

  return (part) => {
    switch (part._tag) {
      case "Open":
        return open(part)
      case "Text":
        return said(part.text)
      case "Close":
        return close()
      case "Fault":
        return part
    }
  }
}

/** The elements at a path below one. */
export const elementsAt = (element: Element, ...path: ReadonlyArray<string>): ReadonlyArray<Element> =>
  path.reduce<ReadonlyArray<Element>>(
    (found, name) => found.flatMap(({ children }) => children.filter((each) => each.name === name)),
    [element]
  )

/**
 * The text of the first element at a path below one; empty where there is none.
 * @example Markup.textAt({ name: "a", line: 1, attributes: {}, text: " in ", children: [] }) // => "in"
 */
export const textAt = (element: Element, ...path: ReadonlyArray<string>): string =>
  elementsAt(element, ...path)[0]?.text.trim() ?? ""

/** The first element of a name anywhere in one: an SGML tag that stays open has what follows it in it. */
export const elementIn = (element: Element, name: string): Element | undefined => {
  for (const child of element.children) {
    const found = child.name === name ? child : elementIn(child, name)
    if (found !== undefined) return found
  }
  return undefined
}
