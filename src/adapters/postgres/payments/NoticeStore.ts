import { type Duration, Effect } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { Notice } from "../../../domain/payments/Notice.ts"
import { type ConcludedNotice, NoticeStore } from "../../../ports/payments/NoticeStore.ts"
import { afterCommit } from "../connection/LazyConnection.ts"
import { makeSharedHint } from "../connection/Notifications.ts"
import { type DueRows, leasedInOrder, nextDues } from "../records/FairQueue.ts"
import { deleteOldest, makeRecords, rowFrom, rowsFrom, storeFrom } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { makeNow } from "../records/StoreTime.ts"

/** The column's value in notices of no organisation, so that they are found in turn with the others. */
const unclaimed = ""

const rows = rowsOf(Notice, { organisation_id: { read: (value) => (value === unclaimed ? null : value) } })

const toRecord = (notice: Notice): object => ({ ...notice, organisation_id: notice.organisation_id ?? unclaimed })

const table = "notices"

const awaiting: DueRows = { table, due: "apply_at", time: "organisation" }

export const layer = storeFrom(NoticeStore, function* (sql) {
  const { raise, wait } = yield* makeSharedHint("notices")
  const { find, list } = makeRecords(sql, { rows, table, toRecord })
  const columns = sql.literal(rows.columns("t"))
  const names = sql.literal(rows.names.join(", "))
  const assignments = sql.literal(rows.names.map((name) => `${name} = n.${name}`).join(", "))
  const given = (notice: Notice) => sql`${rowFrom(sql, table, toRecord(notice))} AS n`
  const told = afterCommit(raise)
  const givenAll = (notices: ReadonlyArray<Notice>) => rowsFrom(sql, table, notices.map(toRecord))

  const conclude = (changes: ReadonlyArray<ConcludedNotice>) => sql`
    UPDATE /* every organisation */ notices AS t SET ${assignments}
    FROM ${givenAll(changes.map(({ after }) => after))} AS n
    JOIN ${givenAll(changes.map(({ before }) => before))} AS b ON b.id = n.id
    WHERE t.id = n.id AND t.status = b.status AND t.attempts = b.attempts
      AND t.apply_at IS NOT DISTINCT FROM b.apply_at`

  /** Two of the same event at the same moment meet in the unique indexes. */
  const add = (notice: Notice) => sql`
    INSERT INTO notices (${names}) SELECT ${sql.literal(rows.names.map((name) => `n.${name}`).join(", "))}
    FROM ${given(notice)} WHERE NOT EXISTS (
      SELECT FROM /* every organisation */ notices AS s
      WHERE s.event_id = ${notice.event_id} AND s.processor = ${notice.processor} AND s.integration_id IS NULL)
    ON CONFLICT DO NOTHING RETURNING id`

  const lease = (limit: number, duration: Duration.Duration, only: OrganisationId | undefined) =>
    leasedInOrder(sql, awaiting, { columns: rows.columns("t"), lease: duration, limit, only })

  return {
    find,
    list,
    // No organisation has this id: its notices are those of none.
    unclaimed: (query) => list(unclaimed as OrganisationId, query),
    now: makeNow(sql),
    add: (notice) =>
      Effect.orDie(
        Effect.flatMap(add(notice), ([written]) =>
          written === undefined ? Effect.succeed(false) : Effect.as(told, true)
        )
      ),
    hold: (id) =>
      rows.first(sql`
        SELECT ${columns} FROM /* every organisation */ notices AS t WHERE t.id = ${id} FOR NO KEY UPDATE`),
    update: (notice) =>
      Effect.andThen(
        Effect.orDie(sql`
          UPDATE /* every organisation */ notices AS t SET ${assignments} FROM ${given(notice)} WHERE t.id = n.id`),
        notice.apply_at === null ? Effect.void : told
      ),
    conclude: (changes) =>
      changes.length === 0
        ? Effect.void
        : Effect.andThen(
            Effect.orDie(conclude(changes)),
            changes.some(({ after }) => after.apply_at !== null) ? told : Effect.void
          ),
    claim: (limit, duration, only) =>
      Effect.orDie(Effect.map(lease(limit, duration, only), (found) => rows.readable(found).read)),
    trim: deleteOldest(sql, { table: "notices", at: "created_at", condition: "t.apply_at IS NULL" }),
    ...nextDues(sql, awaiting),
    wait
  }
})
