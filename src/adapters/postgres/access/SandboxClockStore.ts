import { Context, Duration, Effect, Exit, Request, RequestResolver, Schema } from "effect"
import { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { SandboxClockStore } from "../../../ports/access/SandboxClockStore.ts"
import { Background } from "../../../ports/kernel/Background.ts"
import { isBeside } from "../connection/DeferredTransaction.ts"
import { readOrDie, runOrDie, storeFrom } from "../records/Records.ts"

const readMoved = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ organisation_id: OrganisationId, ahead_millis: Schema.Finite }))
)

/** Asks how far the clock of an organisation is ahead, together with whoever else asks. */
class Ahead extends Request.TaggedClass("Ahead")<{ readonly organisation_id: OrganisationId }, number> {}

/** The clocks of sandboxes on the database, whose own clock ends leases. */
export const layer = storeFrom(SandboxClockStore, function* (sql) {
  const around = yield* Effect.context<never>()
  const until = (lease: Duration.Duration) =>
    sql`statement_timestamp() + ${Duration.toMillis(lease)}::float8 * interval '1 millisecond'`
  const isWritten = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
    Effect.orDie(Effect.map(statement, ({ length }) => length > 0))
  const aheadOf = (organisation_ids: ReadonlyArray<OrganisationId>) =>
    Effect.map(
      Effect.orDie(sql`
          SELECT c.organisation_id, c.ahead_millis::float8 AS ahead_millis
          FROM /* every organisation */ sandbox_clocks AS c WHERE c.organisation_id = ANY(${organisation_ids}::text[])`),
      (rows) => {
        const moved = new Map(readMoved(rows).map((each) => [each.organisation_id, each.ahead_millis]))
        return (organisation_id: OrganisationId): number => moved.get(organisation_id) ?? 0
      }
    )

  /** Every request of a sandbox asks for its clock first: what is asked for at one moment is one statement, of nobody's transaction. */
  const together = RequestResolver.makeGrouped<Ahead, boolean>({
    key: ({ context }) => Context.get(context, Background),
    resolver: (entries, isBackground) => {
      const asked: ReturnType<typeof aheadOf> = Effect.updateContext(
        aheadOf([...new Set(entries.map(({ request }) => request.organisation_id))]),
        () => Context.add(around, Background, isBackground)
      )
      return Effect.map(asked, (ahead) => {
        for (const entry of entries) entry.completeUnsafe(Exit.succeed(ahead(entry.request.organisation_id)))
      })
    }
  })

  return {
    ahead: (organisation_id) =>
      Effect.flatMap(isBeside, (beside) =>
        beside
          ? Effect.request(new Ahead({ organisation_id }), together)
          : Effect.map(aheadOf([organisation_id]), (ahead) => ahead(organisation_id))
      ),
    moved: readOrDie(
      sql`
            SELECT c.organisation_id, c.ahead_millis::float8 AS ahead_millis
            FROM /* every organisation */ sandbox_clocks AS c
            WHERE c.ahead_millis > 0 ORDER BY c.organisation_id`,
      readMoved
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
      runOrDie(sql`
            UPDATE sandbox_clocks AS c SET holder = NULL, held_until = NULL
            WHERE c.organisation_id = ${organisation_id} AND c.holder = ${holder}`)
  }
})
