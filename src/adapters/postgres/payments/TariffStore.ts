import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { plans } from "../../../domain/access/Plan.ts"
import { Tariff } from "../../../domain/payments/Tariff.ts"
import { TariffStore } from "../../../ports/payments/TariffStore.ts"
import { rowJson, rowsOf } from "../records/Rows.ts"
import { cents } from "./Cents.ts"

const rows = rowsOf(Tariff, { fixed_cents: cents })

const names = rows.names.join(", ")

export const layer: Layer.Layer<TariffStore, never, SqlClient.SqlClient> = Layer.effect(
  TariffStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    TariffStore.of({
      set: (tariff) =>
        Effect.asVoid(
          Effect.orDie(sql`
            INSERT INTO tariffs (${sql.literal(names)})
            SELECT ${sql.literal(names)} FROM jsonb_populate_record(NULL::tariffs, ${rowJson(tariff)}::jsonb)
            ON CONFLICT (plan, effective_from) DO UPDATE SET
              basis_points = EXCLUDED.basis_points, fixed_cents = EXCLUDED.fixed_cents, created_at = EXCLUDED.created_at`)
        ),
      all: rows.all(sql`
        SELECT ${sql.literal(rows.columns("t"))} FROM tariffs AS t
        ORDER BY array_position(${[...plans]}::text[], t.plan), t.effective_from DESC`)
    })
  )
)
