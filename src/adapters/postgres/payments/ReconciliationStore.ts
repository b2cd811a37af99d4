import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Integration } from "../../../domain/access/Integration.ts"
import * as Refund from "../../../domain/giving/Refund.ts"
import { ChargeId, IntegrationId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import { movedRule, returningRule, statedRule, underWayRule } from "../../../domain/payments/Disagreement.ts"
import * as Dispute from "../../../domain/payments/Dispute.ts"
import { beginOf, dayAfter, type Position, Reconciliation } from "../../../domain/payments/Reconciliation.ts"
import { ReconciliationStore } from "../../../ports/payments/ReconciliationStore.ts"
import { rowFrom, storeOf } from "../records/Records.ts"
import { rowsOf, ruleOf } from "../records/Rows.ts"

type Store = ReconciliationStore["Service"]

const rows = rowsOf(Reconciliation)

const now = "date_trunc('milliseconds', statement_timestamp())"

const dateOf = (at: DateTime.Utc): Date => new Date(at.epochMilliseconds)

/** The clock is the database's, and one row is one lease. */
const leases = (sql: SqlClient.SqlClient): Pick<Store, "claim" | "release" | "save"> => {
  const until = (lease: Duration.Duration) =>
    sql`${sql.literal(now)} + ${Duration.toMillis(lease)}::float8 * interval '1 millisecond'`
  const columns = sql.literal(rows.columns("t"))
  const claim: Store["claim"] = Effect.fnUntraced(function* (organisation_id, integration_id, holder, lease) {
    yield* sql`
      INSERT INTO reconciliations (organisation_id, integration_id) VALUES (${organisation_id}, ${integration_id})
      ON CONFLICT (organisation_id, integration_id) DO NOTHING`
    return yield* rows.first(sql`
      UPDATE reconciliations AS t SET holder = ${holder}, held_until = ${until(lease)}
      WHERE t.organisation_id = ${organisation_id} AND t.integration_id = ${integration_id}
        AND (t.holder IS NULL OR t.holder = ${holder} OR t.held_until <= ${sql.literal(now)})
      RETURNING ${columns}`)
  }, Effect.orDie)
  return {
    claim,
    save: ({ integration_id, organisation_id, ...reached }, holder, lease) =>
      Effect.orDie(
        Effect.map(
          sql`
            UPDATE reconciliations AS t SET
              listed_until = n.listed_until, silent_at = n.silent_at, notices_cursor = n.notices_cursor,
              compared_until = n.compared_until, reconciled_at = n.reconciled_at, held_until = ${until(lease)}
            FROM ${rowFrom(sql, "reconciliations", reached)} AS n
            WHERE t.organisation_id = ${organisation_id} AND t.integration_id = ${integration_id} AND t.holder = ${holder}
            RETURNING t.integration_id`,
          ({ length }) => length > 0
        )
      ),
    release: (organisation_id, integration_id, holder) =>
      Effect.asVoid(
        Effect.orDie(sql`
          UPDATE reconciliations AS t SET holder = NULL, held_until = NULL
          WHERE t.organisation_id = ${organisation_id} AND t.integration_id = ${integration_id} AND t.holder = ${holder}`)
      )
  }
}

const readSilent = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: ChargeId, reference: Schema.NullOr(Schema.String), created_at: Schema.Date }))
)
const readMet = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      id: ChargeId,
      organisation_id: OrganisationId,
      integration_id: IntegrationId,
      reference: Schema.NullOr(Schema.String)
    })
  )
)

