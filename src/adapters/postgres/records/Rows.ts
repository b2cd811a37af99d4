import { DateTime, Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { UnreadableRecord } from "../../../ports/kernel/UnreadableRecord.ts"
import { recordGuard } from "./RecordGuard.ts"

type Row = Readonly<Record<string, unknown>>

/** A statement that answers rows. */
export type Query = Effect.Effect<ReadonlyArray<Row>, SqlError>

/** Reads the rows of a kind. */
export interface Rows<A> {
  /** The columns to select, each prefixed with the alias. */
  readonly columns: (alias: string) => string
  readonly names: ReadonlyArray<string>
  readonly read: (row: Row) => A
  /** Reads rows one by one: one that is no record does not keep the others from being read. */
  readonly readable: (rows: ReadonlyArray<Row>) => {
    readonly read: ReadonlyArray<A>
    readonly unreadable: ReadonlyArray<Row>
  }
  readonly all: (query: Query) => Effect.Effect<ReadonlyArray<A>>
  /** The first row, if any. */
  readonly first: (query: Query) => Effect.Effect<Option.Option<A>>
}

/** A column that needs treatment of its own: JSON, another name, or a value from elsewhere. */
export interface Column {
  readonly name?: string
  /** The SQL expression that is selected in its place, for a table's alias. */
  readonly select?: (alias: string) => string
  readonly read?: (value: unknown) => unknown
}

/** A column of whole numbers: `int8` arrives as a bigint. */
export const integer: Column = { read: (value) => (typeof value === "bigint" ? Number(value) : value) }

/**
 * Reads rows whose columns have the record's field names. The driver gives instants as `Date`; every value is then
 * checked against the record's schema, many times faster than by decoding it. A row that is no record is a defect,
 * whose message names the fields and none of the values.
 */
export const rowsOf = <A>(
  schema: Schema.Codec<A, unknown> & { readonly fields: Schema.Struct.Fields },
  columns: Readonly<Record<string, Column>> = {}
): Rows<A> => {
  const fields = Object.entries(schema.fields)
  const names = fields.map(([name]) => name)
  const isRecord = recordGuard(schema)
  const reads = Object.entries(columns).flatMap(([name, { read: readOne }]) =>
    readOne === undefined ? [] : [[name, readOne] as const]
  )
  /** A record with every field: a copy takes its values without growing. */
  const blank: Readonly<Record<string, unknown>> = Object.fromEntries(names.map((name) => [name, null]))
  const read = (row: Row): A => {
    const record = { ...blank }
    for (const name of names) {
      const value = row[name]
      record[name] = value instanceof Date ? (Option.getOrNull(DateTime.make(value)) ?? value) : value
    }
    for (const [name, readOne] of reads) record[name] = readOne(record[name])
    if (isRecord(record)) return record
    const wrong = fields.filter(([name, field]) => !Schema.is(field)(record[name])).map(([name]) => name)
    throw new UnreadableRecord({ fields: wrong })
  }
  const select = (alias: string, name: string): string => {
    const column = columns[name]
    if (column?.select !== undefined) return `${column.select(alias)} AS ${name}`
    return column?.name === undefined ? `${alias}.${name}` : `${alias}.${column.name} AS ${name}`
  }
  /** Reads a row; none where the driver or the schema throws at it. */
  const tried = (row: Row): Option.Option<A> => {
    try {
      return Option.some(read(row))
    } catch {
      return Option.none()
    }
  }
  return {
    readable: (found) => {
      const tries = found.map((row) => [row, tried(row)] as const)
      return {
        read: tries.flatMap(([, record]) => Option.toArray(record)),
        unreadable: tries.flatMap(([row, record]) => (Option.isNone(record) ? [row] : []))
      }
    },
    columns: (alias) => names.map((name) => select(alias, name)).join(", "),
    names,
    read,
    all: (query) => Effect.orDie(Effect.map(query, (rows) => rows.map(read))),
    first: (query) =>
      Effect.orDie(Effect.map(query, ([row]) => (row === undefined ? Option.none() : Option.some(read(row)))))
  }
}

/** An instant as PostgreSQL reads it: ISO 8601, except for the years that PostgreSQL writes in its own way. */
const instantText = (at: DateTime.DateTime): string => {
  const text = DateTime.formatIso(at)
  if (text.startsWith("+")) return text.replace(/^\+0*/, "")
  return text.startsWith("0000-") ? `0001-${text.slice(5)} BC` : text
}

/** A record as the JSON document from which `jsonb_populate_record` makes a row. */
export const toRow = (record: object): Readonly<Record<string, unknown>> => {
  const row: Record<string, unknown> = { ...record }
  for (const name of Object.keys(row)) {
    const value = row[name]
    if (DateTime.isDateTime(value)) row[name] = instantText(value)
  }
  return row
}

/** {@link toRow} as text, for a parameter. */
export const rowJson = (record: object): string => JSON.stringify(toRow(record))
