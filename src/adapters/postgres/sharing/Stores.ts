import { Effect, Layer, Option, Schema, Struct } from "effect"
import { LinkedOrganisation } from "../../../domain/access/Organisation.ts"
import { RecipientAccountLinkId } from "../../../domain/kernel/Ids.ts"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { Introduction, limitRule, ranOut } from "../../../domain/sharing/Introduction.ts"
import { Payable, RecipientAccount } from "../../../domain/sharing/RecipientAccount.ts"
import {
  Allocation,
  LinkedRecipient,
  RecommendationSet,
  RecommendationSetRecord,
  totalCents
} from "../../../domain/sharing/RecommendationSet.ts"
import { Id, TransferAttempt } from "../../../domain/sharing/TransferAttempt.ts"
import { LinkedOrganisationStore } from "../../../ports/access/LinkedOrganisationStore.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { IntroductionStore } from "../../../ports/sharing/IntroductionStore.ts"
import { PassphraseFailures } from "../../../ports/sharing/PassphraseFailures.ts"
import { RecipientAccountStore } from "../../../ports/sharing/RecipientAccountStore.ts"
import { RecommendationSetStore } from "../../../ports/sharing/RecommendationSetStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { readBeside, readForChange } from "../connection/DeferredTransaction.ts"
import { afterCommit, CurrentLevel } from "../connection/LazyConnection.ts"
import { makeSharedHint } from "../connection/Notifications.ts"
import { makeDueRecords, nowOf } from "../records/FairQueue.ts"
import { makeList } from "../records/ListPage.ts"
import { makeParted, type Parts, withParts } from "../records/Parts.ts"
import { findBy, insertRecord, makeRecords, readOrDie, runOrDie, storeFrom } from "../records/Records.ts"
import { integer, rowsOf, ruleOf } from "../records/Rows.ts"
import { makeExpirable, makeNow } from "../records/StoreTime.ts"
import { makeUniqueRecords, makeUnlessTaken } from "../records/UniqueRecords.ts"

const introductionRows = rowsOf(Introduction)

const introductionStore = storeFrom(IntroductionStore, function* (sql) {
  const records = makeUniqueRecords(sql, yield* Transaction, {
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
      runOrDie(sql`
            UPDATE passphrase_failures SET failed_at = ${failures.map((at) => new Date(at.epochMilliseconds))}::timestamptz[]
            WHERE organisation_id = ${organisation_id}`),
    // Few organisations have failures within an hour, so that the table is read as a whole.
    trim: (before, limit) =>
      readOrDie(
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
    ...makeRecords(sql, { rows: accountRows, table: accountTable }),
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
  const records = makeRecords(sql, attempts)
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

const setTable = "recommendation_sets"

const parts: Parts<RecommendationSet> = {
  table: "set_allocations",
  parent: "recommendation_set_id",
  field: "allocations",
  columns: Object.keys(Allocation.fields)
}

const rows = withParts(rowsOf(RecommendationSet, { min_total_cents: integer }), parts)

const listed = rowsOf(RecommendationSetRecord, { min_total_cents: integer, total_amount_cents: integer })

const toRecord = (set: RecommendationSet) => ({
  ...Struct.omit(set, ["allocations"]),
  total_amount_cents: totalCents(set.allocations),
  allocation_count: set.allocations.length
})

const decodeRecipients = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: RecipientAccountLinkId, ...LinkedRecipient.fields }))
)

const recommendationSetStore = storeFrom(RecommendationSetStore, function* (sql) {
  const list = makeList(sql, { rows: listed, table: setTable, archivable: true })

  const findLinked = Effect.fnUntraced(function* (organisation_id: string, id: string) {
    const [row] = yield* sql<{ readonly recipients: unknown }>`
        SELECT ${sql.literal(rows.columns("t"))}, (
          SELECT coalesce(
            jsonb_agg(jsonb_build_object('id', r.id, 'link_label', r.label, 'recipient_org_name', r.recipient_org_name)),
            '[]'
          )
          FROM set_allocations AS a JOIN recipient_accounts AS r
            ON r.organisation_id = a.organisation_id AND r.id = a.recipient_org_account_link_id
          WHERE a.organisation_id = t.organisation_id AND a.recommendation_set_id = t.id
        ) AS recipients
        FROM recommendation_sets AS t WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`
    return Option.map(Option.fromNullishOr(row), (found) => ({
      set: rows.read({ ...found }),
      recipients: new Map(decodeRecipients(found.recipients).map(({ id, ...recipient }) => [id, recipient]))
    }))
  }, Effect.orDie)

  const unlessTaken = makeUnlessTaken(sql, yield* Transaction, {
    table: setTable,
    toRecord,
    unique: { columns: ["slug"], constraint: "recommendation_sets_slug", record: "recommendation set", field: "slug" }
  })

  const sets = makeParted(
    sql,
    { table: setTable, rows, parts, toRecord, partsOf: ({ allocations }) => allocations },
    unlessTaken
  )

  /** The slugs that transactions of this process are taking: sets of one name, made at one moment, do not wait for each other. */
  const beingTaken = new Set<string>()
  const nameOf = (organisation_id: string, slug: string) => `${organisation_id} ${slug}`

  const take = ({ organisation_id, slug }: RecommendationSet) =>
    Effect.map(CurrentLevel, (level) => {
      const name = nameOf(organisation_id, slug)
      if (level === undefined || beingTaken.has(name)) return
      beingTaken.add(name)
      level.atEnd.push(() => beingTaken.delete(name))
    })

  return {
    ...sets,
    insert: (set) => Effect.andThen(take(set), sets.insert(set)),
    list: (organisation_id, query) => list(organisation_id, query),
    findLinked,
    takenSlugs: (organisation_id, slugs) =>
      Effect.orDie(
        readBeside(
          sql<{ readonly slug: string }>`
              SELECT t.slug FROM recommendation_sets AS t
              WHERE t.organisation_id = ${organisation_id} AND t.slug = ANY(${[...slugs]}::text[])`
        )
      ).pipe(
        Effect.map((found) => {
          const taken = new Set(found.map(({ slug }) => slug))
          return slugs.filter((slug) => taken.has(slug) || beingTaken.has(nameOf(organisation_id, slug)))
        })
      )
  }
})

export const layer = Layer.mergeAll(
  introductionStore,
  linkedOrganisationStore,
  passphraseFailures,
  recipientAccountStore,
  recommendationSetStore,
  transferAttemptStore
)
