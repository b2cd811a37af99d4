import { Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { SandboxClockStore } from "../../../ports/access/SandboxClockStore.ts"

const readAhead = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ ahead_millis: Schema.Finite })))
const readMoved = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ organisation_id: OrganisationId, ahead_millis: Schema.Finite }))
)

/** The clocks of sandboxes on the database, whose own clock ends leases. */
export const layer: Layer.Layer<SandboxClockStore, never, SqlClient.SqlClient> = Layer.effect(
  SandboxClockStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const until = (lease: Duration.Duration) =>
      sql`statement_timestamp() + ${Duration.toMillis(lease)}::float8 * interval '1 millisecond'`
    const isWritten = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
      Effect.orDie(Effect.map(statement, ({ length }) => length > 0))
    return SandboxClockStore.of({
      ahead: (organisation_id) =>
        Effect.orDie(
          Effect.map(
            sql`
              SELECT c.ahead_millis::float8 AS ahead_millis FROM sandbox_clocks AS c
              WHERE c.organisation_id = ${organisation_id}`,
            (found) => readAhead(found)[0]?.ahead_millis ?? 0
          )
        ),
      moved: Effect.orDie(
        Effect.map(
          sql`
            SELECT c.organisation_id, c.ahead_millis::float8 AS ahead_millis
            FROM /* every organisation */ sandbox_clocks AS c
            WHERE c.ahead_millis > 0 ORDER BY c.organisation_id`,
          readMoved
        )
      ),
      claim: (organisation_id, holder, lease) =>
        isWritten(sql`
          INSERT INTO sandbox_clocks AS c (organisation_id, holder, held_until)
          VALUES (${organisation_id}, ${holder}, ${until(lease)})
          ON CONFLICT (organisation_id) DO UPDATE SET holder = EXCLUDED.holder, held_until = EXCLUDED.held_until
          WHERE c.organisation_id = ${organisation_id}
            AND (c.holder IS NULL OR c.holder = EXCLUDED.holder OR c.held_until <= statement_timestamp())
          RETURNING c.organisation_id`),
      advance: (organisation_id, holder, by_millis, lease) =>
        isWritten(sql`
          UPDATE sandbox_clocks AS c SET ahead_millis = c.ahead_millis + ${by_millis}::int8, held_until = ${until(lease)}
          WHERE c.organisation_id = ${organisation_id} AND c.holder = ${holder}
          RETURNING c.organisation_id`),
      release: (organisation_id, holder) =>
        Effect.asVoid(
          Effect.orDie(sql`
            UPDATE sandbox_clocks AS c SET holder = NULL, held_until = NULL
            WHERE c.organisation_id = ${organisation_id} AND c.holder = ${holder}`)
        )
    })
  })
)