const found = (sql: SqlClient.SqlClient): Pick<Store, "first" | "met" | "silent"> => ({
  // The rule of `isExpected` in PollPlan.ts, which the conformance checks hold beside this one.
  silent: ({ id, organisation_id }, after, limit) =>
    Effect.orDie(
      Effect.map(
        sql`
          SELECT c.id, c.reference, c.created_at FROM charges AS c
          WHERE c.organisation_id = ${organisation_id} AND c.integration_id = ${id} AND c.look_at IS NULL
            AND c.id > ${after ?? ""} AND (
              ${ruleOf(sql, Charge.unendedRule, "c")}
              OR (${ruleOf(sql, Charge.paidRule, "c")} AND c.processor_fee_cents IS NULL)
              OR (c.processor_fee_cents IS NULL AND EXISTS (
                SELECT 1 FROM payment_exceptions AS x
                WHERE x.organisation_id = c.organisation_id AND x.charge_id = c.id AND x.kind = 'late_success'))
              OR EXISTS (
                SELECT 1 FROM refunds AS r
                WHERE r.organisation_id = c.organisation_id AND r.charge_id = c.id AND ${ruleOf(sql, Refund.pendingRule, "r")})
              OR EXISTS (
                SELECT 1 FROM disputes AS d
                WHERE d.organisation_id = c.organisation_id AND d.charge_id = c.id AND ${ruleOf(sql, Dispute.undecidedRule, "d")}))
          ORDER BY c.id LIMIT ${limit}::int4`,
        (all) => readSilent(all).map((each) => ({ ...each, created_at: instantAt(each.created_at) }))
      )
    ),
  met: ({ processor, processor_connect_account_id }, references, ids) =>
    Effect.orDie(
      Effect.map(
        sql`
          WITH same AS (
            SELECT i.organisation_id, i.id FROM /* every organisation */ integrations AS i
            WHERE i.processor = ${processor} AND i.processor_connect_account_id = ${processor_connect_account_id}
          )
          SELECT c.organisation_id, c.integration_id, c.id, c.reference
          FROM same AS s JOIN /* every organisation */ charges AS c
            ON c.integration_id = s.id AND c.reference = ANY(${[...references]}::text[])
          UNION
          SELECT c.organisation_id, c.integration_id, c.id, c.reference
          FROM same AS s JOIN /* every organisation */ charges AS c
            ON c.organisation_id = s.organisation_id AND c.id = ANY(${[...ids]}::text[])
          WHERE c.integration_id = s.id`,
        readMet
      )
    ),
  first: ({ id, organisation_id }) =>
    Effect.orDie(
      Effect.map(
        sql<{ readonly created_at: Date }>`
          SELECT c.created_at FROM charges AS c
          WHERE c.organisation_id = ${organisation_id} AND c.integration_id = ${id}
          ORDER BY c.created_at, c.id LIMIT 1`,
        ([row]) => Option.map(Option.fromNullishOr(row), ({ created_at }) => instantAt(created_at))
      )
    )
})

/** The latest line of each reference: one statement must not write a row twice. */
const latest = <A extends { readonly reference: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(all.map((each) => [each.reference, each])).values()
]

const keep =
  (sql: SqlClient.SqlClient): Store["keep"] =>
  ({ id: integration_id, organisation_id }, movements, reading) =>
    movements.length === 0
      ? Effect.void
      : Effect.asVoid(
          Effect.orDie(sql`
            INSERT INTO processor_movements
              (organisation_id, integration_id, reference, kind, charge_reference, amount_cents, fee_cents, currency, at,
               reading)
            SELECT ${organisation_id}, ${integration_id}, n.reference, n.kind, n.charge_reference, n.amount_cents,
                   n.fee_cents, n.currency, n.at, ${reading}
            FROM jsonb_populate_recordset(NULL::processor_movements, ${JSON.stringify(
              latest(movements).map(({ at, ...each }) => ({ ...each, at: DateTime.formatIso(at) }))
            )}::jsonb) AS n
            ON CONFLICT (organisation_id, integration_id, reference) DO UPDATE SET
              kind = EXCLUDED.kind, charge_reference = EXCLUDED.charge_reference, amount_cents = EXCLUDED.amount_cents,
              fee_cents = EXCLUDED.fee_cents, currency = EXCLUDED.currency, at = EXCLUDED.at,
              reading = EXCLUDED.reading`)
        )

const finish =
  (sql: SqlClient.SqlClient): Store["finish"] =>
  ({ id: integration_id, organisation_id }, day, reading) =>
    Effect.asVoid(
      Effect.orDie(sql`
        DELETE FROM processor_movements AS m
        WHERE m.organisation_id = ${organisation_id} AND m.integration_id = ${integration_id}
          AND m.at >= ${DateTime.formatIso(beginOf(day))}::timestamptz
          AND m.at < ${DateTime.formatIso(beginOf(dayAfter(day)))}::timestamptz
          AND m.reading IS DISTINCT FROM ${reading}::text`)
    )

const Place = Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.String]))
const readPlace = Schema.decodeUnknownSync(Place)
const writePlace = Schema.encodeSync(Place)

