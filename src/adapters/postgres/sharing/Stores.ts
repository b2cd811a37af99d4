import { Effect, Layer, Option } from "effect"
import { LinkedOrganisation } from "../../../domain/access/Organisation.ts"
import type { IntroductionId, RecipientAccountLinkId } from "../../../domain/kernel/Ids.ts"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { Introduction, limitRule, ranOut } from "../../../domain/sharing/Introduction.ts"
import { Payable, RecipientAccount } from "../../../domain/sharing/RecipientAccount.ts"
import { Id, TransferAttempt } from "../../../domain/sharing/TransferAttempt.ts"
import { LinkedOrganisationStore } from "../../../ports/access/LinkedOrganisationStore.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { IntroductionStore } from "../../../ports/sharing/IntroductionStore.ts"
import { PassphraseFailures } from "../../../ports/sharing/PassphraseFailures.ts"
import { RecipientAccountStore } from "../../../ports/sharing/RecipientAccountStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { readForChange } from "../connection/DeferredTransaction.ts"
import { afterCommit } from "../connection/LazyConnection.ts"
import { makeSharedHint } from "../connection/Notifications.ts"
import { makeDueRecords, nowOf } from "../records/FairQueue.ts"
import { makeList } from "../records/ListPage.ts"
import { findBy, insertRecord, makeRecords, storeFrom } from "../records/Records.ts"
import { integer, rowsOf, ruleOf } from "../records/Rows.ts"
import { makeExpirable, makeNow } from "../records/StoreTime.ts"
import { makeUniqueRecords } from "../records/UniqueRecords.ts"

const introductionRows = rowsOf(Introduction)

const introductionStore = storeFrom(IntroductionStore, function* (sql) {
  const records = makeUniqueRecords<Introduction, IntroductionId>(sql, yield* Transaction, {
    rows: introductionRows,
    table: "introductions",
    unique: {
      columns: ["external_id"],
      constraint: "introductions_external_id",
      record: "introduction",
      field: "external_id"
    }
  })
  const everywhere = sql`SELECT ${sql.literal(introductionRows.columns("t"))} FROM /* every organisation */ introductions AS t`

  /** Those who count wait for each other at the organisation's row; its readers and foreign keys to it do not. */
  const countForUpdate: IntroductionStore["Service"]["countForUpdate"] = Effect.fnUntraced(function* (
    organisation_id,
    now
  ) {
    yield* sql`SELECT id FROM organisations WHERE id = ${organisation_id} FOR NO KEY UPDATE`
    const [row] = yield* sql<{ readonly count: number }>`
      SELECT count(*)::int4 AS count FROM introductions AS t
      WHERE t.organisation_id = ${organisation_id} AND ${ruleOf(sql, Rule.at(limitRule, now), "t")}`
    return row?.count ?? 0
  }, Effect.orDie)

  return {
    ...records,
    locate: (id) => introductionRows.first(sql`${everywhere} WHERE t.id = ${id}`),
    countForUpdate,
    expirable: makeExpirable(sql, "introductions", ranOut)
  }
})

const linkedRows = rowsOf(LinkedOrganisation)

const linkedOrganisationStore = storeFrom(LinkedOrganisationStore, function* (sql) {
  const list = makeList(sql, { rows: linkedRows, table: "linked_organisations" })
  return {
    find: (organisation_id, id) =>
      linkedRows.first(sql`
          SELECT ${sql.literal(linkedRows.columns("t"))} FROM linked_organisations AS t
          WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`),
    list: (organisation_id, query) => list(organisation_id, query)
  }
})

