import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { DonorReferences } from "../../../ports/giving/DonorReferences.ts"

/** Moves the rows of a table, which has the columns `donor_id` and `updated_at`, from one donor to another. */
export const makeDonorReferences = (sql: SqlClient.SqlClient, table: string): DonorReferences => ({
  reassign: (organisation_id, from, to, at) =>
    Effect.asVoid(
      Effect.orDie(sql`
        UPDATE ${sql(table)} SET donor_id = ${to}, updated_at = ${new Date(at.epochMilliseconds)}
        WHERE organisation_id = ${organisation_id} AND donor_id = ${from}`)
    )
})
