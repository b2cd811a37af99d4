import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"

/** Forgets what has ended with its attempts. What another worker forgets at the same moment is skipped. */
export const makeTrim =
  (sql: SqlClient.SqlClient): DeliveryStore["Service"]["trim"] =>
  (before, limit) =>
    Effect.orDie(
      Effect.map(
        sql`
          WITH old AS MATERIALIZED (
            SELECT f.organisation_id, f.id FROM /* every organisation */ finished_deliveries AS f
            WHERE f.completed_at <= ${new Date(DateTime.toEpochMillis(before))}
            ORDER BY f.completed_at LIMIT ${limit}::int4
            FOR UPDATE SKIP LOCKED
          ),
          attempts AS (
            DELETE FROM delivery_attempts AS a USING old AS o
            WHERE a.organisation_id = o.organisation_id AND a.delivery_id = o.id
          )
          DELETE FROM finished_deliveries AS f USING old AS o
          WHERE f.organisation_id = o.organisation_id AND f.id = o.id
          RETURNING f.id`,
        (trimmed) => trimmed.length
      )
    )
