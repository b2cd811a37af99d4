import { Effect, Layer } from "effect"
import type { SAXParser } from "sax"
import { Limits } from "../../../domain/kernel/Limits.ts"
import type { MarkupDialect, MarkupParser, MarkupPart } from "../../../domain/payments/Markup.ts"
import { StatementMarkup } from "../../../ports/payments/StatementMarkup.ts"

/** How much is parsed at once: behind a fault, nothing need be. */
const pieceCharacters = 128

/** What stands before the first colon of a message: behind it stands what the file has. */
const reasonOf = ({ message }: Error): string => message.split(/[\n:]/u)[0]?.toLowerCase() ?? ""

/** A prefix says nothing that the name does not. */
const plainName = (name: string): string => name.slice(name.indexOf(":") + 1)

const ampersand = /&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});)/giu

/** The longest that an entity may be, from its ampersand. */
const entityCharacters = 10

/** SGML has ampersands that begin no entity: the parser takes what follows them for text, tags too. */
const makeEscape = (): ((piece: string, isLast: boolean) => string) => {
  let rest = ""
  return (piece, isLast) => {
    const text = rest + piece
    const last = text.lastIndexOf("&")
    const end = isLast || last < text.length - entityCharacters ? text.length : Math.max(0, last)
    rest = text.slice(end)
    return text.slice(0, end).replace(ampersand, "&amp;")
  }
}

/** Has a parser tell what it finds; the answer tells a fault where it is. */
const hear = (parser: SAXParser, tell: (part: MarkupPart) => void) => {
  const fault = (says: string) => tell({ _tag: "Fault", line: parser.line + 1, says })
  let depth: number | null = null
  parser.onopentag = ({ attributes, name }) => {
    depth = (depth ?? 0) + 1
    const given = Object.entries(attributes).map(([key, value]) => [key, String(value)])
    tell({ _tag: "Open", name: plainName(name), attributes: Object.fromEntries(given), line: parser.line + 1 })
  }
  parser.onclosetag = () => {
    depth = (depth ?? 0) - 1
    tell({ _tag: "Close" })
  }
  parser.ontext = (text) => {
    // Behind the outermost element of SGML tags are text to the parser: another statement, of which nothing would be read.
    if (depth === 0 && text.includes("<")) fault("goes on behind its end")
    else tell({ _tag: "Text", text })
  }
  parser.oncdata = parser.ontext
  parser.ondoctype = () => fault("has a document type, which no bank's statement has")
  parser.onerror = (error) => {
    fault(`is not sound: ${reasonOf(error)}`)
    parser.resume()
  }
  return fault
}

const open = Effect.fnUntraced(function* (dialect: MarkupDialect) {
  // Loaded where a file needs it: hosts and commands that read none are lighter.
  const { default: sax } = yield* Effect.promise(() => import("sax"))
  const isXml = dialect === "xml"
  const parser = sax.parser(isXml, { noscript: true })
  const escape = isXml ? (piece: string) => piece : makeEscape()
  let parts: Array<MarkupPart> = []
  let isOver = false
  const fault = hear(parser, (part) => {
    if (!isOver) parts.push(part)
    isOver ||= part._tag === "Fault"
  })
  const parse = (text: string): void => {
    for (let at = 0; at < text.length && !isOver; at += pieceCharacters) {
      parser.write(text.slice(at, at + pieceCharacters))
      if (parser.position - parser.startTagPosition > Limits.markupTagCharacters) {
        fault(`has no tag for ${Limits.markupTagCharacters} characters`)
      }
    }
  }
  const taken = (): ReadonlyArray<MarkupPart> => {
    const found = parts
    parts = []
    return found
  }
  const opened: MarkupParser = {
    write: (piece) => {
      parse(escape(piece, false))
      return taken()
    },
    end: () => {
      parse(escape("", true))
      if (!isOver) parser.close()
      return taken()
    }
  }
  return opened
})

/** Parses the files of banks with `sax`, which takes no entity from a file: a file that defines some is refused. */
export const layer = Layer.succeed(StatementMarkup, { open })
