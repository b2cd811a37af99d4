import { Result } from "effect"

/** A record of a file of values separated by a delimiter, and the line on which it begins, from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: ReadonlyArray<string>
}

/** The fault of a file at a line: how a sentence goes on that begins with the line. */
export interface CsvFault {
  readonly line: number
  readonly says: string
}

/** How much of a file is read. */
export interface CsvBounds {
  readonly records: number
  readonly fields: number
}

/** A field, and where what ends it stands. */
interface Field {
  readonly value: string
  readonly end: number
}

/** A field in quotes, in which a quote is written twice; none where they are not closed. */
const quotedAt = (text: string, start: number): Field | null => {
  let close = text.indexOf('"', start + 1)
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  return close === -1 ? null : { value: text.slice(start + 1, close).replaceAll('""', '"'), end: close + 1 }
}

const isEnd = (character: string | undefined, delimiter: string): boolean =>
  character === undefined || character === delimiter || character === "\r" || character === "\n"

const plainAt = (text: string, start: number, delimiter: string): Field => {
  let end = start
  while (!isEnd(text[end], delimiter) && text[end] !== '"') end += 1
  return { value: text.slice(start, end), end }
}

/** The field that begins there; none where a quote is not closed, or stands beside other text. */
const fieldAt = (text: string, start: number, delimiter: string): Field | null => {
  const field = text[start] === '"' ? quotedAt(text, start) : plainAt(text, start, delimiter)
  return field !== null && isEnd(text[field.end], delimiter) ? field : null
}

const linesIn = (text: string): number => text.match(/\r\n|\r|\n/gu)?.length ?? 0

/**
 * The records of a text as RFC 4180 writes them, with any one character as the delimiter and any end of line; a byte order mark
 * is passed over, and so are lines without anything. Fails with the first line that cannot be read, or is one too many.
 *
 * @example
 * ```ts
 * Csv.readCsv('Day;Text\r\n2;"a ""b"""', ";", { records: 2, fields: 2 })
 * // => Result.succeed([{ line: 1, fields: ["Day", "Text"] }, { line: 2, fields: ["2", 'a "b"'] }])
 * Csv.readCsv("1,2,3", ",", { records: 2, fields: 2 }) // => Result.fail({ line: 1, says: "has more than 2 fields" })
 * ```
 */
export const readCsv = (
  text: string,
  delimiter: string,
  bounds: CsvBounds
): Result.Result<ReadonlyArray<CsvRecord>, CsvFault> => {
  const records: Array<CsvRecord> = []
  let fields: Array<string> = []
  let [line, begun] = [1, 1]
  let at = text.startsWith("\uFEFF") ? 1 : 0
  while (at < text.length || fields.length > 0) {
    const field = fieldAt(text, at, delimiter)
    if (field === null) return Result.fail({ line, says: "has a quote that is not closed, or has text beside it" })
    fields.push(field.value)
    if (fields.length > bounds.fields) return Result.fail({ line, says: `has more than ${bounds.fields} fields` })
    const next = field.end + (text.startsWith("\r\n", field.end) ? 2 : 1)
    line += linesIn(text.slice(at, next))
    at = next
    if (text[field.end] === delimiter) continue
    if (fields.length > 1 || fields[0] !== "") records.push({ line: begun, fields })
    if (records.length > bounds.records) {
      return Result.fail({ line: begun, says: `is one too many: a file has at most ${bounds.records} lines` })
    }
    fields = []
    begun = line
  }
  return Result.succeed(records)
}