const readMoved = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ at: Schema.Date, key: Schema.String, reference: Schema.NullOr(Schema.String) }))
)

const moved =
  (sql: SqlClient.SqlClient): Store["moved"] =>
  ({ id, organisation_id }, side, day, page, limit) => {
    const [at, key] = page === null ? [DateTime.formatIso(beginOf(day)), ""] : readPlace(page)
    const end = dateOf(beginOf(dayAfter(day)))
    const query =
      side === "statement"
        ? sql`
            SELECT m.at, m.reference AS key, m.charge_reference AS reference FROM processor_movements AS m
            WHERE m.organisation_id = ${organisation_id} AND m.integration_id = ${id}
              AND (m.at, m.reference) > (${at}::timestamptz, ${key}::text) AND m.at < ${end}
            ORDER BY m.at, m.reference LIMIT ${limit}::int4`
        : sql`
            SELECT e.created_at AS at, e.id AS key,
              CASE WHEN c.integration_id = ${id} AND e.cause IN ('charge', 'dispute', 'refund', 'reversal', 'transfer') THEN c.reference END
                AS reference
            FROM ledger_entries AS e
            LEFT JOIN charges AS c ON c.organisation_id = e.organisation_id AND c.id = e.charge_id
            WHERE e.organisation_id = ${organisation_id}
              AND (e.created_at, e.id) > (${at}::timestamptz, ${key}::text) AND e.created_at < ${end}
            ORDER BY e.created_at, e.id LIMIT ${limit}::int4`
    return Effect.orDie(
      Effect.map(query, (all) => {
        const lines = readMoved(all)
        const last = lines.at(-1)
        return {
          data: [...new Set(lines.flatMap(({ reference }) => (reference === null ? [] : [reference])))],
          next:
            last === undefined || lines.length < limit
              ? null
              : writePlace([DateTime.formatIso(instantAt(last.at)), last.key])
        }
      })
    )
  }

const Sum = Schema.Finite
const readPositions = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      reference: Schema.String,
      charge_id: Schema.NullOr(ChargeId),
      taken: Sum,
      refunded: Sum,
      disputed: Sum,
      transferred: Sum,
      other: Sum,
      fee: Sum,
      foreign_lines: Sum,
      booked_taken: Sum,
      booked_refunded: Sum,
      booked_refunding: Sum,
      booked_disputed: Sum,
      booked_transferred: Sum,
      booked_transferring: Sum,
      booked_reversing: Sum,
      booked_fee: Sum
    })
  )
)

const positionOf = (row: ReturnType<typeof readPositions>[number]): Position => ({
  reference: row.reference,
  charge_id: row.charge_id,
  theirs: {
    taken_cents: row.taken,
    refunded_cents: row.refunded,
    disputed_cents: row.disputed,
    transferred_cents: row.transferred,
    other_cents: row.other,
    fee_cents: row.fee,
    foreign: row.foreign_lines
  },
  booked: {
    taken_cents: row.booked_taken,
    refunded_cents: row.booked_refunded,
    refunding_cents: row.booked_refunding,
    disputed_cents: row.booked_disputed,
    transferred_cents: row.booked_transferred,
    transferring_cents: row.booked_transferring,
    reversing_cents: row.booked_reversing,
    fee_cents: row.booked_fee
  }
})

const net = (account: string, cause: string) => `
  coalesce(sum(e.amount_cents) FILTER (WHERE e.cause = '${cause}' AND e.to_account = '${account}'), 0)
  - coalesce(sum(e.amount_cents) FILTER (WHERE e.cause = '${cause}' AND e.from_account = '${account}'), 0)`

/**
 * The statement's lines about charges, read once for all of them: before the first ANALYZE the planner takes the
 * primary key for it, which reads every line of the account.
 */
const stated = (
  sql: SqlClient.SqlClient,
  { id, organisation_id }: Integration,
  references: ReadonlyArray<string>
) => sql`
  SELECT m.charge_reference AS reference, m.currency,
    coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'charge'), 0) AS taken,
    -coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'refund'), 0) AS refunded,
    -coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'dispute'), 0) AS disputed,
    -coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'transfer'), 0) AS transferred,
    coalesce(sum(m.amount_cents) FILTER (WHERE m.kind = 'other'), 0) AS other,
    sum(m.fee_cents) AS fee, count(*) AS lines
  FROM processor_movements AS m
  WHERE m.organisation_id = ${organisation_id} AND m.integration_id = ${id}
    AND m.charge_reference = ANY (${[...references]}::text[])
  GROUP BY m.charge_reference, m.currency`

