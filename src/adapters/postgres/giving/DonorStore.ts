import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { Donor, derivedColumns, type SearchFields, wordsOf } from "../../../domain/giving/Donor.ts"
import type { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { emailKey } from "../../../domain/kernel/Text.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { runWrite } from "../connection/DeferredTransaction.ts"
import { nameIn, SchemaName } from "../connection/SchemaName.ts"
import { makeLists } from "../records/ListPage.ts"
import { insertRecord, makeRecords, storeFrom, updateRecord } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { keyOf, makeSearch } from "./DonorSearch.ts"

interface Stale extends SearchFields {
  readonly organisation_id: string
  readonly id: string
  readonly profile_revision: number
}

/**
 * Remakes the words of donors that an earlier version of the program stored. Words are made between two statements, of
 * which the second writes only for donors that are still as they were read: a donor that changed meanwhile has new
 * words already. Donors that are locked are left for the next time.
 */
const makeReindex = (sql: SqlClient.SqlClient) => {
  const staleOf = (limit: number) => sql<Stale>`
    SELECT t.organisation_id, t.id, t.profile_revision, t.first_name, t.last_name, t.organisation_name, t.email
    FROM /* every organisation */ donors AS t
    WHERE t.words_revision IS DISTINCT FROM t.profile_revision
    ORDER BY t.organisation_id, t.id LIMIT ${limit}::int4`

  const write = (stale: ReadonlyArray<Stale>) => {
    const said = stale.flatMap((donor) => wordsOf(donor).map((word) => ({ donor, word })))
    return sql<{ readonly reindexed: number }>`
      WITH held AS MATERIALIZED (
        SELECT t.organisation_id, t.id
        FROM unnest(
          ${stale.map(({ organisation_id }) => organisation_id)}::text[], ${stale.map(({ id }) => id)}::text[],
          ${stale.map(({ profile_revision }) => `${profile_revision}`)}::int8[]
        ) AS s (organisation_id, id, revision)
        JOIN donors AS t ON t.organisation_id = s.organisation_id AND t.id = s.id
        WHERE t.profile_revision = s.revision AND t.words_revision IS DISTINCT FROM t.profile_revision
        FOR NO KEY UPDATE OF t SKIP LOCKED
      ),
      said AS MATERIALIZED (
        SELECT h.organisation_id, h.id AS donor_id, s.word
        FROM unnest(
          ${said.map(({ donor }) => donor.organisation_id)}::text[], ${said.map(({ donor }) => donor.id)}::text[],
          ${said.map(({ word }) => word)}::text[]
        ) AS s (organisation_id, id, word)
        JOIN held AS h ON h.organisation_id = s.organisation_id AND h.id = s.id
      ),
      marked AS (
        UPDATE donors AS t SET words_revision = t.profile_revision
        FROM held AS h WHERE t.organisation_id = h.organisation_id AND t.id = h.id
      ),
      unsaid AS (
        DELETE FROM donor_words AS w USING held AS h
        WHERE w.organisation_id = h.organisation_id AND w.donor_id = h.id AND NOT EXISTS (
          SELECT FROM said AS s
          WHERE s.organisation_id = w.organisation_id AND s.donor_id = w.donor_id AND s.word = w.word)
      ),
      added AS (
        INSERT INTO donor_words (organisation_id, donor_id, word)
        SELECT organisation_id, donor_id, word FROM said ON CONFLICT DO NOTHING
      )
      SELECT count(*)::int AS reindexed FROM held`
  }

  return Effect.fnUntraced(function* (limit: number) {
    const stale = yield* staleOf(limit)
    if (stale.length === 0) return 0
    const [written] = yield* write(stale)
    return written?.reindexed ?? 0
  }, Effect.orDie)
}

const rows = rowsOf(Donor)

const toRecord = (donor: Donor) => {
  const { email_key, last_name_key, words } = derivedColumns(donor)
  const keys = { email_key, last_name_key: keyOf(last_name_key), words_revision: donor.profile_revision }
  return { record: { ...donor, ...keys }, words }
}

/** Donors of a list that a search for common words checks one by one, before it reads the index. */
const walkedDonors = 1_000

export const layer = storeFrom(DonorStore, function* (sql) {
  const select = sql`SELECT ${sql.literal(rows.columns("t"))} FROM donors AS t`
  const donors = makeLists(sql, { rows, table: "donors", archivable: true })
  const search = makeSearch(sql)
  const schema = yield* SchemaName

  const records = makeRecords<Donor, DonorId>(sql, { rows, table: "donors", archivable: true })

  const insert = (donor: Donor) => {
    const { record, words } = toRecord(donor)
    const said = sql`
      INSERT INTO donor_words (organisation_id, donor_id, word)
      SELECT organisation_id, id, word FROM donor, unnest(${words}::text[]) AS word`
    const inserted = insertRecord(sql, "donors", record)
    return runWrite({
      part: "record",
      direct: () => sql`WITH donor AS (${inserted} RETURNING organisation_id, id) ${said}`,
      gated: (condition) =>
        sql`donor AS (${inserted} WHERE ${condition} RETURNING organisation_id, id), said AS (${said})`
    })
  }

  const update = (donor: Donor) => {
    const { record, words } = toRecord(donor)
    const unsaid = sql`
      unsaid AS (
        DELETE FROM donor_words AS w USING donor
        WHERE w.organisation_id = donor.organisation_id AND w.donor_id = donor.id AND w.word <> ALL(${words}::text[])
      )`
    const said = sql`
      INSERT INTO donor_words (organisation_id, donor_id, word)
      SELECT organisation_id, id, word FROM donor, unnest(${words}::text[]) AS word ON CONFLICT DO NOTHING`
    const updated = updateRecord(sql, "donors", record)
    return runWrite({
      part: "record",
      direct: () => sql`WITH donor AS (${updated} RETURNING t.organisation_id, t.id), ${unsaid} ${said}`,
      gated: (condition) => sql`
        donor AS (${updated} AND ${condition} RETURNING t.organisation_id, t.id), ${unsaid}, said AS (${said})`
    })
  }

  const membersOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, slug: string) {
    const found = yield* Effect.orDie(
      sql<{ readonly id: string }>`
        SELECT id FROM segments WHERE organisation_id = ${organisation_id} AND slug = ${slug}`
    )
    for (const { id } of found) {
      return sql`t.id IN (
        SELECT m.donor_id FROM segment_members AS m
        WHERE m.organisation_id = ${organisation_id} AND m.segment_id = ${id})`
    }
    return yield* new InvalidInput({ param: "segment", message: "segment names no segment of the organisation." })
  })

  return {
    ...records,
    insert: (donor) => Effect.orDie(insert(donor)),
    findForShare: (organisation_id, id) =>
      rows.first(sql`${select} WHERE t.organisation_id = ${organisation_id} AND t.id = ${id} FOR SHARE`),
    update: (donor) => Effect.orDie(update(donor)),
    // A lock of the database, which two addresses may share: then one waits for the other in vain.
    holdEmail: (organisation_id, email) =>
      Effect.asVoid(
        Effect.orDie(sql`
          SELECT pg_advisory_xact_lock(hashtextextended(
            ${nameIn(schema, `almoner donor ${organisation_id} ${emailKey(email)}`)}::text, 0))`)
      ),
    reindex: makeReindex(sql),
    list: Effect.fnUntraced(function* (organisation_id, query) {
      const members = query.segment === null ? [] : [yield* membersOf(organisation_id, query.segment)]
      const { conditions, walking } = yield* Effect.orDie(search(organisation_id, query.words))
      if (walking !== undefined) {
        const page = yield* donors.pageAmong(walkedDonors, organisation_id, query, [...members, ...walking])
        if (Option.isSome(page)) return page.value
      }
      return yield* donors.page(organisation_id, query, [...members, ...conditions])
    })
  }
})
