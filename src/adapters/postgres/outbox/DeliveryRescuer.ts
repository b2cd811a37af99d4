import { Effect, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { longestWaitSeconds } from "../../../domain/outbox/Delivery.ts"
import type { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { readOrDie, runOrDie } from "../records/Records.ts"
import { pendingColumns, readPending, storeNow, storeTimeOf } from "./DeliveryQueue.ts"
import { setAside } from "./DeliverySetAside.ts"

export const makeRelease =
  (sql: SqlClient.SqlClient): DeliveryStore["Service"]["release"] =>
  (lease_ids) =>
    runOrDie(sql`
        UPDATE /* every organisation */ pending_deliveries SET lease_id = NULL, lease_until = NULL
        WHERE lease_id IS NOT NULL AND lease_id = ANY(${[...lease_ids]}::text[])`)

/** Ordered as the index of leases is, which holds few rows, so that the table's own number does not matter. */
export const makeExpired = (sql: SqlClient.SqlClient): DeliveryStore["Service"]["expired"] => {
  const aside = setAside(sql)
  return Effect.fnUntraced(function* ({ limit, over_millis }) {
    const found = yield* sql`
      SELECT ${storeNow(sql)} AS at, ${sql.literal(pendingColumns("p"))}, p.lease_id
      FROM /* every organisation */ pending_deliveries AS p
      WHERE p.lease_id IS NOT NULL AND p.lease_until <= statement_timestamp() - ${over_millis}::float8 * interval '1 millisecond'
      ORDER BY p.organisation_id, p.lease_until, p.id LIMIT ${limit}::int4`
    const read = found.map((row) => ({ ...readPending(row), at: storeTimeOf(row) }))
    yield* aside(
      read.flatMap(({ delivery, id, lease_id, organisation_id }) =>
        Result.isFailure(delivery) ? [{ organisation_id, id, lease_id, reason: delivery.failure }] : []
      )
    )
    return read.flatMap(({ at, delivery, lease_id }) =>
      Result.isSuccess(delivery) ? [{ delivery: delivery.success, lease_id, at }] : []
    )
  }, Effect.orDie)
}

/** `domain/outbox/Delivery.longestWaitSeconds` for every pair of counts: the wait at `attempts * width + interruptions`. */
const width = Limits.deliveryInterruptions + 1
const longestWaits = Array.from({ length: (Limits.deliveryAttempts + 1) * width }, (_, index) =>
  longestWaitSeconds({ attempt_count: Math.floor(index / width), interruption_count: index % width })
)

export const makeRepair =
  (sql: SqlClient.SqlClient): DeliveryStore["Service"]["repair"] =>
  (lease_millis) =>
    readOrDie(
      sql`
          UPDATE /* every organisation */ pending_deliveries AS p
          SET next_attempt_at = least(p.next_attempt_at, longest.due),
              lease_until = CASE WHEN p.lease_id IS NULL OR p.set_aside_reason IS NOT NULL THEN p.lease_until
                                 ELSE least(p.lease_until, longest.lease) END
          FROM /* every organisation */ pending_deliveries AS f
          CROSS JOIN LATERAL (
            SELECT statement_timestamp() + interval '1 second'
                     * (${longestWaits}::float8[])[f.attempt_count * ${width}::int4 + f.interruption_count + 1] AS due,
                   date_trunc('milliseconds', statement_timestamp() + ${lease_millis}::float8 * interval '1 millisecond') AS lease
          ) AS longest
          WHERE f.organisation_id = p.organisation_id AND f.id = p.id
            AND (f.next_attempt_at > longest.due OR (f.set_aside_reason IS NULL AND f.lease_until > longest.lease))
          RETURNING p.id`,
      (repaired) => repaired.length
    )
