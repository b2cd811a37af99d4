import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { exhaustedRule, inFlight, interruptionError, machine, receivedRule } from "../../../domain/outbox/Delivery.ts"
import type { AttemptResult, DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { retryConflicts } from "../connection/Transaction.ts"
import { runOrDie } from "../records/Records.ts"
import { ruleOf, toRow } from "../records/Rows.ts"

const outcomeRow = ({ attempt, delivery, lease_id }: AttemptResult) => ({
  ...toRow(delivery),
  lease_id,
  attempt:
    attempt === null ? null : toRow({ ...attempt, organisation_id: delivery.organisation_id, delivery_id: delivery.id })
})

/**
 * The deliveries that are still held under the lease, moved or freed; `settled` is what became of them. They are locked in
 * the order of the input, one by one, and found again by their place.
 */
const deliveries = (sql: SqlClient.SqlClient, outcomes: ReadonlyArray<AttemptResult>) => sql`
  input AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(outcomes.map(outcomeRow))}::jsonb) AS i (
      organisation_id text, id text, lease_id text, status text, attempt_count int4, interruption_count int4,
      next_attempt_at timestamptz, updated_at timestamptz, completed_at timestamptz, attempt jsonb)
  ),
  held AS MATERIALIZED (
    SELECT i.*, p.tid FROM input AS i CROSS JOIN LATERAL (
      SELECT f.ctid AS tid FROM pending_deliveries AS f
      WHERE f.organisation_id = i.organisation_id AND f.id = i.id AND f.lease_id = i.lease_id
      FOR UPDATE
    ) AS p
  ),
  ended AS (
    DELETE FROM pending_deliveries AS p USING held AS i
    WHERE p.ctid = ANY(ARRAY(SELECT h.tid FROM held AS h WHERE NOT ${ruleOf(sql, inFlight, "h")}))
      AND p.organisation_id = i.organisation_id AND p.id = i.id
    RETURNING p.organisation_id, p.id, p.endpoint_id, p.event_id, p.event_type, p.replay_of, p.created_at,
              i.status, i.attempt_count, i.interruption_count, i.updated_at, i.completed_at, i.attempt
  ),
  finished AS (
    INSERT INTO finished_deliveries (organisation_id, id, endpoint_id, event_id, event_type, status, attempt_count,
      interruption_count, replay_of, created_at, updated_at, completed_at)
    SELECT organisation_id, id, endpoint_id, event_id, event_type, status, attempt_count,
      interruption_count, replay_of, created_at, updated_at, completed_at
    FROM ended
  ),
  retried AS (
    UPDATE pending_deliveries AS p
    SET attempt_count = i.attempt_count, interruption_count = i.interruption_count,
        next_attempt_at = i.next_attempt_at, updated_at = i.updated_at, lease_id = NULL, lease_until = NULL
    FROM held AS i
    WHERE p.ctid = ANY(ARRAY(SELECT h.tid FROM held AS h WHERE ${ruleOf(sql, inFlight, "h")}))
      AND p.organisation_id = i.organisation_id AND p.id = i.id
    RETURNING p.organisation_id, p.endpoint_id, i.status, i.attempt
  ),
  settled AS (
    SELECT organisation_id, endpoint_id, status, attempt,
           CASE WHEN ${ruleOf(sql, exhaustedRule, "e")} THEN completed_at END AS exhausted_at
    FROM ended AS e
    UNION ALL
    SELECT organisation_id, endpoint_id, status, attempt, NULL FROM retried
  ),
  attempts AS (
    INSERT INTO delivery_attempts
    SELECT a.* FROM settled AS s CROSS JOIN LATERAL jsonb_populate_record(NULL::delivery_attempts, s.attempt) AS a
    WHERE jsonb_typeof(s.attempt) = 'object'
  )`

/**
 * The endpoints' run of failures goes on, ends, or begins anew after the last attempt that was received: what
 * `domain/outbox/FailureRun` says of one attempt, said of a batch. test/adapters/PostgresRestatedRules.test.ts runs both.
 */
const settleAll = (sql: SqlClient.SqlClient, outcomes: ReadonlyArray<AttemptResult>) => sql`
  WITH ${deliveries(sql, outcomes)},
  timed AS (
    SELECT organisation_id, endpoint_id, exhausted_at, (attempt ->> 'attempted_at')::timestamptz AS at,
           max((attempt ->> 'attempted_at')::timestamptz) FILTER (WHERE ${ruleOf(sql, receivedRule, "s")})
             OVER (PARTITION BY organisation_id, endpoint_id) AS received_at
    FROM settled AS s
    WHERE jsonb_typeof(attempt) = 'object' AND attempt ->> 'error' IS DISTINCT FROM ${interruptionError}
  ),
  runs AS (
    SELECT organisation_id, endpoint_id, max(received_at) AS received_at,
           min(at) FILTER (WHERE received_at IS NULL OR at > received_at) AS failing_since,
           max(exhausted_at) FILTER (WHERE received_at IS NULL OR at > received_at) AS exhausted_at
    FROM timed GROUP BY organisation_id, endpoint_id
  )
  UPDATE webhook_endpoints AS e
  SET failing_since = CASE WHEN r.received_at IS NULL THEN coalesce(e.failing_since, r.failing_since)
                           ELSE r.failing_since END,
      exhausted_at = CASE WHEN r.received_at IS NULL THEN coalesce(r.exhausted_at, e.exhausted_at)
                          ELSE r.exhausted_at END
  FROM runs AS r
  WHERE e.organisation_id = r.organisation_id AND e.id = r.endpoint_id
    AND CASE WHEN r.received_at IS NULL THEN e.failing_since IS NULL OR r.exhausted_at IS NOT NULL
             ELSE (e.failing_since, e.exhausted_at) IS DISTINCT FROM (r.failing_since, r.exhausted_at) END`

const byId = (a: AttemptResult, b: AttemptResult): number =>
  a.delivery.id < b.delivery.id ? -1 : a.delivery.id > b.delivery.id ? 1 : 0

/** Records a batch in one statement, which may be made again: what it has settled is held under no lease. */
export const makeSettle =
  (sql: SqlClient.SqlClient): DeliveryStore["Service"]["settle"] =>
  (outcomes) =>
    outcomes.length === 0
      ? Effect.void
      : Effect.asVoid(Effect.orDie(retryConflicts(settleAll(sql, outcomes.toSorted(byId)))))

export const makeAbandon =
  (sql: SqlClient.SqlClient): DeliveryStore["Service"]["abandon"] =>
  (organisation_id, endpoint_id, at) => {
    const ended = new Date(DateTime.toEpochMillis(at))
    return runOrDie(sql`
        WITH ended AS (
          DELETE FROM pending_deliveries WHERE organisation_id = ${organisation_id} AND endpoint_id = ${endpoint_id}
          RETURNING *
        )
        INSERT INTO finished_deliveries (organisation_id, id, endpoint_id, event_id, event_type, status, attempt_count,
          interruption_count, replay_of, created_at, updated_at, completed_at)
        SELECT organisation_id, id, endpoint_id, event_id, event_type, ${machine.table.Abandon.to}::text, attempt_count,
          interruption_count, replay_of, created_at, ${ended}::timestamptz, ${ended}::timestamptz
        FROM ended`)
  }
