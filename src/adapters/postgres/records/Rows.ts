import { DateTime, Effect, Option, Predicate, Schema, SchemaAST } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Comparison, Scalar } from "../../../domain/kernel/Comparison.ts"
import { readInstant } from "../../../domain/kernel/InstantRange.ts"
import type { Rule } from "../../../domain/kernel/Rule.ts"
import { UnreadableRecord } from "../../../ports/kernel/UnreadableRecord.ts"

type Guard = (value: unknown) => boolean

/** The schema's own guard, for types that have no simpler one. */
const interpreted = (ast: SchemaAST.AST): Guard => Schema.is(Schema.make<Schema.Codec<unknown, unknown>>(ast))

const isInstant: Guard = (value) => DateTime.isDateTime(value) && DateTime.isUtc(value)

const ofUnion = ({ types }: SchemaAST.Union): Guard => {
  const literals = types.flatMap((member) => (member._tag === "Literal" ? [member.literal] : []))
  if (literals.length === types.length) {
    const known: ReadonlySet<unknown> = new Set(literals)
    return (value) => known.has(value)
  }
  const guards = types.map(guardOf)
  const [first, second, ...others] = guards
  return first === undefined || second === undefined || others.length > 0
    ? (value) => guards.some((guard) => guard(value))
    : (value) => first(value) || second(value)
}

const ofObjects = (ast: SchemaAST.Objects): Guard => {
  const isPlain =
    ast.indexSignatures.length === 0 && !ast.propertySignatures.some(({ type }) => SchemaAST.isOptional(type))
  if (!isPlain) return interpreted(ast)
  const guards = ast.propertySignatures.map(({ name, type }) => [name, guardOf(type)] as const)
  return (value) => {
    if (!Predicate.isObject(value)) return false
    for (const [name, guard] of guards) if (!(name in value && guard(Reflect.get(value, name)))) return false
    return true
  }
}

const unchecked = (ast: SchemaAST.AST): Guard => {
  switch (ast._tag) {
    case "Null":
      return Predicate.isNull
    case "String":
      return Predicate.isString
    case "Number":
      return Predicate.isNumber
    case "Boolean":
      return Predicate.isBoolean
    case "Union":
      return ofUnion(ast)
    case "Objects":
      return ofObjects(ast)
    case "Declaration":
      return ast.run === Schema.DateTimeUtc.ast.run ? isInstant : interpreted(ast)
    default:
      return interpreted(ast)
  }
}

const options: SchemaAST.ParseOptions = {}

const passes = (checks: SchemaAST.Checks, value: unknown, ast: SchemaAST.AST): boolean =>
  checks.every((check) =>
    check._tag === "FilterGroup" ? passes(check.checks, value, ast) : check.run(value, ast, options) === undefined
  )

const guardOf = (ast: SchemaAST.AST): Guard => {
  const guard = unchecked(ast)
  const { checks } = ast
  return checks === undefined ? guard : (value) => guard(value) && passes(checks, value, ast)
}

/** Whether a value is of a schema's type, several times faster than `Schema.is` for rows. Made once for a table. */
export const recordGuard = <A>(schema: Schema.Codec<A, unknown>): ((value: unknown) => value is A) => {
  const guard = guardOf(SchemaAST.toType(schema.ast))
  return (value): value is A => guard(value)
}

const operators = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

/**
 * A value of a rule. Instants are parameters, as they differ each time; all other values are written as literals, so
 * that the planner recognises the index that is made for them.
 */
const constant = (sql: SqlClient.SqlClient, type: Comparison["type"], value: Scalar): Fragment => {
  if (type === "timestamp") return sql`${new Date(Number(value))}::timestamptz`
  return sql.literal(typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : `${value}`)
}

const comparison = (sql: SqlClient.SqlClient, { operator, type, values }: Comparison, column: Fragment): Fragment => {
  const [value] = values
  if (operator === "not_in") {
    if (value === undefined) return sql.literal("TRUE")
    return sql`coalesce(${column} NOT IN ${list(sql, type, values)}, TRUE)`
  }
  if (value === undefined) return sql.literal("FALSE")
  if (operator === "in" && values.length > 1) return sql`${column} IN ${list(sql, type, values)}`
  if (typeof value === "boolean" && (operator === "in" || operator === "eq")) {
    return value ? column : sql`NOT ${column}`
  }
  const sign = operator === "in" ? operators.eq : operators[operator]
  return sql`${column} ${sql.literal(sign)} ${constant(sql, type, value)}`
}

const list = (sql: SqlClient.SqlClient, type: Comparison["type"], values: ReadonlyArray<Scalar>): Fragment =>
  sql`(${sql.csv(values.map((value) => constant(sql, type, value)))})`

/**
 * A rule of the domain as a condition on rows: true for those that the rule holds for, false or null for others. A rule
 * that depends on the time is given as it reads at an instant (`Rule.at`).
 */
export const ruleOf = (sql: SqlClient.SqlClient, rule: Rule, alias: string): Fragment => {
  switch (rule._tag) {
    case "Compared":
      return comparison(sql, rule, sql`${sql(`${alias}.${rule.column}`)}`)
    case "Given":
      return sql`${sql(`${alias}.${rule.column}`)} ${sql.literal(rule.given ? "IS NOT NULL" : "IS NULL")}`
    case "Spans": {
      const [from, to] = [sql(`${alias}.${rule.from}`), sql(`${alias}.${rule.to}`)]
      return sql`${to} - ${from} >= ${sql.literal(`interval '${rule.millis} milliseconds'`)}`
    }
    case "Every":
      return sql.and(rule.rules.map((each) => ruleOf(sql, each, alias)))
    case "Some":
      return rule.rules.length === 0 ? sql.literal("FALSE") : sql.or(rule.rules.map((each) => ruleOf(sql, each, alias)))
  }
}

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
      record[name] = value instanceof Date ? (Option.getOrNull(readInstant(value)) ?? value) : value
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
