import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Segment } from "../../../domain/insight/Segment.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import { SegmentStore } from "../../../ports/insight/SegmentStore.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { insertRecord } from "../records/RecordWriter.ts"
import { rowsOf } from "../records/Rows.ts"

const rows = rowsOf(Segment)

const isTaken = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === "segments_slug"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const transaction = yield* Transaction
  const select = sql`SELECT ${sql.literal(rows.columns("t"))} FROM segments AS t`
  const changed = sql.literal(
    rows.names
      .filter((name) => name !== "organisation_id" && name !== "id")
      .map((name) => `${name} = excluded.${name}`)
      .join(", ")
  )

  const write = (segment: Segment, members: ReadonlyArray<string>) =>
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
    rows.first(sql`${select} WHERE t.organisation_id = ${organisation_id} AND t.slug = ${slug}`)

  const put: SegmentStore["Service"]["put"] = (segment, members) =>
    transaction
      .run(write(segment, members))
      .pipe(Effect.catch((error) => (isTaken(error) ? taken(segment, members) : Effect.die(error))))

  /** Fails where another segment has the slug; tries again where that one has changed its slug meanwhile. */
  const taken: SegmentStore["Service"]["put"] = (segment, members) =>
    Effect.flatMap(holderOf(segment), (holder) =>
      holder._tag === "None"
        ? put(segment, members)
        : new AlreadyTaken({ record: "segment", field: "slug", holder_id: holder.value.id })
    )

  return SegmentStore.of({
    put,
    all: (organisation_id) => rows.all(sql`${select} WHERE t.organisation_id = ${organisation_id} ORDER BY t.slug`)
  })
})

export const layer: Layer.Layer<SegmentStore, never, SqlClient.SqlClient | Transaction> = Layer.effect(
  SegmentStore,
  make
)
