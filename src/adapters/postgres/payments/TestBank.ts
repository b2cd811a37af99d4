import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { nextActAt } from "../../../domain/payments/TestBank.ts"
import { TestAccount, TestCharge } from "../../../domain/payments/TestCharge.ts"
import { TestNotice } from "../../../domain/payments/TestNotice.ts"
import { TestBank, type TestBankActs } from "../../../ports/payments/TestBank.ts"
import { runWrite } from "../connection/DeferredTransaction.ts"
import { afterCommit } from "../connection/LazyConnection.ts"
import { makeSharedHint } from "../connection/Notifications.ts"
import { type DueRows, leasedInOrder, lockedInOrder, nextDue } from "../records/FairQueue.ts"
import * as Records from "../records/Records.ts"
import { integer, rowsOf } from "../records/Rows.ts"
import { makeNow } from "../records/StoreTime.ts"

const noticeRows = rowsOf(TestNotice)

const sending: DueRows = { table: "test_notices", due: "send_at", time: "organisation" }
const acting: DueRows = { table: "test_charges", due: "next_act_at", time: "organisation" }

const isDue = Schema.is(Schema.Struct({ organisation_id: OrganisationId, id: Schema.String }))

const dateOf = (at: DateTime.Utc) => new Date(at.epochMilliseconds)

const makeTestNotices = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const { raise, wait } = yield* makeSharedHint("notices")
  const columns = sql.literal(noticeRows.columns("t"))

  const lease = (limit: number, duration: Duration.Duration, only: OrganisationId | undefined) =>
    leasedInOrder(sql, sending, { columns: noticeRows.columns("t"), lease: duration, limit, only })

  const soonest = (only?: OrganisationId) =>
    Effect.map(Effect.all([nextDue(sql, sending, only), nextDue(sql, acting, only)]), (both) =>
      Option.fromUndefinedOr(both.flatMap(Option.toArray).toSorted(Duration.Order)[0])
    )

  const store: TestBankActs = {
    due: (limit, only) =>
      Records.readOrDie(
        sql`
            WITH RECURSIVE ${lockedInOrder(sql, acting, { limit, only })}
            SELECT k.organisation_id, k.id FROM picked AS k ORDER BY k.place, k.due_at, k.id`,
        (found) => found.filter((row) => isDue(row))
      ),
    addNotices: (notices) =>
      notices.length === 0
        ? Effect.void
        : Effect.andThen(Effect.orDie(runWrite(Records.insertions(sql, "test_notices", notices))), afterCommit(raise)),
    claimNotices: (limit, duration, only) =>
      Effect.orDie(Effect.map(lease(limit, duration, only), (found) => noticeRows.readable(found).read)),
    setSends: (notices) =>
      Records.runOrDie(sql`
        UPDATE test_notices AS t SET send_at = n.send_at, sends = n.sends
        FROM ${Records.rowsFrom(sql, "test_notices", notices)} AS n
        WHERE t.organisation_id = n.organisation_id AND t.id = n.id`),
    noticesAfter: ({ id, organisation_id }, after, limit) =>
      noticeRows.all(sql`
        SELECT ${columns} FROM test_notices AS t
        WHERE t.organisation_id = ${organisation_id} AND t.integration_id = ${id}
          AND (t.created_at, t.id) > (${dateOf(after.created_at)}, ${after.id})
        ORDER BY t.created_at, t.id LIMIT ${limit}::int4`),
    trimNotices: Records.deleteOldest(sql, { table: "test_notices", at: "created_at", condition: "t.send_at IS NULL" }),
    nextDue: soonest(),
    nextDueOf: soonest,
    wait
  }
  return store
})

const { disputes, movements, refunds, scheduled, transfers } = TestCharge.fields

const rows = rowsOf(TestCharge, {
  amount_cents: integer,
  fee_cents: integer,
  refunds: { read: Schema.decodeUnknownSync(Schema.toCodecJson(refunds)) },
  disputes: { read: Schema.decodeUnknownSync(Schema.toCodecJson(disputes)) },
  transfers: { read: Schema.decodeUnknownSync(Schema.toCodecJson(transfers)) },
  movements: { read: Schema.decodeUnknownSync(Schema.toCodecJson(movements)) },
  scheduled: { read: Schema.decodeUnknownSync(Schema.toCodecJson(scheduled)) }
})
/** The row of a charge: beside its fields, when the bank next does something with it. */
const toRecord = (charge: TestCharge): object => ({ ...charge, next_act_at: nextActAt(charge) })

