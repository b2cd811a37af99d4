import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"

/** Has the time of an organisation's deliveries pass at once: what waits is due earlier, what fails has failed for longer. */
export const makeBringForward =
  (sql: SqlClient.SqlClient): DeliveryStore["Service"]["bringForward"] =>
  (organisation_id, by_millis) => {
    const by = sql`${by_millis}::float8 * interval '1 millisecond'`
    return Effect.orDie(
      Effect.andThen(
        sql`
          UPDATE pending_deliveries AS p SET next_attempt_at = p.next_attempt_at - ${by}
          WHERE p.organisation_id = ${organisation_id} AND p.lease_id IS NULL`,
        Effect.asVoid(sql`
          UPDATE webhook_endpoints AS e
          SET failing_since = e.failing_since - ${by}, exhausted_at = e.exhausted_at - ${by}
          WHERE e.organisation_id = ${organisation_id} AND e.failing_since IS NOT NULL`)
      )
    )
  }
