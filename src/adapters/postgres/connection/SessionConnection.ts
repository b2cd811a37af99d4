import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Stream } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"

type Transform = Parameters<Connection["execute"]>[2]

/** Wraps every statement of a connection. */
export type Around = <A>(statement: Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>

/** A session, or the part of one that its holder has, as Effect's SQL client knows connections. */
export class SessionConnection implements Connection {
  private readonly connection: PgConnection.PgConnection
  private readonly around: Around

  constructor(connection: PgConnection.PgConnection, around: Around) {
    this.connection = connection
    this.around = around
  }

  private rows(text: string, params: ReadonlyArray<unknown>, transformRows: Transform, prepare: boolean) {
    const rows = Effect.map(this.around(this.connection.query(text, params, prepare)), (result) => result.rows)
    return transformRows === undefined ? rows : Effect.map(rows, transformRows)
  }

  execute(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return this.rows(text, params, transformRows, true)
  }
  executeRaw(text: string, params: ReadonlyArray<unknown>) {
    return this.around(this.connection.query(text, params))
  }
  executeStream(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return Stream.fromIterableEffect(this.execute(text, params, transformRows))
  }
  executeValues(text: string, params: ReadonlyArray<unknown>) {
    return this.around(this.connection.queryValues(text, params))
  }
  executeValuesUnprepared(text: string, params: ReadonlyArray<unknown>) {
    return this.around(this.connection.queryValues(text, params, false))
  }
  executeUnprepared(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return this.rows(text, params, transformRows, false)
  }
}
