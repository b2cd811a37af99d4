import { DateTime, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Delivery } from "../../domain/Delivery.ts"
import { Organisation } from "../../domain/Organisation.ts"
import type { Claimed, DeliveryStore } from "../../ports/DeliveryStore.ts"
import { rowsOf } from "./Rows.ts"
import { rows as endpointRows } from "./WebhookEndpointStore.ts"

const rows = rowsOf(Delivery)

/** The columns of a row of `pending_deliveries` as the record has them. */
export const pendingColumns = (alias: string): string =>
  rows.names
    .map((name) =>
      name === "status"
        ? `'PENDING'::text AS status`
        : name === "completed_at"
          ? "NULL::timestamptz AS completed_at"
          : `${alias}.${name}`
    )
    .join(", ")

const Leased = Schema.Struct({ lease_id: Schema.String, body: Schema.String })
const isLeased = Schema.is(Leased)

const readOrganisation = Schema.decodeUnknownSync(
  Schema.Struct({
    is_sandbox: Organisation.fields.is_sandbox,
    webhook_allowed_cidrs: Organisation.fields.webhook_allowed_cidrs
  })
)

/**
 * A common table expression, `lanes`: each endpoint that has free deliveries, found by skipping from one to the next in the
 * index, whatever number of deliveries they have.
 */
export const lanes = (sql: SqlClient.SqlClient) => sql`
  lanes AS (
    (SELECT organisation_id, endpoint_id FROM /* every organisation */ pending_deliveries WHERE lease_id IS NULL
     ORDER BY organisation_id, endpoint_id LIMIT 1)
    UNION ALL
    SELECT following.* FROM lanes AS l CROSS JOIN LATERAL (
      SELECT p.organisation_id, p.endpoint_id FROM /* every organisation */ pending_deliveries AS p
      WHERE p.lease_id IS NULL AND (p.organisation_id, p.endpoint_id) > (l.organisation_id, l.endpoint_id)
      ORDER BY p.organisation_id, p.endpoint_id LIMIT 1
    ) AS following
  )`

type Claim = DeliveryStore["Service"]["claim"]

/**
 * The statement that leases. What is due is picked first and locked then, so that no more is locked than is handed out; a
 * row that another worker took in between falls out. Rows are looked up one by one and found again by their place, so that a
 * plan made for a short table stays right for a long one.
 */
const lease = (sql: SqlClient.SqlClient, options: Parameters<Claim>[0]) => {
  const known = [...options.room]
  return sql`
    WITH RECURSIVE ${lanes(sql)},
    picked AS MATERIALIZED (
      SELECT due.organisation_id, due.id
      FROM lanes AS l
      LEFT JOIN unnest(${known.map(([id]) => id)}::text[], ${known.map(([, room]) => room)}::int4[]) AS k (endpoint_id, room)
        ON k.endpoint_id = l.endpoint_id
      CROSS JOIN LATERAL (
        SELECT p.organisation_id, p.id, p.next_attempt_at FROM pending_deliveries AS p
        WHERE p.organisation_id = l.organisation_id AND p.endpoint_id = l.endpoint_id AND p.lease_id IS NULL
          AND p.next_attempt_at <= ${new Date(options.now.epochMilliseconds)}
        ORDER BY p.next_attempt_at, p.id LIMIT coalesce(k.room, ${options.per_endpoint}::int4)
      ) AS due
      ORDER BY due.next_attempt_at, due.id LIMIT ${options.limit}::int4
    ),
    held AS MATERIALIZED (
      SELECT p.tid FROM picked AS k CROSS JOIN LATERAL (
        SELECT f.ctid AS tid FROM pending_deliveries AS f
        WHERE f.organisation_id = k.organisation_id AND f.id = k.id AND f.lease_id IS NULL
        FOR UPDATE SKIP LOCKED
      ) AS p
    ),
    leased AS (
      UPDATE /* every organisation */ pending_deliveries AS p
      SET lease_id = ${options.lease_id}, lease_until = ${new Date(options.lease_until.epochMilliseconds)}
      WHERE p.ctid = ANY(ARRAY(SELECT tid FROM held))
      RETURNING p.*
    )
    SELECT ${sql.literal(pendingColumns("p"))}, p.lease_id,
           (SELECT e.body FROM events AS e WHERE e.organisation_id = p.organisation_id AND e.id = p.event_id) AS body
    FROM leased AS p ORDER BY p.next_attempt_at, p.id`
}

/** The endpoints of deliveries, deleted ones too, with what their organisation allows. */
const receivers = (sql: SqlClient.SqlClient, deliveries: ReadonlyArray<Delivery>) => {
  const wanted = new Map(deliveries.map((delivery) => [delivery.endpoint_id, delivery.organisation_id]))
  return sql`
    SELECT ${sql.literal(endpointRows.columns("e"))}, o.is_sandbox, o.webhook_allowed_cidrs
    FROM unnest(${[...wanted.values()]}::text[], ${[...wanted.keys()]}::text[]) AS w (organisation_id, id)
    JOIN webhook_endpoints AS e ON e.organisation_id = w.organisation_id AND e.id = w.id
    JOIN organisations AS o ON o.id = e.organisation_id`
}

/** Leases what is due, and reads what its attempts need. */
export const makeClaim = (sql: SqlClient.SqlClient): Claim =>
  Effect.fnUntraced(function* (options) {
    const leased = (yield* lease(sql, options)).flatMap((row) =>
      isLeased(row) ? [{ delivery: rows.read(row), lease_id: row.lease_id, body: row.body }] : []
    )
    if (leased.length === 0) return []
    const found = new Map(
      (yield* receivers(
        sql,
        leased.map(({ delivery }) => delivery)
      )).map((row) => {
        const endpoint = endpointRows.read(row)
        return [endpoint.id, { endpoint, ...readOrganisation(row) }]
      })
    )
    return leased.flatMap((each): ReadonlyArray<Claimed> => {
      const receiver = found.get(each.delivery.endpoint_id)
      return receiver === undefined ? [] : [{ ...each, ...receiver }]
    })
  }, Effect.orDie)

/** When the first delivery of any lane is due or a lease ends. */
export const makeNextDue = (sql: SqlClient.SqlClient): Effect.Effect<Option.Option<DateTime.Utc>> =>
  Effect.orDie(
    Effect.map(
      sql<{ readonly at: Date | null }>`
        WITH RECURSIVE ${lanes(sql)}
        SELECT min(at) AS at FROM (
          SELECT due.at FROM lanes AS l CROSS JOIN LATERAL (
            SELECT p.next_attempt_at AS at FROM pending_deliveries AS p
            WHERE p.organisation_id = l.organisation_id AND p.endpoint_id = l.endpoint_id AND p.lease_id IS NULL
            ORDER BY p.next_attempt_at LIMIT 1
          ) AS due
          UNION ALL
          SELECT lease_until FROM /* every organisation */ pending_deliveries WHERE lease_id IS NOT NULL
        ) AS times`,
      ([row]) => Option.map(Option.fromNullishOr(row?.at), (at) => DateTime.makeUnsafe(at))
    )
  )
