import { createHash } from "node:crypto"
import { Context } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import type { Token } from "../tenant/SqlTree.ts"

/**
 * The schema that everything of Almoner is in: tables, their types and indexes, and the record of migrations. Undefined where
 * the sessions' `search_path` decides.
 */
export const SchemaName = Context.Reference<string | undefined>("almoner/adapters/postgres/SchemaName", {
  defaultValue: () => undefined
})

const pattern = /^[A-Za-z_][A-Za-z0-9_-]*$/

/**
 * Whether a schema may have this name: letters, digits, `_` and `-`, a letter or `_` first, of which there may be as many as
 * PostgreSQL keeps. Names that begin with `pg_`, and `information_schema`, are PostgreSQL's own.
 */
export const isSchemaName = (name: string): boolean =>
  name.length <= Limits.schemaNameCharacters &&
  pattern.test(name) &&
  !name.toLowerCase().startsWith("pg_") &&
  name !== "information_schema"

/** A statement whose tables are looked for in the schema, whatever the session's `search_path` is. */
export const inSchema = (statement: string, tables: ReadonlyArray<Token>, schema: string): string => {
  const places = tables.map(({ at }) => at).sort((a, b) => a - b)
  const parts = [0, ...places].map((from, n) => statement.slice(from, places[n]))
  return parts.join(`"${schema}".`)
}

/** Locks and channels are the database's and not a schema's: the same name means another one in each schema. */
export const nameIn = (schema: string | undefined, name: string): string =>
  schema === undefined ? name : `${name}_${createHash("sha256").update(schema).digest("hex").slice(0, 16)}`
