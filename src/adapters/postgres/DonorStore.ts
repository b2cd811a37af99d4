import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { Donor, derived } from "../../domain/Donor.ts"
import type { DonorId, OrganisationId } from "../../domain/Ids.ts"
import { InvalidInput } from "../../domain/Rejection.ts"
import { DonorStore } from "../../ports/DonorStore.ts"
import { makeList } from "./Listing.ts"
import { makeRecords } from "./Records.ts"
import { rowsOf } from "./Rows.ts"
import { insertRecord, updateRecord } from "./Writing.ts"

const rows = rowsOf(Donor)

/** Longest key of an index, code points: a normalised text may be many times as long as what was given. */
const keyCharacters = 500

const keyOf = (text: string): string =>
  text.length <= keyCharacters ? text : [...text].slice(0, keyCharacters).join("")

const wordKeys = (words: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(words.map(keyOf))]

const lastCodePoint = 0x10ffff

const successor = (codePoint: number): number => (codePoint === 0xd7ff ? 0xe000 : codePoint + 1)

/** The first text, by code points, after all that begin with `prefix`. */
const endOf = (prefix: string): string => {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (codePoints.at(-1) === lastCodePoint) codePoints.pop()
  const last = codePoints.pop()
  return last === undefined
    ? String.fromCodePoint(lastCodePoint).repeat(keyCharacters)
    : String.fromCodePoint(...codePoints, successor(last))
}

const toRecord = (donor: Donor) => {
  const { email_key, last_name_key, words } = derived(donor)
  return { record: { ...donor, email_key, last_name_key: keyOf(last_name_key) }, words: wordKeys(words) }
}

/** Words with a condition of their own: the planner begins with the one that fewest donors meet. More would cost planning. */
const plannedWords = 4

/** Which donors have words that begin so. The longest words name the fewest donors. */
const searchFor = (
  sql: SqlClient.SqlClient,
  organisation_id: OrganisationId,
  words: ReadonlyArray<string>
): ReadonlyArray<Fragment> => {
  const keys = [...wordKeys(words)].sort((a, b) => b.length - a.length)
  const planned = keys.slice(0, plannedWords).map(
    (word) => sql`t.id IN (
      SELECT w.donor_id FROM donor_words AS w
      WHERE w.organisation_id = ${organisation_id} AND w.word >= ${word} AND w.word < ${endOf(word)})`
  )
  const others = keys.slice(plannedWords)
  if (others.length === 0) return planned
  const every = sql`NOT EXISTS (
    SELECT FROM unnest(${others}::text[], ${others.map(endOf)}::text[]) AS s (first, past)
    WHERE NOT EXISTS (
      SELECT FROM donor_words AS w
      WHERE w.organisation_id = t.organisation_id AND w.donor_id = t.id
        AND w.word >= s.first AND w.word < s.past))`
  return [...planned, every]
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const select = sql`SELECT ${sql.literal(rows.columns("t"))} FROM donors AS t`
  const listDonors = makeList(sql, { rows, table: "donors", archivable: true })

  const records = makeRecords<Donor, DonorId>(sql, { rows, table: "donors", archivable: true })

  const insert = (donor: Donor) => {
    const { record, words } = toRecord(donor)
    return sql`
      WITH donor AS (${insertRecord(sql, "donors", record)} RETURNING organisation_id, id)
      INSERT INTO donor_words (organisation_id, donor_id, word)
      SELECT organisation_id, id, word FROM donor, unnest(${words}::text[]) AS word`
  }

  const update = (donor: Donor) => {
    const { record, words } = toRecord(donor)
    return sql`
      WITH donor AS (${updateRecord(sql, "donors", record)} RETURNING t.organisation_id, t.id),
      unsaid AS (
        DELETE FROM donor_words AS w USING donor
        WHERE w.organisation_id = donor.organisation_id AND w.donor_id = donor.id AND w.word <> ALL(${words}::text[])
      )
      INSERT INTO donor_words (organisation_id, donor_id, word)
      SELECT organisation_id, id, word FROM donor, unnest(${words}::text[]) AS word ON CONFLICT DO NOTHING`
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

  return DonorStore.of({
    ...records,
    insert: (donor) => Effect.asVoid(Effect.orDie(insert(donor))),
    findForShare: (organisation_id, id) =>
      rows.first(sql`${select} WHERE t.organisation_id = ${organisation_id} AND t.id = ${id} FOR SHARE`),
    update: (donor) => Effect.asVoid(Effect.orDie(update(donor))),
    list: Effect.fnUntraced(function* (organisation_id, query) {
      const members = query.segment === null ? [] : [yield* membersOf(organisation_id, query.segment)]
      return yield* listDonors(organisation_id, query, [...members, ...searchFor(sql, organisation_id, query.words)])
    })
  })
})

export const layer: Layer.Layer<DonorStore, never, SqlClient.SqlClient> = Layer.effect(DonorStore, make)
