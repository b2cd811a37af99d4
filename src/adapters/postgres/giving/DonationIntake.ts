import { Cause, Deferred, Effect, Option, Queue } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { storableAnswer } from "../../../domain/access/Idempotency.ts"
import { DonationIntake, type KeyedGift } from "../../../ports/giving/DonationIntake.ts"
import { DeliverySignal } from "../../../ports/outbox/DeliverySignal.ts"
import * as KeysInFlight from "../access/KeysInFlight.ts"
import { auditRows } from "../access/Stores.ts"
import { isEmbedded } from "../connection/Kind.ts"
import { EventHint } from "../outbox/EventHint.ts"
import { eventRow, eventsAndDeliveries } from "../outbox/Outbox.ts"
import { storeFrom } from "../records/Records.ts"
import { toRow } from "../records/Rows.ts"
import { donationRows } from "./Stores.ts"

type Recorded = boolean | "in_flight"

/** A gift whose key this process holds, and the request that waits for it. */
interface Waiting {
  readonly gift: KeyedGift
  readonly name: KeysInFlight.ScopeName
  readonly release: () => void
  readonly answer: Deferred.Deferred<Recorded>
}

const batchSize = 64

/** Statements that write at the same time: gifts that arrive meanwhile are the next one's. */
const writersOfServer = 3

const inputRow = ({ gift, name }: Waiting, n: number) => {
  const { donation, organisation } = gift
  const answer = storableAnswer(gift.answer)
  return {
    n,
    lock: name.lock,
    scope: name.text,
    organisation_id: donation.organisation_id,
    donor_id: donation.donor_id,
    timezone: organisation.timezone,
    default_currency: organisation.default_currency,
    now: toRow({ now: gift.now })["now"],
    body_hash: gift.body_hash,
    status: answer?.status ?? null,
    content_type: answer?.content_type ?? null,
    body: answer === null ? null : Buffer.from(answer.body).toString("base64"),
    donation: toRow(donation),
    events: gift.events.map(eventRow),
    audit: toRow(gift.audit)
  }
}

/**
 * One statement for a batch. `admitted` holds a gift when its key's lock was obtained, its organisation is as it was and its
 * donor is there (`Listing.unarchivedRule`), held against archiving; a donor that is being changed is left to the slow path,
 * which waits. `kept` holds it when its key had no record: one that another transaction committed after this statement's snapshot is seen by the
 * insert alone. All else follows from `kept`. Donor and organisation are looked up row by row, so that a plan made for small
 * tables stays right for large ones.
 */
const statement = (sql: SqlClient.SqlClient, input: string) => {
  const events = sql`
    SELECT v.* FROM recorded AS r CROSS JOIN LATERAL jsonb_populate_recordset(NULL::events, r.events) AS v`
  return sql<{ readonly n: number; readonly locked: boolean; readonly recorded: boolean; readonly deliveries: number }>`
    WITH input AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${input}::jsonb) AS i (
        n int4, lock int8, scope text, organisation_id text, donor_id text, timezone text, default_currency text,
        now timestamptz, body_hash text, status int4, content_type text, body text, donation jsonb, events jsonb, audit jsonb)
    ),
    locked AS MATERIALIZED (SELECT i.*, pg_try_advisory_xact_lock(i.lock) AS locked FROM input AS i),
    admitted AS MATERIALIZED (
      SELECT l.* FROM locked AS l CROSS JOIN LATERAL (
        SELECT d.id FROM donors AS d
        WHERE d.organisation_id = l.organisation_id AND d.id = l.donor_id AND d.archived_at IS NULL
        FOR SHARE OF d SKIP LOCKED
      ) AS donor
      WHERE l.locked AND (
        SELECT o.timezone = l.timezone AND o.default_currency = l.default_currency
        FROM organisations AS o WHERE o.id = l.organisation_id)
    ),
    kept AS (
      INSERT INTO idempotency_records (organisation_id, scope, body_hash, status, content_type, body, created_at)
      SELECT organisation_id, scope, body_hash, status, content_type, decode(body, 'base64'), now FROM admitted
      ON CONFLICT (organisation_id, scope) DO NOTHING
      RETURNING scope
    ),
    recorded AS MATERIALIZED (SELECT a.* FROM admitted AS a JOIN kept AS k ON k.scope = a.scope),
    gifts AS (
      INSERT INTO donations (${sql.csv(donationRows.names)})
      SELECT ${sql.literal(donationRows.names.map((name) => `v.${name}`).join(", "))}
      FROM recorded AS r CROSS JOIN LATERAL jsonb_populate_record(NULL::donations, r.donation) AS v
    ),
    audited AS (
      INSERT INTO audit_entries (${sql.csv(auditRows.names)})
      SELECT ${sql.literal(auditRows.columns("v"))}
      FROM recorded AS r CROSS JOIN LATERAL jsonb_populate_record(NULL::audit_entries, r.audit) AS v
    ),
    ${eventsAndDeliveries(sql, events)}
    SELECT l.n, l.locked, EXISTS (SELECT FROM recorded AS r WHERE r.n = l.n) AS recorded,
           (SELECT count(*)::int4 FROM addressed) AS deliveries
    FROM locked AS l`
}

