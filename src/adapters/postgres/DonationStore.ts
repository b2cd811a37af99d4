import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Donation } from "../../domain/Donation.ts"
import { DonationStore } from "../../ports/DonationStore.ts"
import { makeList } from "./Listing.ts"
import { rowsOf } from "./Rows.ts"
import { insertRecord } from "./Writing.ts"

export const rows = rowsOf(Donation, {
  consent_responses: { read: Schema.decodeUnknownSync(Schema.toCodecJson(Donation.fields.consent_responses)) },
  submitted_donor: { read: Schema.decodeUnknownSync(Schema.toCodecJson(Donation.fields.submitted_donor)) }
})

export const layer: Layer.Layer<DonationStore, never, SqlClient.SqlClient> = Layer.effect(
  DonationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(rows.columns("t"))
    return DonationStore.of({
      insert: (donation) => Effect.asVoid(Effect.orDie(insertRecord(sql, "donations", donation))),
      find: (organisation_id, id) =>
        rows.first(
          sql`SELECT ${columns} FROM donations AS t WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`
        ),
      list: makeList(sql, {
        rows,
        table: "donations",
        hiddenBy: "deleted_at",
        constants: { donation_type: ["MONETARY", "IN_KIND"] }
      })
    })
  })
)
