import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Rule from "../../../domain/kernel/Rule.ts"
import type { Expirable, FindExpirable } from "../../../ports/kernel/Expirable.ts"
import { ruleOf } from "./Rules.ts"

/** Finds rows `t` of a table that a rule holds for, the earliest `expires_at` first. */
export const makeExpirable =
  (sql: SqlClient.SqlClient, table: string, ranOut: Rule.TimedRule): FindExpirable =>
  (now, limit, except, only) =>
    Effect.orDie(sql<Expirable>`
      SELECT t.organisation_id, t.id, (date_part('epoch', t.expires_at) * 1000)::float8 AS expired_millis
      FROM /* every organisation */ ${sql.literal(table)} AS t
      WHERE ${ruleOf(sql, Rule.at(ranOut, now), "t")} AND t.id <> ALL(${[...except]}::text[])
        ${only === undefined ? sql.literal("") : sql`AND t.organisation_id = ${only}`}
      ORDER BY t.expires_at, t.id LIMIT ${limit}::int4`)