/**
 * Writes keyed gifts in groups: those that arrive while a statement is under way are written by the next one. When a
 * request goes away, its gift is still written, and its key held until then.
 */
export const layer = storeFrom(DonationIntake, function* (sql) {
  const keys = yield* KeysInFlight.KeysInFlight
  const signal = yield* DeliverySignal
  const hint = yield* EventHint
  const queue = yield* Queue.unbounded<Waiting>()

  const write = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>) {
    const rows = yield* statement(sql, JSON.stringify(batch.map(inputRow)))
    if (rows.some(({ recorded }) => recorded)) yield* hint.raise
    if (rows.some(({ deliveries }) => deliveries > 0)) yield* signal.raise
    return new Map(rows.map(({ locked, n, recorded }): [number, Recorded] => [n, locked ? recorded : "in_flight"]))
  })

  /** A statement that failed has written nothing: the slow path finds out why. Its text may hold what donors wrote. */
  const declined = (cause: Cause.Cause<SqlError.SqlError>) => {
    const error = Cause.squash(cause)
    const reason = SqlError.isSqlError(error) ? error.reason._tag : "a defect"
    return Effect.as(Effect.logWarning(`a group of gifts goes the long way: ${reason}`), new Map<number, Recorded>())
  }

  const answer = ({ answer, release }: Waiting, recorded: Recorded): void => {
    release()
    Deferred.doneUnsafe(answer, Effect.succeed(recorded))
  }

  const settle = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>) {
    const answers = yield* Effect.catchCause(write(batch), declined)
    for (const [n, waiting] of batch.entries()) answer(waiting, answers.get(n) ?? false)
  })

  // Runs after the writers have ended: gifts that are left in the queue are not written.
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Queue.clear(queue), (left) => {
      for (const waiting of left) answer(waiting, false)
      return Queue.shutdown(queue)
    })
  )

  const writer = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(Queue.takeBetween(queue, 1, batchSize)), settle)
  ).pipe(Effect.forever)

  const writers = (yield* isEmbedded) ? 1 : writersOfServer
  yield* Effect.replicateEffect(Effect.forkScoped(writer), writers, { discard: true })

  const record: DonationIntake["Service"]["record"] = Effect.fnUntraced(function* (gift) {
    // The gift's writes must not be part of another transaction.
    if (Option.isSome(yield* Effect.serviceOption(sql.transactionService))) return false
    const name = keys.nameOf(gift.scope)
    const release = keys.take(name)
    if (release === undefined) return "in_flight"
    const waiting: Waiting = { gift, name, release, answer: Deferred.makeUnsafe() }
    if (!Queue.offerUnsafe(queue, waiting)) answer(waiting, false)
    return yield* Deferred.await(waiting.answer)
  })

  return { record }
})
