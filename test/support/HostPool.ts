import { Effect, Redacted, type Scope } from "effect"
import pg from "pg"
import { freshUrl } from "./FreshDatabase.ts"

/** A host's pool on the database, closed with the scope. */
export const hostPool = (
  url: Redacted.Redacted<string>,
  options: pg.PoolConfig = {}
): Effect.Effect<pg.Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new pg.Pool({ connectionString: Redacted.value(url), ...options })
      // `end` does not wait until the sessions are closed: the database may be dropped before, which ends them with an error.
      pool.on("error", () => {})
      return pool
    }),
    (open) => Effect.promise(() => open.end())
  )

/** A host's pool on a new database. Its sessions are in a timezone that is not UTC, as a host's may be. */
export const freshPool: Effect.Effect<
  { readonly pool: pg.Pool; readonly url: Redacted.Redacted<string> },
  never,
  Scope.Scope
> = Effect.gen(function* () {
  const url = yield* freshUrl
  const pool = yield* hostPool(url, { max: 8, options: "-c TimeZone=Australia/Lord_Howe" })
  return { pool, url }
})
