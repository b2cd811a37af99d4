import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Computation, DonorScore } from "../../../domain/insight/Intelligence.ts"
import type { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { ScoreStore } from "../../../ports/insight/ScoreStore.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { rowsOf, toRow } from "../records/Rows.ts"
import { cents, makeScoreSummary } from "./ScoreSummary.ts"

const rows = rowsOf(DonorScore, cents)

/** Scores that one statement writes: some megabytes. */
const batch = 5_000

const batchesOf = <A>(values: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / batch) }, (_, index) =>
    values.slice(index * batch, (index + 1) * batch)
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const transaction = yield* Transaction
  const names = sql.literal(rows.names.join(", "))

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
    rows.all(sql`
      SELECT ${sql.literal(rows.columns("t"))} FROM donor_scores AS t
      WHERE t.organisation_id = ${organisation_id} AND t.donor_id = ${donor_id}`)

  return ScoreStore.of({
    replace: (organisation_id, computation, scores) =>
      transaction.run(Effect.orDie(replace(organisation_id, computation, scores))),
    ofDonor,
    standing: makeScoreSummary(sql, rows)
  })
})

export const layer: Layer.Layer<ScoreStore, never, SqlClient.SqlClient | Transaction> = Layer.effect(ScoreStore, make)
