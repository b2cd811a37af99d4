import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { Donor, derivedColumns, type SearchFields, wordsOf } from "../../../domain/giving/Donor.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { emailKey } from "../../../domain/kernel/Text.ts"
import { DonorStore } from "../../../ports/giving/DonorStore.ts"
import { runWrite } from "../connection/DeferredTransaction.ts"
import { nameIn, SchemaName } from "../connection/SchemaName.ts"
import { makeLists } from "../records/ListPage.ts"
import { insertRecord, makeFindHeld, makeRecords, runOrDie, storeFrom, updateRecord } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"

/** Longest key of an index, code points: a normalised text may be many times as long as the original. */
const keyCharacters = 500

export const keyOf = (text: string): string =>
  text.length <= keyCharacters ? text : [...text].slice(0, keyCharacters).join("")

const lastCodePoint = 0x10ffff

const successor = (codePoint: number): number => (codePoint === 0xd7ff ? 0xe000 : codePoint + 1)

/** The first text, by code points, that sorts after all texts that begin with `prefix`. */
export const endOf = (prefix: string): string => {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (codePoints.at(-1) === lastCodePoint) codePoints.pop()
  const last = codePoints.pop()
  return last === undefined
    ? String.fromCodePoint(lastCodePoint).repeat(keyCharacters)
    : String.fromCodePoint(...codePoints, successor(last))
}

/** The words that no other word begins with: a donor who matches the longer word matches the shorter. */
const decisive = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)))

/** A search begins with a word that at most so many donors have. */
const fewDonors = 5_000

interface Counted {
  readonly word: string
  /** Donors' words that begin with it, counted up to {@link fewDonors}. */
  readonly donors: number
}

/** The conditions on a donor `t` who has all words of a search. */
export interface Search {
  readonly conditions: ReadonlyArray<Fragment>
  /** Where all words are common: the same conditions, for looking at donors in list order until a page is full. */
  readonly walking?: ReadonlyArray<Fragment>
}

/**
 * Finds the donors who have words with these beginnings. Counting comes first, and costs little whatever the words are.
 * Where a word is rare, the few donors who have it are checked. Where all are common, the first donors of the list are
 * likely to have them; if not, the index is read once for each word, and only donors who have all of them are checked.
 * docs/decisions/0025.
 */
export const makeSearch = (sql: SqlClient.SqlClient) => {
  const having = (organisation_id: OrganisationId, word: string): Fragment => sql`
    SELECT w.donor_id FROM donor_words AS w
    WHERE w.organisation_id = ${organisation_id} AND w.word >= ${word} AND w.word < ${endOf(word)}`

  const countOf = (organisation_id: OrganisationId, words: ReadonlyArray<string>) =>
    Effect.map(
      sql<{ readonly word: string; readonly donors: number }>`
        SELECT s.first AS word, (
          SELECT count(*) FROM (
            SELECT FROM donor_words AS w
            WHERE w.organisation_id = ${organisation_id} AND w.word >= s.first AND w.word < s.past
            LIMIT ${sql.literal(`${fewDonors}`)}
          ) AS counted
        )::int AS donors
        FROM unnest(${words}::text[], ${words.map(endOf)}::text[]) AS s (first, past)`,
      (counted) => counted.toSorted((a, b) => a.donors - b.donors)
    )

  /** The condition that a donor has every one of the words; they are checked in their order. */
  const alsoHaving = (words: ReadonlyArray<string>): Fragment => sql`NOT EXISTS (
    SELECT FROM unnest(${words}::text[], ${words.map(endOf)}::text[]) AS s (first, past)
    WHERE NOT EXISTS (
      SELECT FROM donor_words AS w
      WHERE w.organisation_id = t.organisation_id AND w.donor_id = t.id
        AND w.word >= s.first AND w.word < s.past))`

  const amongFew = (organisation_id: OrganisationId, [rarest, ...others]: ReadonlyArray<Counted>) =>
    rarest === undefined
      ? []
      : [sql`t.id = ANY(ARRAY(${having(organisation_id, rarest.word)}))`, alsoHaving(others.map(({ word }) => word))]

  const inAll = (organisation_id: OrganisationId, counted: ReadonlyArray<Counted>): ReadonlyArray<Fragment> => {
    const [first, ...others] = counted.map(({ word }) => having(organisation_id, word))
    if (first === undefined) return []
    return [sql`t.id = ANY(ARRAY(${others.reduce((all, each) => sql`${all} INTERSECT ${each}`, first)}))`]
  }

  const ofCounted = (organisation_id: OrganisationId, counted: ReadonlyArray<Counted>): Search =>
    (counted[0]?.donors ?? 0) < fewDonors
      ? { conditions: amongFew(organisation_id, counted) }
      : { conditions: inAll(organisation_id, counted), walking: [alsoHaving(counted.map(({ word }) => word))] }

  return (organisation_id: OrganisationId, words: ReadonlyArray<string>): Effect.Effect<Search, SqlError> => {
    const keys = decisive(words)
    const [only] = keys
    if (only === undefined) return Effect.succeed({ conditions: [] })
    // For a single word the planner itself knows whether it is rare.
    return keys.length === 1
      ? Effect.succeed({ conditions: [sql`t.id IN (${having(organisation_id, only)})`] })
      : Effect.map(countOf(organisation_id, keys), (counted) => ofCounted(organisation_id, counted))
  }
}

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
  const donors = makeLists(sql, { rows, table: "donors", archivable: true })
  const search = makeSearch(sql)
  const schema = yield* SchemaName

  const records = makeRecords(sql, { rows, table: "donors", archivable: true })

  const insert = (donor: Donor) => {
    const { record, words } = toRecord(donor)
    const said = sql`
      INSERT INTO donor_words (organisation_id, donor_id, word)
      SELECT organisation_id, id, word FROM donor, unnest(${words}::text[]) AS word`
    const inserted = insertRecord(sql, "donors", record)
    return runWrite({
      part: "donors",
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
      part: "donors",
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
    findForShare: makeFindHeld(sql, { rows, table: "donors" }, "FOR SHARE"),
    update: (donor) => Effect.orDie(update(donor)),
    // A lock of the database, of 64 bits: that two addresses share one is as good as impossible, and then one waits in vain.
    holdEmail: (organisation_id, email) =>
      runOrDie(sql`
          SELECT pg_advisory_xact_lock(hashtextextended(
            ${nameIn(schema, `almoner donor ${organisation_id} ${emailKey(email)}`)}::text, 0))`),
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
