import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Identifier, Statement } from "effect/sql/Statement"
import { inSchema, SchemaName } from "../connection/SchemaName.ts"
import { type CompiledStatement, cacheMaximum, makeStatementCache } from "./StatementCache.ts"
import { readStatement } from "./TenantCheck.ts"

/** The defect of a statement that would reach other organisations' rows. It was not sent. Its text holds no values. */
export class TenantForgotten extends Error {
  constructor(faults: ReadonlyArray<string>, statement: string) {
    super(`${faults.join("; ")}: ${statement.replaceAll(/\s+/g, " ").trim()}`)
    this.name = "TenantForgotten"
  }
}

const prototypeOf: (statement: Statement<unknown>) => Statement<unknown> = Object.getPrototypeOf

/**
 * A client that sends no statement in which a table of tenants is not restricted to one of them. When a schema is
 * named, tables are looked for in it. Each statement's text is checked once.
 */
export const tenantGuard = (sql: SqlClient.SqlClient, schema?: string): SqlClient.SqlClient => {
  const texts = makeStatementCache()
  /** The checked texts, each with the text that is sent. */
  const admitted = new Map<string, string>()
  const admit = (text: string): string => {
    const known = admitted.get(text)
    if (known !== undefined) return known
    const { faults, tables } = readStatement(text)
    if (faults.length > 0) throw new TenantForgotten(faults, text)
    if (admitted.size >= cacheMaximum) admitted.clear()
    const sent = schema === undefined ? text : inSchema(text, tables, schema)
    admitted.set(text, sent)
    return sent
  }
  /** One for all statements, which are made by the dozen for each request: it finds the library's own in their prototype. */
  const guard = {
    compile(this: Statement<unknown>, withoutTransform?: boolean): CompiledStatement {
      return texts(this.segments, () => {
        const [text, values] = prototypeOf(this).compile.call(this, withoutTransform)
        return [admit(text), values]
      })
    }
  }
  const guarded = <A>(statement: Statement<A>): Statement<A> => Object.assign(statement, guard)

  function client(value: string): Identifier
  function client<A extends object>(strings: TemplateStringsArray, ...args: Array<unknown>): Statement<A>
  function client<A extends object>(strings: string | TemplateStringsArray, ...args: Array<unknown>) {
    return typeof strings === "string" ? sql(strings) : guarded(sql<A>(strings, ...args))
  }

  const walled: SqlClient.SqlClient = Object.assign(client, sql, {
    unsafe: <A extends object>(text: string, params?: ReadonlyArray<unknown>) => guarded(sql.unsafe<A>(text, params))
  })
  return walled
}

/** Puts {@link tenantGuard} between a client and the stores on it, whose tables are in {@link SchemaName}. */
export const layer: Layer.Layer<SqlClient.SqlClient, never, SqlClient.SqlClient> = Layer.effect(
  SqlClient.SqlClient,
  Effect.gen(function* () {
    return tenantGuard(yield* SqlClient.SqlClient, yield* SchemaName)
  })
)
