import { Effect, Option, Schema, Struct } from "effect"
import { RecipientAccountLinkId, type RecommendationSetId } from "../../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import {
  Allocation,
  LinkedRecipient,
  RecommendationSet,
  RecommendationSetRecord,
  totalCents
} from "../../../domain/sharing/RecommendationSet.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { RecommendationSetStore } from "../../../ports/sharing/RecommendationSetStore.ts"
import { readBeside } from "../connection/DeferredTransaction.ts"
import { CurrentLevel } from "../connection/LazyConnection.ts"
import { makeList } from "../records/ListPage.ts"
import { makeParted, type Parts, withParts } from "../records/Parts.ts"
import { storeFrom } from "../records/Records.ts"
import { integer, rowsOf } from "../records/Rows.ts"
import { makeUnlessTaken } from "../records/UniqueRecords.ts"

const table = "recommendation_sets"

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

export const layer = storeFrom(RecommendationSetStore, function* (sql) {
  const list = makeList(sql, { rows: listed, table, archivable: true })

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

  const unlessTaken = makeUnlessTaken<RecommendationSet>(sql, yield* Transaction, {
    table,
    toRecord,
    unique: { columns: ["slug"], constraint: "recommendation_sets_slug", record: "recommendation set", field: "slug" }
  })

  const sets = makeParted<RecommendationSet, RecommendationSetId, AlreadyTaken>(
    sql,
    { table, rows, parts, toRecord, partsOf: ({ allocations }) => allocations },
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
