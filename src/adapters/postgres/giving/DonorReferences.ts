import type { SqlClient } from "effect/sql"
import type { DonorReferences } from "../../../ports/giving/DonorReferences.ts"
import { runOrDie } from "../records/Records.ts"

/** Moves the rows of a table, which has a column of donors and `updated_at`, from one donor to another. */
export const makeDonorReferences = (
  sql: SqlClient.SqlClient,
  table: string,
  column: "donor_id" | "link_donor_id" = "donor_id"
): DonorReferences => ({
  reassign: (organisation_id, from, to, at) =>
    runOrDie(sql`
        UPDATE ${sql(table)} SET ${sql(column)} = ${to}, updated_at = ${new Date(at.epochMilliseconds)}
        WHERE organisation_id = ${organisation_id} AND ${sql(column)} = ${from}`)
})
