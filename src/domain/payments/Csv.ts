import { Result } from "effect"

/** A record of a file of values separated by a delimiter, and the line on which it begins, from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: ReadonlyArray<string>
}

/** What is wrong about a file, and on which line. */
export interface CsvFault {
  readonly line: number
  readonly message: string
}

/** How much of a file is read. */
export interface CsvBounds {
  readonly records: number
  readonly fields: number
}

/** A field with quotes, one without, and whatever ends it. A quote in quotes is written twice. RFC 4180, section 2. */
const fieldPattern = (delimiter: string): RegExp =>
  new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"\\r\\n${delimiter === "\t" ? "\\t" : delimiter}]*))(\\r\\n|\\r|\\n|$|[${delimiter}])`,
    "uy"
  )

const linesIn = (text: string): number => text.match(/\r\n|\r|\n/gu)?.length ?? 0

/**
 * The records of a text as RFC 4180 writes them, with any one character as the delimiter and any end of line; a byte order mark
 * is passed over, and so are lines without anything. Fails with the first line that cannot be read, or is one too many.
 */
export const readCsv = (
  text: string,
  delimiter: string,
  bounds: CsvBounds
): Result.Result<ReadonlyArray<CsvRecord>, CsvFault> => {
  const pattern = fieldPattern(delimiter)
  const records: Array<CsvRecord> = []
  let fields: Array<string> = []
  let [line, begun] = [1, 1]
  pattern.lastIndex = text.startsWith("\uFEFF") ? 1 : 0
  while (pattern.lastIndex < text.length || fields.length > 0) {
    const found = pattern.exec(text)
    if (found === null) {
      return Result.fail({
        line,
        message: 'has a quote that is not closed, or text beside it: a quote in a field is written as ""'
      })
    }
    const [whole, quoted, plain = "", end = ""] = found
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (fields.length > bounds.fields) return Result.fail({ line, message: `has more than ${bounds.fields} fields` })
    line += linesIn(whole)
    if (end === delimiter) continue
    if (fields.length > 1 || fields[0] !== "") records.push({ line: begun, fields })
    if (records.length > bounds.records) {
      return Result.fail({ line: begun, message: `is one too many: a file has at most ${bounds.records} lines` })
    }
    fields = []
    begun = line
  }
  return Result.succeed(records)
}
