import { Effect, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import { Donor } from "../../../domain/giving/Donor.ts"
import {
  actionable,
  byOpportunity,
  type Computation,
  type DonorScore,
  type Opportunity,
  recoverable,
  type ScoredDonor,
  type ScoreSummary,
  upgrade
} from "../../../domain/insight/Intelligence.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import { unarchivedRule } from "../../../domain/kernel/Listing.ts"
import type { Rule } from "../../../domain/kernel/Rule.ts"
import { integer, type Rows, rowsOf, ruleOf } from "../records/Rows.ts"

/** The amounts of a score. */
export const cents = {
  suggested_ask_cents: integer,
  opportunity_cents: integer,
  last_gift_cents: integer,
  average_gift_cents: integer,
  segment_median_cents: integer
}

const donors = rowsOf(
  Donor.mapFields(
    Struct.pick(["donor_type", "first_name", "last_name", "organisation_name", "email", "do_not_contact"])
  )
)

/** The sums over the scores of one currency. */
interface Tally {
  readonly currency: string
  readonly scored: number
  readonly actionable: number
  readonly upgrade_cents: number
  readonly recoverable_cents: number
}

/** A row of the statement: figures that are the same in every row, and a score with its donor unless there is none. */
interface Row {
  readonly run_at: Date | null
  readonly run_version: number | null
  readonly has_donors: boolean
  readonly tallies: ReadonlyArray<Tally>
  readonly donor_id: string | null
}

const computationOf = ({ run_at, run_version }: Row): Computation | null =>
  run_at === null || run_version === null ? null : { computed_at: instantAt(run_at), scoring_version: run_version }

const opportunityOf = ({ recoverable_cents, upgrade_cents }: Tally): Opportunity => ({
  opportunity_upgrade_cents: upgrade_cents,
  opportunity_recoverable_cents: recoverable_cents,
  opportunity_total_cents: upgrade_cents + recoverable_cents
})

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const standingOf = (first: Row, leading: ReadonlyArray<ScoredDonor>): ScoreSummary => ({
  computation: computationOf(first),
  has_donors: first.has_donors,
  scored_count: sum(first.tallies.map(({ scored }) => scored)),
  actionable_count: sum(first.tallies.map(({ actionable }) => actionable)),
  per_currency: Object.fromEntries(
    first.tallies.filter(({ actionable }) => actionable > 0).map((tally) => [tally.currency, opportunityOf(tally)])
  ),
  leading: leading.toSorted((a, b) => byOpportunity(a.score, b.score))
})

/** Reads an organisation's scores in one statement, and so as of one moment. */
export const makeScoreSummary = (sql: SqlClient.SqlClient, scores: Rows<DonorScore>) => {
  const columns = sql.literal(`${scores.columns("s")}, ${donors.columns("d")}`)
  // Written as lists write it, so that the planner expects it to hold for nearly every donor.
  const isUnarchived = sql.literal(`num_nonnulls(d.${unarchivedRule.column}) <> 1`)
  const isActionable = ruleOf(sql, actionable, "d")
  const sumOf = (play: Rule<"play">) =>
    sql`coalesce(sum(s.opportunity_cents) FILTER (WHERE ${isActionable} AND ${ruleOf(sql, play, "s")}), 0)`

  const read = (row: Row): ReadonlyArray<ScoredDonor> =>
    row.donor_id === null ? [] : [{ score: scores.read({ ...row }), donor: donors.read({ ...row }) }]

  return Effect.fnUntraced(function* (organisation_id: OrganisationId, limit: number) {
    const from = sql`
      donor_scores AS s JOIN donors AS d ON d.organisation_id = s.organisation_id AND d.id = s.donor_id
      WHERE s.organisation_id = ${organisation_id} AND d.organisation_id = ${organisation_id} AND ${isUnarchived}`
    const found = yield* sql<Row>`
      SELECT c.computed_at AS run_at, c.scoring_version AS run_version,
        EXISTS (SELECT FROM donors AS d WHERE d.organisation_id = ${organisation_id} AND ${isUnarchived}) AS has_donors,
        (SELECT coalesce(jsonb_agg(t), '[]') FROM (
          SELECT s.currency, count(*) AS scored, count(*) FILTER (WHERE ${isActionable}) AS actionable,
            ${sumOf(upgrade)} AS upgrade_cents, ${sumOf(recoverable)} AS recoverable_cents
          FROM ${from} GROUP BY s.currency
        ) AS t) AS tallies,
        l.*
      FROM (SELECT 1) AS one
      LEFT JOIN score_computations AS c ON c.organisation_id = ${organisation_id}
      LEFT JOIN LATERAL (
        SELECT ${columns} FROM ${from}
        ORDER BY s.opportunity_cents DESC, s.last_gift_at DESC NULLS LAST, s.donor_id, s.currency LIMIT ${limit}
      ) AS l ON true`
    const [first] = found
    if (first === undefined) return yield* Effect.die(new Error("a statement that answers a row answered none"))
    return standingOf(first, found.flatMap(read))
  }, Effect.orDie)
}
