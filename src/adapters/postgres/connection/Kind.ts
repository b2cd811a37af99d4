import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** Whether the database runs inside this process: it is the one that is spoken to through a stream, on one connection. */
export const isEmbedded: Effect.Effect<boolean, never, PgClient.PgClient> = Effect.map(
  PgClient.PgClient,
  ({ config }) => config.stream !== undefined
)
