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

/** How large a record may be. */
export interface CsvBounds {
  readonly fields: number
  readonly characters: number
}

/** Reads a text piece by piece: each piece with the last of which nothing follows. */
export type CsvReader = (piece: string, isLast: boolean) => Result.Result<ReadonlyArray<CsvRecord>, CsvFault>

/** A field, and where what ends it stands. */
interface Field {
  readonly value: string
  readonly end: number
}

/** A field in quotes, in which a quote is written twice; where they are not closed, it ends behind the text. */
const quotedAt = (text: string, start: number): Field => {
  let close = text.indexOf('"', start + 1)
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  const end = close === -1 ? text.length : close
  return { value: text.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 }
}

const isEnd = (character: string | undefined, delimiter: string): boolean =>
  character === undefined || character === delimiter || character === "\r" || character === "\n"

const plainAt = (text: string, start: number, delimiter: string): Field => {
  let end = start
  while (!isEnd(text[end], delimiter) && text[end] !== '"') end += 1
  return { value: text.slice(start, end), end }
}

const fieldAt = (text: string, start: number, delimiter: string): Field =>
  text[start] === '"' ? quotedAt(text, start) : plainAt(text, start, delimiter)

const linesIn = (text: string): number => text.split(/\r\n|\r|\n/u).length - 1

const unclosed = "has a quote that is not closed, or has text beside it"

/** The record that begins there, and where the next does; null where the text ends before one can tell. */
const recordAt = (text: string, start: number, delimiter: string, isLast: boolean, bounds: CsvBounds) => {
  const fields: Array<string> = []
  let at = start
  for (;;) {
    const { end, value } = fieldAt(text, at, delimiter)
    // Behind a quote another may follow, and behind a return a line feed.
    const isTold = isLast || end < text.length - 1
    const isLong = Math.min(end, text.length) - start > bounds.characters
    if (!isTold && !isLong) return Result.succeed(null)
    if (end > text.length || !isEnd(text[end], delimiter)) return Result.fail(unclosed)
    if (isLong) return Result.fail(`has more than ${bounds.characters} characters`)
    fields.push(value)
    if (fields.length > bounds.fields) return Result.fail(`has more than ${bounds.fields} fields`)
    at = end + (text.startsWith("\r\n", end) ? 2 : 1)
    if (text[end] !== delimiter) return Result.succeed({ fields, next: at })
  }
}

/**
 * Reads the records of a text as RFC 4180 writes them, with any one character as the delimiter and any end of line; a byte order
 * mark is passed over, and so are lines without anything. Fails with the first line that cannot be read, or is too large.
 * @example
 * const read = Csv.makeCsvReader(";", { fields: 2, characters: 20 })
 * read('Day;Text\r\n2;"a', false) // => Result.succeed([{ line: 1, fields: ["Day", "Text"] }])
 * read(' ""b"""', true) // => Result.succeed([{ line: 2, fields: ["2", 'a "b"'] }])
 * Csv.makeCsvReader(",", { fields: 2, characters: 9 })("1,2,3", true) // => Result.fail({ line: 1, says: "has more than 2 fields" })
 */
export const makeCsvReader = (delimiter: string, bounds: CsvBounds): CsvReader => {
  let rest = ""
  let line = 1
  let isBegun = false
  return (piece, isLast) => {
    const text = rest + (isBegun ? piece : piece.replace(/^\uFEFF/u, ""))
    isBegun ||= piece !== ""
    const records: Array<CsvRecord> = []
    let at = 0
    while (at < text.length) {
      const read = recordAt(text, at, delimiter, isLast, bounds)
      if (Result.isFailure(read)) return Result.fail({ line, says: read.failure })
      if (read.success === null) break
      const { fields, next } = read.success
      if (fields.length > 1 || fields[0] !== "") records.push({ line, fields })
      line += linesIn(text.slice(at, next))
      at = next
    }
    rest = text.slice(at)
    return Result.succeed(records)
  }
}

/** What a spreadsheet takes for a formula, or looks through to one. */
const beginsFormula = /^[=+\-@\t\r]/u

const cellText = (value: string): string => {
  const guarded = beginsFormula.test(value) ? `'${value}` : value
  return /[",\r\n]/u.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/**
 * A line as RFC 4180 writes it, with its end. A cell that begins with `=`, `+`, `-`, `@`, a tab or a return gets an apostrophe
 * before it, so that no spreadsheet takes it for a formula.
 * @example Csv.lineOf(["Ada, Ltd", "=1+1", ""]) // => "\"Ada, Ltd\",'=1+1,\r\n"
 */
export const lineOf = (cells: ReadonlyArray<string>): string => `${cells.map(cellText).join(",")}\r\n`
