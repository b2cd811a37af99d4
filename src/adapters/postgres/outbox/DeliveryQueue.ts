import { type DateTime, Result, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import { births, Delivery } from "../../../domain/outbox/Delivery.ts"
import { rowsOf } from "../records/Rows.ts"

const rows = rowsOf(Delivery)

/** The columns of a row of `pending_deliveries` as the record has them. */
export const pendingColumns = (alias: string): string =>
  rows.names
    .map((name) =>
      name === "status"
        ? `'${births.addressed.to}'::text AS status`
        : name === "completed_at"
          ? "NULL::timestamptz AS completed_at"
          : `${alias}.${name}`
    )
    .join(", ")

/** The database's clock as records have it, rounded up: what is counted from it is never early. */
export const storeNow = (sql: SqlClient.SqlClient): Fragment =>
  sql`date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds')`

const readTold = Schema.decodeUnknownSync(Schema.Struct({ at: Schema.Date }))

/** The time that a row tells as `at`, made by {@link storeNow}. */
export const storeTimeOf = (row: unknown): DateTime.Utc => instantAt(readTold(row).at)

/** The end of a lease that begins now, rounded down: none lasts longer than was asked. */
export const leaseEnd = (sql: SqlClient.SqlClient, millis: number): Fragment =>
  sql`date_trunc('milliseconds', clock_timestamp() + ${millis}::float8 * interval '1 millisecond')`

/**
 * A common table expression, `lanes`: each endpoint that has free deliveries, found by skipping from one to the next in the
 * index, whatever number of deliveries they have.
 */
export const lanes = (sql: SqlClient.SqlClient): Fragment => sql`
  lanes AS (
    (SELECT organisation_id, endpoint_id FROM /* every organisation */ pending_deliveries WHERE lease_id IS NULL
     ORDER BY organisation_id, endpoint_id, next_attempt_at, id LIMIT 1)
    UNION ALL
    SELECT following.* FROM lanes AS l CROSS JOIN LATERAL (
      SELECT p.organisation_id, p.endpoint_id FROM /* every organisation */ pending_deliveries AS p
      WHERE p.lease_id IS NULL AND (p.organisation_id, p.endpoint_id) > (l.organisation_id, l.endpoint_id)
      ORDER BY p.organisation_id, p.endpoint_id, p.next_attempt_at, p.id LIMIT 1
    ) AS following
  )`

/**
 * The free deliveries `p` of lane `l` that are due by an instant, as one range of the index that has them in order. The rule is
 * that of `DeliveryStore.claim`; the conformance suite draws queues at random and holds both stores to it.
 */
export const inLane = (sql: SqlClient.SqlClient, until: Fragment): Fragment => sql`
  p.lease_id IS NULL
  AND (p.organisation_id, p.endpoint_id) >= (l.organisation_id, l.endpoint_id)
  AND (p.organisation_id, p.endpoint_id, p.next_attempt_at) <= (l.organisation_id, l.endpoint_id, ${until})`

const Leased = Schema.Struct({
  organisation_id: Schema.String,
  id: Schema.String,
  endpoint_id: Schema.String,
  lease_id: Schema.String,
  body: Schema.optionalKey(Schema.NullOr(Schema.String))
})
const readLeased = Schema.decodeUnknownSync(Leased)

/** A leased row: its keys, which every row has, and its delivery, where it can be read. */
export interface LeasedRow {
  readonly organisation_id: string
  readonly id: string
  readonly endpoint_id: string
  readonly lease_id: string
  readonly body: string | null
  readonly delivery: Result.Result<Delivery, string>
}

/** Reads one row by itself: what is wrong with it, named after `what`, is an answer. */
export const apart = <A>(read: () => A, what: string): Result.Result<A, string> =>
  Result.try({ try: read, catch: (cause) => `${what}: ${cause instanceof Error ? cause.message : "cannot be read"}` })

export const readPending = (row: Readonly<Record<string, unknown>>): LeasedRow => {
  const { body = null, ...keys } = readLeased(row)
  return { ...keys, body, delivery: apart(() => rows.read(row), "its record") }
}
