import { Predicate } from "effect"
import { CliOutput } from "effect/cli"

/** Escapes control characters, so that text from outside cannot command the terminal. */
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

export const oneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return "-"
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(cell).join(", ")
  return printable(Predicate.isString(value) ? value : JSON.stringify(value))
}

const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))

const grid = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => CliOutput.displayWidth(row[column] ?? "")))
  )
  return rows.map((row) =>
    row
      .map((text, column) => pad(text, widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !Array.isArray(value)

/** How many of a record's parts a cell names. */
const namedParts = 2

/** A column of a table; `candidates.donor_name` is that of each of the candidates. */
const cellOf = (row: Readonly<Record<string, unknown>>, column: string): string => {
  const [name = column, field] = column.split(".")
  const value = row[name]
  if (field === undefined || !Array.isArray(value)) return cell(value)
  const more = value.length > namedParts ? [`${value.length - namedParts} more`] : []
  return cell([...value.slice(0, namedParts).map((part) => (isRecord(part) ? part[field] : part)), ...more])
}

/** The lines of a cell: one, or one for each part of a record, such as the balances of the books. */
const linesOf = (row: Readonly<Record<string, unknown>>, column: string): ReadonlyArray<string> => {
  const value = row[column]
  if (!isRecord(value)) return [cellOf(row, column)]
  return Object.entries(value).map(([name, part]) => `${printable(name)} ${cell(part)}`)
}

const table = (records: ReadonlyArray<unknown>, columns: ReadonlyArray<string> | undefined): ReadonlyArray<string> => {
  const rows = records.filter(isRecord)
  const names = columns ?? Object.keys(rows[0] ?? {})
  return grid([
    names.map((name) => name.replace(/\..*/u, "").toUpperCase().replaceAll("_", " ")),
    ...rows.flatMap((row) => {
      const cells = names.map((name) => linesOf(row, name))
      return Array.from({ length: Math.max(1, ...cells.map(({ length }) => length)) }, (_, line) =>
        cells.map((lines) => lines[line] ?? "")
      )
    })
  ])
}

const isNested = (value: unknown): boolean =>
  isRecord(value) || (Array.isArray(value) && value.length > 0 && value.every(isRecord))

const fields = (record: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const plain = Object.entries(record).filter(([, value]) => !isNested(value))
  const nested = Object.entries(record).filter(([, value]) => isNested(value))
  return [
    ...grid(plain.map(([name, value]) => [name, cell(value)])),
    ...nested.flatMap(([name, value], index) => [
      ...(plain.length > 0 || index > 0 ? [""] : []),
      `${name}:`,
      ...(isRecord(value) ? fields(value) : table(Array.isArray(value) ? value : [], undefined)).map(
        (line) => `  ${line}`
      )
    ])
  ]
}

const list = (
  { data, has_more }: { readonly data: ReadonlyArray<unknown>; readonly has_more: boolean },
  columns: ReadonlyArray<string> | undefined
): ReadonlyArray<string> => {
  if (data.length === 0) return ["There are none."]
  const last = data.at(-1)
  const more = has_more && isRecord(last) ? ["", `There are more: --starting-after ${cell(last["id"])}`] : []
  return [...table(data, columns), ...more]
}

/** A result for people: lists as tables, records as their fields. */
export const render = (result: unknown, columns?: ReadonlyArray<string>): string => {
  if (!isRecord(result)) return cell(result)
  const data = result["data"]
  const lines = Array.isArray(data) ? list({ data, has_more: result["has_more"] === true }, columns) : fields(result)
  return lines.join("\n")
}
