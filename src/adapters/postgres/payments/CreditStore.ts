import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CreditId, type OrganisationId } from "../../../domain/kernel/Ids.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { Credit } from "../../../domain/payments/Credit.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf, toRow } from "../records/Rows.ts"
import { cents } from "./Cents.ts"

const table = "credits"

const rows = rowsOf(Credit, { amount_cents: cents })

const names = Object.keys(Credit.fields)

const readIds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: CreditId })))

/** Transactions that bring the same lines meet them in one order, and so never wait for each other in a ring. */
const inOrder = (credits: ReadonlyArray<Credit>): ReadonlyArray<Credit> =>
  credits.toSorted((a, b) => compareCodePoints(a.digest, b.digest) || a.number - b.number)

const add = (sql: SqlClient.SqlClient, organisation_id: OrganisationId, credits: ReadonlyArray<Credit>) => sql`
  INSERT INTO credits (${sql.literal(names.join(", "))})
  SELECT ${sql.literal(names.map((name) => `n.${name}`).join(", "))}
  FROM jsonb_populate_recordset(NULL::credits, ${JSON.stringify(inOrder(credits).map((credit) => toRow(credit)))}::jsonb) AS n
  WHERE n.organisation_id = ${organisation_id}
  ON CONFLICT DO NOTHING
  RETURNING id`

export const layer: Layer.Layer<CreditStore, never, SqlClient.SqlClient> = Layer.effect(
  CreditStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { find, list, update } = makeRecords<Credit, CreditId>(sql, { rows, table })
    return CreditStore.of({
      find,
      list,
      update,
      add: (organisation_id, credits) =>
        credits.length === 0
          ? Effect.succeed(new Set())
          : Effect.orDie(
              Effect.map(add(sql, organisation_id, credits), (added) => new Set(readIds(added).map(({ id }) => id)))
            ),
      ofCharge: (organisation_id, charge_id) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM credits AS t
          WHERE t.organisation_id = ${organisation_id} AND t.charge_id = ${charge_id}`)
    })
  })
)
