import { DateTime, type Duration, Effect, Option, Result, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Organisation } from "../../../domain/access/Organisation.ts"
import { DeliveryId, type OrganisationId, type WebhookEndpointId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { Attempt, Delivery, inFlight } from "../../../domain/outbox/Delivery.ts"
import { EarlierReplay } from "../../../domain/outbox/Replay.ts"
import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import { type ClaimedDelivery, DeliveryStore, type Shares } from "../../../ports/outbox/DeliveryStore.ts"
import { waitOf } from "../records/FairQueue.ts"
import { makeList } from "../records/ListPage.ts"
import { insertRecord, readOrDie, runOrDie, storeFrom } from "../records/Records.ts"
import { rowsOf, ruleOf } from "../records/Rows.ts"
import { makeAbandon, makeSettle } from "./DeliveryCompleter.ts"
import {
  apart,
  inLane,
  type LeasedRow,
  lanes,
  leaseEnd,
  pendingColumns,
  readPending,
  storeNow,
  storeTimeOf
} from "./DeliveryQueue.ts"
import { makeExpired, makeRelease, makeRepair } from "./DeliveryRescuer.ts"
import { makePutBack, makeSetAside, setAside } from "./DeliverySetAside.ts"
import { rows as endpointRows } from "./WebhookEndpointStore.ts"

const readOrganisation = Schema.decodeUnknownSync(
  Schema.Struct({
    is_sandbox: Organisation.fields.is_sandbox,
    webhook_allowed_cidrs: Organisation.fields.webhook_allowed_cidrs
  })
)

type Claim = DeliveryStore["Service"]["claim"]

/** Shares as a table of three columns. */
const sharesTable = <Id extends OrganisationId | WebhookEndpointId>(
  sql: SqlClient.SqlClient,
  { known }: Shares<Id>
) => sql`
  unnest(${[...known.keys()]}::text[], ${[...known.values()].map(({ room }) => room)}::int4[],
         ${[...known.values()].map(({ under_way }) => under_way)}::int4[])`

/**
 * The statement that leases. What is due is picked lane by lane and ranked, and locked then, so that no more is locked than
 * is handed out; a row that another worker took in between falls out. The order and the bounds of each look-up are those of
 * one index, and rows are found again by their place, so that the plan is the same whatever the planner knows of the table. It answers a row without a delivery
 * where none is due: the clock is told all the same.
 */
const lease = (sql: SqlClient.SqlClient, options: Parameters<Claim>[0]) => {
  const { due, endpoints, lease_id, lease_millis, limit, organisations } = options
  const until =
    due === undefined
      ? sql`statement_timestamp()`
      : sql`least(${new Date(due.epochMilliseconds)}, statement_timestamp())`
  return sql`
    WITH RECURSIVE ${lanes(sql)},
    in_endpoints AS (
      SELECT due.tid, due.organisation_id, due.id, due.next_attempt_at,
             coalesce(k.under_way, 0) + row_number() OVER (PARTITION BY due.organisation_id, due.endpoint_id
               ORDER BY due.next_attempt_at, due.id) AS place
      FROM lanes AS l
      LEFT JOIN ${sharesTable(sql, endpoints)} AS k (endpoint_id, room, under_way) ON k.endpoint_id = l.endpoint_id
      CROSS JOIN LATERAL (
        SELECT p.ctid AS tid, p.organisation_id, p.endpoint_id, p.id, p.next_attempt_at
        FROM /* every organisation */ pending_deliveries AS p
        WHERE ${inLane(sql, until)}
        ORDER BY p.organisation_id, p.endpoint_id, p.next_attempt_at, p.id
        LIMIT least(coalesce(k.room, ${endpoints.others}::int4), ${limit}::int4)
      ) AS due
    ),
    in_organisations AS (
      SELECT e.tid, e.organisation_id, e.id, e.next_attempt_at, o.room, coalesce(o.under_way, 0) AS under_way,
             coalesce(o.under_way, 0) + row_number() OVER (PARTITION BY e.organisation_id
               ORDER BY e.place, e.next_attempt_at, e.id) AS place
      FROM in_endpoints AS e
      LEFT JOIN ${sharesTable(sql, organisations)} AS o (organisation_id, room, under_way)
        ON o.organisation_id = e.organisation_id
    ),
    picked AS MATERIALIZED (
      SELECT tid, organisation_id, id, row_number() OVER (ORDER BY place, next_attempt_at, id) AS rank
      FROM in_organisations
      WHERE place <= under_way + coalesce(room, ${organisations.others}::int4)
      ORDER BY place, next_attempt_at, id LIMIT ${limit}::int4
    ),
    held AS MATERIALIZED (
      SELECT p.tid, k.organisation_id, k.id, k.rank FROM picked AS k CROSS JOIN LATERAL (
        SELECT f.ctid AS tid FROM pending_deliveries AS f
        WHERE f.ctid = k.tid AND f.organisation_id = k.organisation_id AND f.id = k.id AND f.lease_id IS NULL
        FOR UPDATE SKIP LOCKED
      ) AS p
    ),
    leased AS (
      UPDATE /* every organisation */ pending_deliveries AS p
      SET lease_id = ${lease_id}, lease_until = ${leaseEnd(sql, lease_millis)}
      WHERE p.ctid = ANY(ARRAY(SELECT tid FROM held))
      RETURNING p.*
    )
    SELECT ${storeNow(sql)} AS at, ${sql.literal(pendingColumns("p"))}, p.lease_id,
           (SELECT e.body FROM events AS e WHERE e.organisation_id = p.organisation_id AND e.id = p.event_id) AS body
    FROM (SELECT 1) AS always LEFT JOIN (
      SELECT leased.*, held.rank FROM leased JOIN held USING (organisation_id, id)
    ) AS p ON true
    ORDER BY p.rank`
}

/** The endpoints of deliveries, deleted ones too, with what their organisation allows. */
const receivers = (sql: SqlClient.SqlClient, leased: ReadonlyArray<LeasedRow>) => {
  const wanted = new Map(leased.map(({ endpoint_id, organisation_id }) => [endpoint_id, organisation_id]))
  return sql`
    SELECT ${sql.literal(endpointRows.columns("e"))}, o.is_sandbox, o.webhook_allowed_cidrs
    FROM unnest(${[...wanted.values()]}::text[], ${[...wanted.keys()]}::text[]) AS w (organisation_id, id)
    JOIN webhook_endpoints AS e ON e.organisation_id = w.organisation_id AND e.id = w.id
    JOIN organisations AS o ON o.id = e.organisation_id`
}

/** Leases what is due, and reads what its attempts need. What cannot be read is set aside, the rest handed out. */
const makeClaim = (sql: SqlClient.SqlClient): Claim => {
  const aside = setAside(sql)

  const readReceivers = Effect.fnUntraced(function* (leased: ReadonlyArray<LeasedRow>) {
    const found = yield* receivers(sql, leased)
    return new Map(
      found.map((row) => [
        row["id"],
        apart(() => ({ endpoint: endpointRows.read(row), ...readOrganisation(row) }), "its endpoint")
      ])
    )
  })

  return Effect.fnUntraced(function* (options) {
    const found = yield* lease(sql, options)
    const at = storeTimeOf(found[0])
    const leased = found.flatMap((row) => (typeof row["id"] === "string" ? [readPending(row)] : []))
    if (leased.length === 0) return { at, claimed: [] }
    const receiverOf = yield* readReceivers(leased)
    const read = leased.map(({ body, delivery, endpoint_id, id, lease_id, organisation_id }) => {
      const receiver = receiverOf.get(endpoint_id) ?? Result.fail("its endpoint is gone")
      const event = body === null ? Result.fail("its event is gone") : Result.succeed(body)
      const claimed: Result.Result<ClaimedDelivery, string> = Result.map(
        Result.all({ delivery, receiver, event }),
        ({ delivery, event, receiver }) => ({ delivery, lease_id, body: event, ...receiver })
      )
      return { organisation_id, id, lease_id, claimed }
    })
    yield* aside(
      read.flatMap(({ claimed, ...each }) => (Result.isFailure(claimed) ? [{ ...each, reason: claimed.failure }] : []))
    )
    return { at, claimed: read.flatMap(({ claimed }) => (Result.isSuccess(claimed) ? [claimed.success] : [])) }
  }, Effect.orDie)
}

const makeNow = (sql: SqlClient.SqlClient): DeliveryStore["Service"]["now"] =>
  Effect.orDie(Effect.map(sql`SELECT ${storeNow(sql)} AS at`, ([row]) => storeTimeOf(row)))

const makeRenew =
  (sql: SqlClient.SqlClient): DeliveryStore["Service"]["renew"] =>
  (lease_id, lease_millis) =>
    readOrDie(
      sql`
          WITH renewed AS (
            UPDATE /* every organisation */ pending_deliveries SET lease_until = ${leaseEnd(sql, lease_millis)}
            WHERE lease_id IS NOT NULL AND lease_id = ${lease_id}
            RETURNING id
          )
          SELECT ${storeNow(sql)} AS at, r.id FROM (SELECT 1) AS always LEFT JOIN renewed AS r ON true`,
      (found) => ({
        at: storeTimeOf(found[0]),
        ids: new Set(found.flatMap(({ id }) => (typeof id === "string" ? [DeliveryId.make(id)] : [])))
      })
    )

/** Leases that are read to find the one that ends first: the rest wait for the next poll. */
const leasesLookedAt = 4_096

/** How long until the first delivery of any lane is due or a lease ends. */
const makeUntilDue = (sql: SqlClient.SqlClient): Effect.Effect<Option.Option<Duration.Duration>> =>
  readOrDie(
    sql<{ readonly millis: number | null }>`
        WITH RECURSIVE ${lanes(sql)}
        SELECT extract(epoch FROM min(at) - statement_timestamp())::float8 * 1000 AS millis FROM (
          SELECT due.at FROM lanes AS l CROSS JOIN LATERAL (
            SELECT p.next_attempt_at AS at FROM /* every organisation */ pending_deliveries AS p
            WHERE ${inLane(sql, sql`'infinity'::timestamptz`)}
            ORDER BY p.organisation_id, p.endpoint_id, p.next_attempt_at, p.id LIMIT 1
          ) AS due
          UNION ALL
          (SELECT lease_until FROM /* every organisation */ pending_deliveries
           WHERE lease_id IS NOT NULL ORDER BY organisation_id, lease_until, id LIMIT ${leasesLookedAt}::int4)
        ) AS times WHERE at < 'infinity'`,
    waitOf
  )

/** How long until the first delivery of an organisation is due or a lease ends. */
const makeUntilDueOf =
  (sql: SqlClient.SqlClient): DeliveryStore["Service"]["untilDueOf"] =>
  (organisation_id) =>
    readOrDie(
      sql<{ readonly millis: number | null }>`
          SELECT extract(epoch FROM min(coalesce(p.lease_until, p.next_attempt_at)) - statement_timestamp())::float8 * 1000
            AS millis
          FROM pending_deliveries AS p
          WHERE p.organisation_id = ${organisation_id} AND coalesce(p.lease_until, p.next_attempt_at) < 'infinity'`,
      waitOf
    )

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
    readOrDie(
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

const rows = rowsOf(Delivery)
const attemptRows = rowsOf(Attempt)
const replayedRows = rowsOf(EarlierReplay)

export const layer = storeFrom(DeliveryStore, function* (sql) {
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

  return {
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
    failing: readOrDie(
      sql`
          SELECT ${sql.literal(endpointRows.columns("e"))} FROM /* every organisation */ webhook_endpoints AS e
          WHERE ${ruleOf(sql, WebhookEndpoint.failingRule, "e")}
          ORDER BY e.failing_since, e.id`,
      (found) => endpointRows.readable(found).read
    ),
    releaseAll: runOrDie(sql`
        UPDATE /* every organisation */ pending_deliveries SET lease_until = to_timestamp(0)
        WHERE lease_id IS NOT NULL AND set_aside_reason IS NULL`)
  }
})
