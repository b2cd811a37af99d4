import { type DateTime, Duration, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { TestNotice } from "../../../domain/payments/TestNotice.ts"
import type { TestBank } from "../../../ports/payments/TestBank.ts"
import { afterCommit } from "../connection/Level.ts"
import { makeSharedHint } from "../connection/Notifications.ts"
import { type DueRows, leasedInOrder, lockedInOrder, nextDue } from "../records/FairQueue.ts"
import { insertRecord, updateRecord } from "../records/RecordWriter.ts"
import { rowsOf } from "../records/Rows.ts"

type Store = TestBank["Service"]

const rows = rowsOf(TestNotice)

const sending: DueRows = { table: "test_notices", due: "send_at", time: "organisation" }
const acting: DueRows = { table: "test_charges", due: "next_act_at", time: "organisation" }

const isDue = Schema.is(Schema.Struct({ organisation_id: OrganisationId, id: Schema.String }))

const instant = (at: DateTime.Utc) => new Date(at.epochMilliseconds)

/** The scheduled acts of the simulated bank, and its notices, on the database. */
export const makeTestNotices = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const { raise, wait } = yield* makeSharedHint("notices")
  const columns = sql.literal(rows.columns("t"))

  const lease = (limit: number, duration: Duration.Duration, only: OrganisationId | undefined) =>
    leasedInOrder(sql, sending, { columns: rows.columns("t"), lease: duration, limit, only })

  const soonest = (only?: OrganisationId) =>
    Effect.map(Effect.all([nextDue(sql, sending, only), nextDue(sql, acting, only)]), (both) =>
      Option.fromUndefinedOr(both.flatMap(Option.toArray).toSorted(Duration.Order)[0])
    )

  const store: Pick<
    Store,
    | "due"
    | "addNotices"
    | "claimNotices"
    | "setSends"
    | "noticesAfter"
    | "trimNotices"
    | "nextDue"
    | "nextDueOf"
    | "wait"
  > = {
    due: (limit, only) =>
      Effect.orDie(
        Effect.map(
          sql`
            WITH RECURSIVE ${lockedInOrder(sql, acting, { limit, only })}
            SELECT k.organisation_id, k.id FROM picked AS k ORDER BY k.place, k.due_at, k.id`,
          (found) => found.filter((row) => isDue(row))
        )
      ),
    addNotices: (notices) =>
      Effect.andThen(
        Effect.orDie(Effect.forEach(notices, (notice) => insertRecord(sql, "test_notices", notice), { discard: true })),
        notices.length === 0 ? Effect.void : afterCommit(raise)
      ),
    claimNotices: (limit, duration, only) =>
      Effect.orDie(Effect.map(lease(limit, duration, only), (found) => rows.readable(found).read)),
    setSends: (notice) => Effect.asVoid(Effect.orDie(updateRecord(sql, "test_notices", notice))),
    noticesAfter: ({ id, organisation_id }, after, limit) =>
      rows.all(sql`
        SELECT ${columns} FROM test_notices AS t
        WHERE t.organisation_id = ${organisation_id} AND t.integration_id = ${id}
          AND (t.created_at, t.id) > (${instant(after.created_at)}, ${after.id})
        ORDER BY t.created_at, t.id LIMIT ${limit}::int4`),
    trimNotices: (before, limit) =>
      Effect.orDie(
        Effect.map(
          sql`
            WITH old AS MATERIALIZED (
              SELECT t.organisation_id, t.id FROM /* every organisation */ test_notices AS t
              WHERE t.created_at <= ${instant(before)} AND t.send_at IS NULL
              ORDER BY t.created_at LIMIT ${limit}::int4
              FOR UPDATE SKIP LOCKED
            )
            DELETE FROM test_notices AS t USING old AS o WHERE t.organisation_id = o.organisation_id AND t.id = o.id
            RETURNING t.id`,
          (trimmed) => trimmed.length
        )
      ),
    nextDue: soonest(),
    nextDueOf: soonest,
    wait
  }
  return store
})
