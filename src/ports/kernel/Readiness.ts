import { Context, type Effect } from "effect"

/** The state of something that requests need. It is unknown while the database does not answer. */
export type ReadinessState = "failed" | "ok" | "unknown"

/** The conditions under which a process can serve requests. */
export interface ReadinessChecks {
  readonly database: ReadinessState
  /** Whether it takes writes: it is no standby, and the role may write. */
  readonly writes: ReadinessState
  /** Whether the schema is at least this program's. */
  readonly migrations: ReadinessState
  /** Whether the ring opens what is sealed. */
  readonly key_ring: ReadinessState
}

/** What is known while the database does not answer. */
export const databaseAway: ReadinessChecks = {
  database: "failed",
  writes: "unknown",
  migrations: "unknown",
  key_ring: "unknown"
}

/** Checks these needs now, within a bounded time. Undefined where nothing checks them. */
export const Readiness = Context.Reference<Effect.Effect<ReadinessChecks> | undefined>("almoner/ports/Readiness", {
  defaultValue: () => undefined
})
