import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PassphraseFailures } from "../../../ports/sharing/PassphraseFailures.ts"

export const layer: Layer.Layer<PassphraseFailures, never, SqlClient.SqlClient> = Layer.effect(
  PassphraseFailures,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return PassphraseFailures.of({
      /** Makes the row where it is missing, so that there is always one to lock. */
      findForUpdate: Effect.fnUntraced(function* (organisation_id) {
        const found = yield* sql<{ readonly failed_at: ReadonlyArray<Date> }>`
          INSERT INTO passphrase_failures AS t (organisation_id, failed_at) VALUES (${organisation_id}, '{}')
          ON CONFLICT (organisation_id) DO UPDATE SET failed_at = t.failed_at
          RETURNING failed_at`
        return found.flatMap(({ failed_at }) => failed_at.map((at) => DateTime.makeUnsafe(at)))
      }, Effect.orDie),
      replace: (organisation_id, failures) =>
        Effect.asVoid(
          Effect.orDie(sql`
            UPDATE passphrase_failures SET failed_at = ${failures.map((at) => new Date(at.epochMilliseconds))}::timestamptz[]
            WHERE organisation_id = ${organisation_id}`)
        ),
      // Few organisations have failures within an hour, so that the table is read as a whole.
      trim: (before, limit) =>
        Effect.orDie(
          Effect.map(
            sql`
              WITH old AS MATERIALIZED (
                SELECT t.organisation_id FROM /* every organisation */ passphrase_failures AS t
                WHERE NOT (${new Date(before.epochMilliseconds)}::timestamptz < ANY (t.failed_at))
                LIMIT ${limit}::int4
                FOR UPDATE SKIP LOCKED
              )
              DELETE FROM passphrase_failures AS t USING old AS o WHERE t.organisation_id = o.organisation_id
              RETURNING t.organisation_id`,
            (trimmed) => trimmed.length
          )
        )
    })
  })
)
