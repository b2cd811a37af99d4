import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** A migration of nothing but statements, in their order. */
export const statements = (
  ...texts: ReadonlyArray<string>
): Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true }))