/** The parts of a charge that its processor brought on, and those on their way: what people move is on no statement. */
const onward = (sql: SqlClient.SqlClient, organisation_id: string) => sql`
  SELECT
    coalesce(sum(CASE WHEN x.reversed_id IS NULL THEN x.amount_cents ELSE -x.amount_cents END)
      FILTER (WHERE ${ruleOf(sql, movedRule, "x")}), 0) AS transferred,
    coalesce(sum(x.amount_cents) FILTER (WHERE ${ruleOf(sql, underWayRule, "x")}), 0) AS transferring,
    coalesce(sum(x.amount_cents) FILTER (WHERE ${ruleOf(sql, returningRule, "x")}), 0) AS reversing
  FROM transfer_attempts AS x
  WHERE x.organisation_id = ${organisation_id} AND x.payment_id = c.subject_id AND x.charge_id = c.id
    AND ${ruleOf(sql, statedRule, "x")}`

const positions =
  (sql: SqlClient.SqlClient): Store["positions"] =>
  (integration, references) => {
    const { id, organisation_id } = integration
    return Effect.orDie(
      Effect.map(
        sql`
          WITH stated AS MATERIALIZED (${stated(sql, integration, references)})
          SELECT a.reference, c.id AS charge_id, t.taken::float8, t.refunded::float8, t.disputed::float8,
            t.transferred::float8, t.other::float8, t.fee::float8, t.foreign_lines::float8, b.taken::float8 AS booked_taken, b.refunded::float8 AS booked_refunded,
            b.refunding::float8 AS booked_refunding, b.disputed::float8 AS booked_disputed, b.fee::float8 AS booked_fee,
            p.transferred::float8 AS booked_transferred, p.transferring::float8 AS booked_transferring,
            p.reversing::float8 AS booked_reversing
          FROM unnest(${[...references]}::text[]) WITH ORDINALITY AS a (reference, place)
          LEFT JOIN charges AS c
            ON c.organisation_id = ${organisation_id} AND c.integration_id = ${id} AND c.reference = a.reference
          CROSS JOIN LATERAL (
            SELECT coalesce(sum(s.taken), 0) AS taken, coalesce(sum(s.refunded), 0) AS refunded,
              coalesce(sum(s.disputed), 0) AS disputed, coalesce(sum(s.transferred), 0) AS transferred,
              coalesce(sum(s.other), 0) AS other,
              coalesce(sum(s.fee), 0) AS fee, coalesce(sum(s.lines) FILTER (WHERE s.currency <> c.currency), 0) AS foreign_lines
            FROM stated AS s WHERE s.reference = a.reference
          ) AS t
          CROSS JOIN LATERAL (
            SELECT coalesce(sum(e.amount_cents) FILTER (
                WHERE e.cause = 'charge' AND e.from_account IN ('donor', 'unmatched')), 0) AS taken,
              ${sql.literal(net("donor", "refund"))} AS refunded,
              (SELECT coalesce(sum(r.amount_cents), 0) FROM refunds AS r
                WHERE r.organisation_id = ${organisation_id} AND r.charge_id = c.id AND ${ruleOf(sql, Refund.pendingRule, "r")}) AS refunding,
              ${sql.literal(net("donor", "dispute"))} + ${sql.literal(net("disputed", "dispute"))} AS disputed,
              ${sql.literal(net("processor_fees", "charge"))} + ${sql.literal(net("processor_fees", "dispute"))} AS fee
            FROM ledger_entries AS e WHERE e.organisation_id = ${organisation_id} AND e.charge_id = c.id
          ) AS b
          CROSS JOIN LATERAL (${onward(sql, organisation_id)}) AS p
          ORDER BY a.place`,
        (all) => readPositions(all).map(positionOf)
      )
    )
  }

export const layer = storeOf(ReconciliationStore, (sql) => ({
  ...leases(sql),
  ...found(sql),
  keep: keep(sql),
  finish: finish(sql),
  moved: moved(sql),
  positions: positions(sql)
}))
