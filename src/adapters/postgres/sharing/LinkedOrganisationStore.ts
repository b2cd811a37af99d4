import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { LinkedOrganisation } from "../../../domain/access/Organisation.ts"
import { LinkedOrganisationStore } from "../../../ports/access/LinkedOrganisationStore.ts"
import { makeList } from "../records/ListPage.ts"
import { rowsOf } from "../records/Rows.ts"

const rows = rowsOf(LinkedOrganisation)

export const layer: Layer.Layer<LinkedOrganisationStore, never, SqlClient.SqlClient> = Layer.effect(
  LinkedOrganisationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const list = makeList(sql, { rows, table: "linked_organisations" })
    return LinkedOrganisationStore.of({
      find: (organisation_id, id) =>
        rows.first(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM linked_organisations AS t
          WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`),
      list: (organisation_id, query) => list(organisation_id, query)
    })
  })
)
