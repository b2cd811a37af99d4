import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Identifier, Statement } from "effect/sql/Statement"
import { check } from "./TenantCheck.ts"

/** A statement that would reach other organisations' rows. It was not sent. The text holds no values. */
export class TenantForgotten extends Error {
  constructor(faults: ReadonlyArray<string>, statement: string) {
    super(`${faults.join("; ")}: ${statement.replaceAll(/\s+/g, " ").trim()}`)
    this.name = "TenantForgotten"
  }
}

/** Statements are few, and sent over and over; those of lists with many filters are more, so that memory has a bound. */
const remembered = 2_000

/** A client that sends no statement in which a table of tenants is not restricted to one. Each text is looked at once. */
export const wall = (sql: SqlClient.SqlClient): SqlClient.SqlClient => {
  const admitted = new Set<string>()
  const admit = (text: string): void => {
    if (admitted.has(text)) return
    const faults = check(text)
    if (faults.length > 0) throw new TenantForgotten(faults, text)
    if (admitted.size >= remembered) admitted.clear()
    admitted.add(text)
  }
  const guarded = <A>(statement: Statement<A>): Statement<A> => {
    const compile = statement.compile.bind(statement)
    return Object.assign(statement, {
      compile: (withoutTransform?: boolean) => {
        const compiled = compile(withoutTransform)
        admit(compiled[0])
        return compiled
      }
    })
  }

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

/** Puts {@link wall} between a client and the stores that are built on it. */
export const layer: Layer.Layer<SqlClient.SqlClient, never, SqlClient.SqlClient> = Layer.effect(
  SqlClient.SqlClient,
  Effect.map(SqlClient.SqlClient, wall)
)
