import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ChargeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { ChargeStore, DueCharge } from "../../../ports/payments/ChargeStore.ts"
import { type Awaiting, heldInTurn, lanes } from "../records/InTurn.ts"

type Store = ChargeStore["Service"]

const readNow = Schema.decodeUnknownSync(Schema.Struct({ at: Schema.Date }))
const isDue = Schema.is(Schema.Struct({ organisation_id: OrganisationId, id: ChargeId }))

/** The database's clock as records have it, rounded down: what was written as due now is due. */
const now = (sql: SqlClient.SqlClient) => sql`date_trunc('milliseconds', statement_timestamp())`

export const makeNow = (sql: SqlClient.SqlClient): Store["now"] =>
  Effect.orDie(Effect.map(sql`SELECT ${now(sql)} AS at`, ([row]) => DateTime.makeUnsafe(readNow(row).at)))

const awaiting: Awaiting = { table: "charges", due: "look_at" }

/** The statement that leases. */
const lease = (sql: SqlClient.SqlClient, limit: number, lease: Duration.Duration) => sql`
  WITH RECURSIVE ${heldInTurn(sql, awaiting, limit)}, claimed AS (
    UPDATE /* every organisation */ charges AS c
    SET look_at = date_trunc('milliseconds',
      statement_timestamp() + ${Duration.toMillis(lease)}::float8 * interval '1 millisecond')
    WHERE c.ctid = ANY(ARRAY(SELECT tid FROM held))
    RETURNING c.organisation_id, c.id
  )
  SELECT c.organisation_id, c.id FROM claimed AS c JOIN picked AS k ON k.organisation_id = c.organisation_id AND k.id = c.id
  ORDER BY k.place, k.due_at, k.id`

/** Leases what is due. A row whose id is none is leased with the rest, and not handed out. */
export const makeClaim =
  (sql: SqlClient.SqlClient): Store["claim"] =>
  (limit, duration) =>
    Effect.orDie(
      Effect.map(lease(sql, limit, duration), (found): ReadonlyArray<DueCharge> => found.filter((row) => isDue(row)))
    )

/** Makes a charge due. What is due already keeps its place. */
export const makeDue = (sql: SqlClient.SqlClient, organisation_id: OrganisationId, id: ChargeId) => sql`
  UPDATE charges SET look_at = least(look_at, ${now(sql)})
  WHERE organisation_id = ${organisation_id} AND id = ${id}`

export const makeNextDue = (sql: SqlClient.SqlClient): Store["nextDue"] =>
  Effect.orDie(
    Effect.map(
      sql<{ readonly millis: number | null }>`
        WITH RECURSIVE ${lanes(sql, awaiting)}
        SELECT (extract(epoch FROM min(due.look_at) - statement_timestamp()) * 1000)::float8 AS millis
        FROM lanes AS l CROSS JOIN LATERAL (
          SELECT c.look_at FROM charges AS c WHERE c.organisation_id = l.organisation_id AND c.look_at IS NOT NULL
          ORDER BY c.look_at, c.id LIMIT 1
        ) AS due`,
      ([row]) =>
        Option.map(Option.fromNullishOr(row?.millis), (millis) => Duration.millis(Math.max(0, Math.ceil(millis))))
    )
  )
