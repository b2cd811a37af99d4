import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { Expirable } from "../../../ports/kernel/Expirable.ts"

/** Rows `t` of a table that a rule holds for, the earliest `expires_at` first. */
export const expirable = (
  sql: SqlClient.SqlClient,
  {
    except,
    limit,
    only,
    ranOut,
    table
  }: {
    readonly table: string
    readonly ranOut: Fragment
    readonly limit: number
    readonly except: ReadonlyArray<string>
    readonly only: OrganisationId | undefined
  }
): Effect.Effect<ReadonlyArray<Expirable>, SqlError> => sql<Expirable>`
  SELECT t.organisation_id, t.id, (date_part('epoch', t.expires_at) * 1000)::float8 AS expired_millis
  FROM /* every organisation */ ${sql.literal(table)} AS t
  WHERE ${ranOut} AND t.id <> ALL(${[...except]}::text[])
    ${only === undefined ? sql.literal("") : sql`AND t.organisation_id = ${only}`}
  ORDER BY t.expires_at, t.id LIMIT ${limit}::int4`
