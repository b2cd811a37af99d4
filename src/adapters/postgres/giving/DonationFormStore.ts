import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DonationForm } from "../../../domain/giving/DonationForm.ts"
import type { DonationFormId } from "../../../domain/kernel/Ids.ts"
import { DonationFormStore } from "../../../ports/giving/DonationFormStore.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { rowsOf } from "../records/Rows.ts"
import { makeUniqueRecords } from "../records/UniqueRecords.ts"
import { bookedUnder } from "./BookedUnder.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = makeUniqueRecords<DonationForm, DonationFormId>(sql, yield* Transaction, {
    rows: rowsOf(DonationForm, bookedUnder),
    table: "donation_forms",
    archivable: true,
    unique: { columns: ["slug"], constraint: "donation_forms_slug", record: "donation form", field: "slug" }
  })
  return DonationFormStore.of({
    ...records,
    takenSlugs: (organisation_id, slugs) =>
      Effect.orDie(sql<{ readonly slug: string }>`
        SELECT t.slug FROM donation_forms AS t
        WHERE t.organisation_id = ${organisation_id} AND t.slug = ANY(${[...slugs]}::text[])`).pipe(
        Effect.map((rows) => rows.map(({ slug }) => slug))
      )
  })
})

export const layer: Layer.Layer<DonationFormStore, never, SqlClient.SqlClient | Transaction> = Layer.effect(
  DonationFormStore,
  make
)
