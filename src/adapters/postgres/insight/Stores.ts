import { DateTime, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { type Attribution, Campaign, settledDonation, settledPayment } from "../../../domain/insight/Campaign.ts"
import { type Computation, DonorScore } from "../../../domain/insight/Intelligence.ts"
import { Segment } from "../../../domain/insight/Segment.ts"
import type { CampaignId, DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import { CampaignStore } from "../../../ports/insight/CampaignStore.ts"
import { ScoreStore } from "../../../ports/insight/ScoreStore.ts"
import { SegmentStore } from "../../../ports/insight/SegmentStore.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { insertRecord, makeRecords, storeFrom, storeOf } from "../records/Records.ts"
import { integer, rowsOf, ruleOf, toRow } from "../records/Rows.ts"
import { cents, makeScoreSummary } from "./ScoreSummary.ts"

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
  const fromDonations = ({ id, organisation_id }: Campaign) => sql<Sums>`
      SELECT coalesce(sum(d.amount_cents), 0)::int8 AS amount_cents,
        coalesce(sum(d.refunded_amount_cents), 0)::int8 AS refunded_amount_cents,
        count(DISTINCT d.donor_id)::int4 AS donors_given
      FROM donations AS d
      WHERE d.organisation_id = ${organisation_id} AND d.campaign_id = ${id} AND ${ruleOf(sql, settledDonation, "d")}`

  const fromPayments = ({ id, organisation_id }: Campaign) => sql<Sums>`
      SELECT coalesce(sum(p.total_amount_cents), 0)::int8 AS amount_cents, 0::int8 AS refunded_amount_cents,
        count(DISTINCT p.donor_id)::int4 AS donors_given
      FROM payments AS p
      WHERE p.organisation_id = ${organisation_id} AND p.campaign_id = ${id} AND ${ruleOf(sql, settledPayment, "p")}`

  return {
    ...makeRecords<Campaign, CampaignId>(sql, { rows: campaignRows, table: "campaigns" }),
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
    SELECT ${names} FROM jsonb_populate_recordset(NULL::donor_scores, ${JSON.stringify(scores.map(toRow))}::jsonb)`

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
