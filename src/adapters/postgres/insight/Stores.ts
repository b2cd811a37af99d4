import { DateTime, Effect, Layer, Struct } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Donor } from "../../../domain/giving/Donor.ts"
import { type Attribution, Campaign, settledDonation, settledPayment } from "../../../domain/insight/Campaign.ts"
import {
  actionable,
  byOpportunity,
  type Computation,
  DonorScore,
  type Opportunity,
  recoverable,
  type ScoredDonor,
  type ScoreSummary,
  upgrade
} from "../../../domain/insight/Intelligence.ts"
import { Segment } from "../../../domain/insight/Segment.ts"
import type { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import { unarchivedRule } from "../../../domain/kernel/Listing.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import type { Rule } from "../../../domain/kernel/Rule.ts"
import { CampaignStore } from "../../../ports/insight/CampaignStore.ts"
import { ScoreStore } from "../../../ports/insight/ScoreStore.ts"
import { SegmentStore } from "../../../ports/insight/SegmentStore.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { insertRecord, makeRecords, rowsFrom, storeFrom, storeOf } from "../records/Records.ts"
import { integer, type Rows, rowsOf, ruleOf } from "../records/Rows.ts"

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

const campaignRows = rowsOf(Campaign, { ask_total_cents: integer })

interface Sums {
  readonly amount_cents: bigint
  readonly refunded_amount_cents: bigint
  readonly donors_given: number
}

const none: Attribution = { amount_cents: 0, refunded_amount_cents: 0, donors_given: 0 }

const attributionOf = ([sums]: ReadonlyArray<Sums>): Attribution =>
  sums === undefined
    ? none
    : {
        amount_cents: Number(sums.amount_cents),
        refunded_amount_cents: Number(sums.refunded_amount_cents),
        donors_given: sums.donors_given
      }

const campaignStore = storeOf(CampaignStore, (sql) => {
  const isOwn = (currency: string, id: string) =>
    sql`${sql.literal(currency)} = (SELECT o.default_currency FROM organisations AS o WHERE o.id = ${id})`

  const fromDonations = ({ id, organisation_id }: Campaign) => sql<Sums>`
      SELECT coalesce(sum(d.amount_cents) FILTER (WHERE ${isOwn("d.currency", organisation_id)}), 0)::int8 AS amount_cents,
        coalesce(sum(d.refunded_amount_cents) FILTER (WHERE ${isOwn("d.currency", organisation_id)}), 0)::int8
          AS refunded_amount_cents,
        count(DISTINCT d.donor_id)::int4 AS donors_given
      FROM donations AS d
      WHERE d.organisation_id = ${organisation_id} AND d.campaign_id = ${id} AND ${ruleOf(sql, settledDonation, "d")}`

  const fromPayments = ({ id, organisation_id }: Campaign) => sql<Sums>`
      SELECT coalesce(sum(p.total_amount_cents) FILTER (WHERE ${isOwn("p.currency", organisation_id)}), 0)::int8
          AS amount_cents, 0::int8 AS refunded_amount_cents,
        count(DISTINCT p.donor_id)::int4 AS donors_given
      FROM payments AS p
      WHERE p.organisation_id = ${organisation_id} AND p.campaign_id = ${id} AND ${ruleOf(sql, settledPayment, "p")}`

  return {
    ...makeRecords(sql, { rows: campaignRows, table: "campaigns" }),
    attributed: (campaign) =>
      Effect.orDie(
        Effect.map(
          campaign.destination_type === "donation_form" ? fromDonations(campaign) : fromPayments(campaign),
          attributionOf
        )
      )
  }
})

const scoreRows = rowsOf(DonorScore, cents)

/** Scores that one statement writes: some megabytes. */
const batch = 5_000

const batchesOf = <A>(values: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / batch) }, (_, index) =>
    values.slice(index * batch, (index + 1) * batch)
  )