const accountRows = rowsOf(TestAccount)

const table = "test_charges"

const instant = (at: DateTime.Utc | undefined): string | null => (at === undefined ? null : DateTime.formatIso(at))

export const layer = Records.storeFrom(TestBank, function* (sql) {
  const { find, findForUpdate, list, update } = Records.makeRecords(sql, { rows, table, toRecord })
  const select = sql`SELECT ${sql.literal(rows.columns("t"))} FROM test_charges AS t`

  const forget = ({ idempotency_key, organisation_id }: TestCharge, since: DateTime.Utc) => sql`
    UPDATE test_charges AS t SET idempotency_key = NULL
    WHERE t.organisation_id = ${organisation_id} AND t.idempotency_key = ${idempotency_key}
      AND t.created_at <= ${new Date(since.epochMilliseconds)}`

  /**
   * Waits for a transaction that is writing one with the same id or under the same key. The conflict names no columns: those
   * that make one charge at the same moment meet in whichever of its unique indexes is written first.
   */
  const findOrInsert = (charge: TestCharge, since: DateTime.Utc): Effect.Effect<TestCharge> =>
    Effect.gen(function* () {
      const written = yield* sql`
        ${Records.insertRecord(sql, table, toRecord(charge))} ON CONFLICT DO NOTHING RETURNING id`
      if (written.length > 0) return charge
      yield* forget(charge, since)
      const [known] = yield* rows.all(sql`
        ${select} WHERE t.organisation_id = ${charge.organisation_id}
          AND (t.id = ${charge.id} OR t.idempotency_key = ${charge.idempotency_key})
        ORDER BY t.id <> ${charge.id} LIMIT 1`)
      return known ?? (yield* findOrInsert(charge, since))
    }).pipe(Effect.orDie)

  return {
    ...(yield* makeTestNotices(sql)),
    find,
    findForUpdate,
    list,
    update,
    findOrInsert,
    now: makeNow(sql),
    ofCharge: (organisation_id, charge_id) =>
      rows.all(sql`
        ${select} WHERE t.organisation_id = ${organisation_id} AND t.charge_id = ${charge_id}
        ORDER BY t.created_at, t.id`),
    ofAccount: (organisation_id, integration_id, { before, changed, since }, after, limit) =>
      rows.all(sql`
        ${select} WHERE t.organisation_id = ${organisation_id} AND t.integration_id = ${integration_id}
          AND t.id > ${after ?? ""}
          AND t.created_at >= coalesce(${instant(since)}::timestamptz, '-infinity')
          AND t.created_at < coalesce(${instant(before)}::timestamptz, 'infinity')
          AND (t.scheduled <> '[]'::jsonb OR t.updated_at >= coalesce(${instant(changed)}::timestamptz, '-infinity'))
        ORDER BY t.id LIMIT ${limit}::int4`),
    account: (organisation_id, integration_id) =>
      accountRows.first(sql`
        SELECT ${sql.literal(accountRows.columns("t"))} FROM test_accounts AS t
        WHERE t.organisation_id = ${organisation_id} AND t.integration_id = ${integration_id}`),
    setAccount: (account) =>
      Records.runOrDie(sql`
          INSERT INTO test_accounts (organisation_id, integration_id, charges_enabled, reach, notices, transfers)
          SELECT n.organisation_id, n.integration_id, n.charges_enabled, n.reach, n.notices, n.transfers
          FROM ${Records.rowFrom(sql, "test_accounts", account)} AS n
          ON CONFLICT (organisation_id, integration_id)
          DO UPDATE SET charges_enabled = EXCLUDED.charges_enabled, reach = EXCLUDED.reach,
            notices = EXCLUDED.notices, transfers = EXCLUDED.transfers`)
  }
})
