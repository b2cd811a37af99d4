import { DateTime, Effect, Layer, Option, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { Mail } from "../../domain/Mail.ts"
import { MailOutbox } from "../../ports/MailOutbox.ts"
import { rowsOf } from "./Rows.ts"
import { insertRecord } from "./Writing.ts"

const rows = rowsOf(Mail)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hints = yield* Queue.sliding<void>(1)
  const raise = Effect.asVoid(Queue.offer(hints, undefined))
  const columns = sql.literal(rows.columns("m"))

  /** What another worker took in between falls out: the locked row is looked at again before it is handed out. */
  const claim: MailOutbox["Service"]["claim"] = ({ lease_id, lease_until, limit, now }) => {
    const due = new Date(now.epochMilliseconds)
    const claimed = rows.all(sql`
      WITH held AS MATERIALIZED (
        SELECT h.organisation_id, h.id FROM /* every organisation */ mails AS h
        WHERE h.next_attempt_at <= ${due}
        ORDER BY h.next_attempt_at, h.id LIMIT ${limit}::int4
        FOR NO KEY UPDATE SKIP LOCKED
      ), claimed AS (
        UPDATE mails AS m
        SET attempt_count = m.attempt_count + 1, lease_id = ${lease_id},
            next_attempt_at = ${new Date(lease_until.epochMilliseconds)}
        FROM held AS h, mails AS before
        WHERE m.organisation_id = h.organisation_id AND m.id = h.id
          AND before.organisation_id = h.organisation_id AND before.id = h.id
        RETURNING ${columns}, before.next_attempt_at AS due_at
      )
      SELECT * FROM claimed ORDER BY due_at, id`)
    return Effect.map(claimed, (mails) => mails.map((mail) => ({ mail, lease_id })))
  }

  const settle: MailOutbox["Service"]["settle"] = ({ lease_id, mail }) => {
    const at = (instant: DateTime.Utc | null) => (instant === null ? null : new Date(instant.epochMilliseconds))
    return Effect.asVoid(
      Effect.orDie(sql`
        UPDATE mails
        SET status = ${mail.status}, attempt_count = ${mail.attempt_count}::int4, lease_id = NULL,
            next_attempt_at = ${at(mail.next_attempt_at)}::timestamptz, completed_at = ${at(mail.completed_at)}::timestamptz
        WHERE organisation_id = ${mail.organisation_id} AND id = ${mail.id} AND lease_id = ${lease_id}`)
    )
  }

  const trim: MailOutbox["Service"]["trim"] = (before, limit) =>
    Effect.orDie(
      Effect.map(
        sql`
          WITH old AS MATERIALIZED (
            SELECT m.organisation_id, m.id FROM /* every organisation */ mails AS m
            WHERE m.completed_at <= ${new Date(before.epochMilliseconds)}
            ORDER BY m.completed_at LIMIT ${limit}::int4
            FOR UPDATE SKIP LOCKED
          )
          DELETE FROM mails AS m USING old AS o WHERE m.organisation_id = o.organisation_id AND m.id = o.id
          RETURNING m.id`,
        (trimmed) => trimmed.length
      )
    )

  return MailOutbox.of({
    add: (mail) => Effect.andThen(Effect.orDie(insertRecord(sql, "mails", mail)), sql.afterCommit(raise)),
    find: (organisation_id, id) =>
      rows.first(sql`
        SELECT ${columns} FROM mails AS m WHERE m.organisation_id = ${organisation_id} AND m.id = ${id}`),
    claim,
    settle,
    trim,
    nextDue: Effect.orDie(
      Effect.map(
        sql<{ readonly at: Date | null }>`
          SELECT min(next_attempt_at) AS at FROM /* every organisation */ mails WHERE next_attempt_at IS NOT NULL`,
        ([row]) => Option.map(Option.fromNullishOr(row?.at), (at) => DateTime.makeUnsafe(at))
      )
    ),
    wait: Queue.take(hints)
  })
})

/** Mails on the database. The hint is of this process alone: others find what it wrote when they look. */
export const layer: Layer.Layer<MailOutbox, never, SqlClient.SqlClient> = Layer.effect(MailOutbox, make)
