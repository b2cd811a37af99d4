import { Effect, Redacted, type Scope } from "effect"
import pg from "pg"
import { freshUrl } from "../support/FreshDatabase.ts"

/** A host's pool on a new database. Its sessions are in a timezone that is not UTC, as a host's may be. */
export const freshPool: Effect.Effect<
  { readonly pool: pg.Pool; readonly url: Redacted.Redacted<string> },
  never,
  Scope.Scope
> = Effect.gen(function* () {
  const url = yield* freshUrl
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const connectionString = Redacted.value(url)
      const made = new pg.Pool({ connectionString, max: 8, options: "-c TimeZone=Australia/Lord_Howe" })
      // Its database is dropped while sessions may still be closing.
      made.on("error", () => {})
      return made
    }),
    (open) => Effect.promise(() => open.end())
  )
  return { pool, url }
})
