import { DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { Attempt, Delivery, inFlight } from "../../../domain/outbox/Delivery.ts"
import { EarlierReplay } from "../../../domain/outbox/Replay.ts"
import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { makeList } from "../records/ListPage.ts"
import { insertRecord } from "../records/RecordWriter.ts"
import { rowsOf } from "../records/Rows.ts"
import { ruleOf } from "../records/Rules.ts"
import { makeClaim, makeNow, makeRenew, makeUntilDue, makeUntilDueOf } from "./DeliveryClaim.ts"
import { makeAbandon, makeSettle } from "./DeliveryCompleter.ts"
import { makeExpired, makeRelease, makeRepair } from "./DeliveryRescuer.ts"
import { makePutBack, makeSetAside } from "./DeliverySetAside.ts"
import { rows as endpointRows } from "./WebhookEndpointStore.ts"

/** Has the time of an organisation's deliveries pass at once: what waits is due earlier, what fails has failed for longer. */
const makeBringForward =
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

/** Forgets what has ended with its attempts. What another worker forgets at the same moment is skipped. */
const makeTrim =
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

const rows = rowsOf(Delivery)
const attemptRows = rowsOf(Attempt)
const replayedRows = rowsOf(EarlierReplay)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const insert = (delivery: Delivery) => {
    const { completed_at, next_attempt_at, status, ...rest } = delivery
    return Rule.holds(inFlight, delivery)
      ? insertRecord(sql, "pending_deliveries", { ...rest, next_attempt_at })
      : insertRecord(sql, "finished_deliveries", { ...rest, status, completed_at })
  }

  const find: DeliveryStore["Service"]["find"] = Effect.fnUntraced(function* (organisation_id, id) {
    const found = yield* rows.first(sql`
      SELECT ${sql.literal(rows.columns("t"))} FROM webhook_deliveries AS t
      WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`)
    if (Option.isNone(found)) return Option.none()
    const attempts = yield* attemptRows.all(sql`
      SELECT ${sql.literal(attemptRows.columns("a"))} FROM delivery_attempts AS a
      WHERE a.organisation_id = ${organisation_id} AND a.delivery_id = ${id} ORDER BY a.number`)
    return Option.some({ delivery: found.value, attempts })
  })

  return DeliveryStore.of({
    insert: (delivery) => Effect.asVoid(Effect.orDie(insert(delivery))),
    find,
    list: makeList(sql, { rows, table: "webhook_deliveries" }),
    replaysOf: (organisation_id, events) =>
      events.length === 0
        ? Effect.succeed([])
        : replayedRows.all(sql`
            SELECT ${sql.literal(replayedRows.columns("t"))} FROM webhook_deliveries AS t
            WHERE t.organisation_id = ${organisation_id} AND t.replay_of IS NOT NULL
              AND t.event_id = ANY(${events}::text[])`),
    claim: makeClaim(sql),
    now: makeNow(sql),
    renew: makeRenew(sql),
    release: makeRelease(sql),
    expired: makeExpired(sql),
    repair: makeRepair(sql),
    setAside: makeSetAside(sql),
    putBack: makePutBack(sql),
    settle: makeSettle(sql),
    untilDue: makeUntilDue(sql),
    untilDueOf: makeUntilDueOf(sql),
    bringForward: makeBringForward(sql),
    abandon: makeAbandon(sql),
    trim: makeTrim(sql),
    // One that cannot be read stays as it is: it is not told apart, and the others are.
    failing: (now) =>
      Effect.orDie(
        Effect.map(
          sql`
            SELECT ${sql.literal(endpointRows.columns("e"))} FROM /* every organisation */ webhook_endpoints AS e
            WHERE ${ruleOf(sql, Rule.at(WebhookEndpoint.failingRule, now), "e")}
            ORDER BY e.failing_since, e.id`,
          (found) => endpointRows.readable(found).read
        )
      ),
    releaseAll: Effect.asVoid(
      Effect.orDie(sql`
        UPDATE /* every organisation */ pending_deliveries SET lease_until = to_timestamp(0)
        WHERE lease_id IS NOT NULL AND set_aside_reason IS NULL`)
    )
  })
})

export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient> = Layer.effect(DeliveryStore, make)
