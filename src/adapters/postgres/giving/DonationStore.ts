import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Donation, undeletedRule } from "../../../domain/giving/Donation.ts"
import type { DonationId } from "../../../domain/kernel/Ids.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { bookedUnder } from "./BookedUnder.ts"
import { makeDonorReferences } from "./DonorReferences.ts"

const table = "donations"

export const rows = rowsOf(Donation, {
  ...bookedUnder,
  consent_responses: { read: Schema.decodeUnknownSync(Schema.toCodecJson(Donation.fields.consent_responses)) },
  submitted_donor: { read: Schema.decodeUnknownSync(Schema.toCodecJson(Donation.fields.submitted_donor)) }
})

export const layer: Layer.Layer<DonationStore, never, SqlClient.SqlClient> = Layer.effect(
  DonationStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    DonationStore.of({
      ...makeRecords<Donation, DonationId>(sql, {
        rows,
        table,
        hiddenBy: undeletedRule.column,
        constants: { donation_type: ["MONETARY", "IN_KIND"] },
        days: { donation_date: "donation_day", received_date: "received_day" }
      }),
      ...makeDonorReferences(sql, table)
    })
  )
)
