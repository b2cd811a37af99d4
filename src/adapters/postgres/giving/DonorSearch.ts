import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"

/** Longest key of an index, code points: a normalised text may be many times as long as the original. */
const keyCharacters = 500

export const keyOf = (text: string): string =>
  text.length <= keyCharacters ? text : [...text].slice(0, keyCharacters).join("")

const lastCodePoint = 0x10ffff

const successor = (codePoint: number): number => (codePoint === 0xd7ff ? 0xe000 : codePoint + 1)

/** The first text, by code points, that sorts after all texts that begin with `prefix`. */
const endOf = (prefix: string): string => {
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