const passphraseFailures = storeFrom(PassphraseFailures, function* (sql) {
  return {
    /** Makes the row where it is missing, so that there is always one to lock. */
    findForUpdate: Effect.fnUntraced(function* (organisation_id) {
      const found = yield* sql<{ readonly failed_at: ReadonlyArray<Date> }>`
          INSERT INTO passphrase_failures AS t (organisation_id, failed_at) VALUES (${organisation_id}, '{}')
          ON CONFLICT (organisation_id) DO UPDATE SET failed_at = t.failed_at
          RETURNING failed_at`
      return found.flatMap(({ failed_at }) => failed_at.map((at) => instantAt(at)))
    }, Effect.orDie),
    replace: (organisation_id, failures) =>
      Effect.asVoid(
        Effect.orDie(sql`
            UPDATE passphrase_failures SET failed_at = ${failures.map((at) => new Date(at.epochMilliseconds))}::timestamptz[]
            WHERE organisation_id = ${organisation_id}`)
      ),
    // Few organisations have failures within an hour, so that the table is read as a whole.
    trim: (before, limit) =>
      Effect.orDie(
        Effect.map(
          sql`
              WITH old AS MATERIALIZED (
                SELECT t.organisation_id FROM /* every organisation */ passphrase_failures AS t
                WHERE NOT (${new Date(before.epochMilliseconds)}::timestamptz < ANY (t.failed_at))
                LIMIT ${limit}::int4
                FOR UPDATE SKIP LOCKED
              )
              DELETE FROM passphrase_failures AS t USING old AS o WHERE t.organisation_id = o.organisation_id
              RETURNING t.organisation_id`,
          (trimmed) => trimmed.length
        )
      )
  }
})

const accountRows = rowsOf(RecipientAccount)
const payable = rowsOf(Payable)

const accountTable = "recipient_accounts"

const recipientAccountStore = storeFrom(RecipientAccountStore, function* (sql) {
  const columns = sql.literal(accountRows.columns("t"))

  const heldFor = ({ organisation_id, recipient_integration_id }: RecipientAccount) =>
    accountRows.first(sql`
        SELECT ${columns} FROM recipient_accounts AS t
        WHERE t.organisation_id = ${organisation_id} AND t.recipient_integration_id = ${recipient_integration_id}
        FOR NO KEY UPDATE`)

  /** Waits for a transaction that is writing the same link; when that one rolls back, it tries again. */
  const findOrInsert = (
    link: RecipientAccount
  ): Effect.Effect<{ readonly link: RecipientAccount; readonly created: boolean }> =>
    Effect.gen(function* () {
      const written = yield* Effect.orDie(
        sql`
            ${insertRecord(sql, accountTable, link)}
            ON CONFLICT (organisation_id, recipient_integration_id) DO NOTHING RETURNING id`
      )
      if (written.length > 0) return { link, created: true }
      const holder = yield* heldFor(link)
      return Option.isSome(holder) ? { link: holder.value, created: false } : yield* findOrInsert(link)
    })

  return {
    ...makeRecords<RecipientAccount, RecipientAccountLinkId>(sql, { rows: accountRows, table: accountTable }),
    findOrInsert,
    findManyForShare: (organisation_id, ids) =>
      payable.all(
        readForChange(sql, {
          table: accountTable,
          strength: "FOR SHARE",
          organisation_id,
          select: sql.literal(payable.columns("t")),
          where: sql`WHERE t.organisation_id = ${organisation_id} AND t.id = ANY(${[...ids]}::text[])`,
          order: sql`ORDER BY t.id`
        })
      )
  }
})

const attempts = { rows: rowsOf(TransferAttempt, { amount_cents: integer }), table: "transfer_attempts" }

const transferAttemptStore = storeFrom(TransferAttemptStore, function* (sql) {
  const { raise, wait } = yield* makeSharedHint("transfers")
  const records = makeRecords<TransferAttempt, Id>(sql, attempts)
  return {
    ...records,
    insert: (attempt) => Effect.andThen(records.insert(attempt), afterCommit(raise)),
    now: makeNow(sql),
    lookNow: (organisation_id, payment_id) =>
      Effect.andThen(
        Effect.orDie(sql`
            UPDATE transfer_attempts
            SET look_at = least(look_at, ${nowOf(sql, organisation_id)})
            WHERE organisation_id = ${organisation_id} AND payment_id = ${payment_id}
              AND look_at IS NOT NULL AND looks > 0`),
        afterCommit(raise)
      ),
    ofAllocation: findBy(sql, attempts, "allocation_id"),
    ...makeDueRecords(sql, attempts.table, Id),
    wait
  }
})

export const layer = Layer.mergeAll(
  introductionStore,
  linkedOrganisationStore,
  passphraseFailures,
  recipientAccountStore,
  transferAttemptStore
)
