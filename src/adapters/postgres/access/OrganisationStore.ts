import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Organisation } from "../../../domain/access/Organisation.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { insertRecord, updateRecord } from "../records/RecordWriter.ts"
import { rowsOf } from "../records/Rows.ts"

export const rows = rowsOf(Organisation)

export const layer: Layer.Layer<OrganisationStore, never, SqlClient.SqlClient> = Layer.effect(
  OrganisationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const select = sql`SELECT ${sql.literal(rows.columns("o"))} FROM organisations AS o`
    const everywhere = sql`SELECT ${sql.literal(rows.columns("o"))} FROM /* every organisation */ organisations AS o`
    const findBySlug = (slug: string) => rows.first(sql`${everywhere} WHERE o.slug = ${slug}`)

    const insert: OrganisationStore["Service"]["insert"] = Effect.fnUntraced(function* (organisation) {
      const written = yield* Effect.orDie(
        sql`${insertRecord(sql, "organisations", organisation)} ON CONFLICT (slug) DO NOTHING RETURNING id`
      )
      if (written.length > 0) return
      const holders = yield* Effect.orDie(
        sql<{
          readonly id: string
        }>`SELECT id FROM /* every organisation */ organisations WHERE slug = ${organisation.slug}`
      )
      return yield* new AlreadyTaken({ record: "organisation", field: "slug", holder_id: holders[0]?.id ?? "" })
    })

    return OrganisationStore.of({
      insert,
      find: (id) => rows.first(sql`${select} WHERE o.id = ${id}`),
      findForUpdate: (id) => rows.first(sql`${select} WHERE o.id = ${id} FOR NO KEY UPDATE`),
      findBySlug,
      all: rows.all(sql`${everywhere} ORDER BY o.created_at, o.id`),
      update: (organisation) => Effect.asVoid(Effect.orDie(updateRecord(sql, "organisations", organisation, ["id"])))
    })
  })
)