const scoreStore = storeFrom(ScoreStore, function* (sql) {
  const transaction = yield* Transaction
  const names = sql.literal(scoreRows.names.join(", "))

  const insert = (scores: ReadonlyArray<object>) => sql`
    INSERT INTO donor_scores (${names})
    SELECT ${names} FROM ${rowsFrom(sql, "donor_scores", scores)}`

  /** Computations that end at the same time are written one after the other: the first statement locks the row. */
  const replace = (
    organisation_id: OrganisationId,
    { computed_at, scoring_version }: Computation,
    scores: ReadonlyArray<DonorScore>
  ) =>
    Effect.gen(function* () {
      yield* sql`
        INSERT INTO score_computations (organisation_id, scoring_version, computed_at)
        VALUES (${organisation_id}, ${scoring_version}, ${DateTime.toDateUtc(computed_at)})
        ON CONFLICT (organisation_id) DO UPDATE
        SET scoring_version = excluded.scoring_version, computed_at = excluded.computed_at`
      yield* sql`DELETE FROM donor_scores WHERE organisation_id = ${organisation_id}`
      for (const each of batchesOf(scores)) yield* insert(each.map((score) => ({ ...score, organisation_id })))
    })

  const ofDonor = (organisation_id: OrganisationId, donor_id: DonorId) =>
    scoreRows.all(sql`
      SELECT ${sql.literal(scoreRows.columns("t"))} FROM donor_scores AS t
      WHERE t.organisation_id = ${organisation_id} AND t.donor_id = ${donor_id}`)

  return {
    replace: (organisation_id, computation, scores) =>
      transaction.run(Effect.orDie(replace(organisation_id, computation, scores))),
    ofDonor,
    standing: makeScoreSummary(sql, scoreRows)
  }
})

const segmentRows = rowsOf(Segment)

const isTaken = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === "segments_slug"

const segmentStore = storeFrom(SegmentStore, function* (sql) {
  const transaction = yield* Transaction
  const select = sql`SELECT ${sql.literal(segmentRows.columns("t"))} FROM segments AS t`
  const changed = sql.literal(
    segmentRows.names
      .filter((name) => name !== "organisation_id" && name !== "id")
      .map((name) => `${name} = excluded.${name}`)
      .join(", ")
  )

  const writeSegment = (segment: Segment, members: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const { id, organisation_id } = segment
      yield* sql`
        ${insertRecord(sql, "segments", segment)} ON CONFLICT (organisation_id, id) DO UPDATE SET ${changed}`
      yield* sql`
        DELETE FROM segment_members
        WHERE organisation_id = ${organisation_id} AND segment_id = ${id} AND donor_id <> ALL(${[...members]}::text[])`
      yield* sql`
        INSERT INTO segment_members (organisation_id, segment_id, donor_id)
        SELECT ${organisation_id}, ${id}, donor_id FROM unnest(${[...members]}::text[]) AS donor_id
        ON CONFLICT DO NOTHING`
    })

  const holderOf = ({ organisation_id, slug }: Segment) =>
    segmentRows.first(sql`${select} WHERE t.organisation_id = ${organisation_id} AND t.slug = ${slug}`)

  const put: SegmentStore["Service"]["put"] = (segment, members) =>
    transaction
      .run(writeSegment(segment, members))
      .pipe(Effect.catch((error) => (isTaken(error) ? taken(segment, members) : Effect.die(error))))

  /** Fails where another segment has the slug; tries again where that one has changed its slug meanwhile. */
  const taken: SegmentStore["Service"]["put"] = (segment, members) =>
    Effect.flatMap(holderOf(segment), (holder) =>
      holder._tag === "None"
        ? put(segment, members)
        : new AlreadyTaken({ record: "segment", field: "slug", holder_id: holder.value.id })
    )

  return {
    put,
    all: (organisation_id) =>
      segmentRows.all(sql`${select} WHERE t.organisation_id = ${organisation_id} ORDER BY t.slug`)
  }
})

export const layer = Layer.mergeAll(campaignStore, scoreStore, segmentStore)
