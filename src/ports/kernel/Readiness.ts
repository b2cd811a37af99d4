import { Context, type Effect } from "effect"

/** The state of something that requests need. It is unknown while the database does not answer. */
export type Standing = "failed" | "ok" | "unknown"

/** The conditions under which a process can serve requests. */
export interface Needs {
  readonly database: Standing
  /** Whether the schema is at least this program's. */
  readonly migrations: Standing
  /** Whether the ring opens what is sealed. */
  readonly key_ring: Standing
}

/** Checks these needs now, within a bounded time. Undefined where nothing checks them. */
export const Readiness = Context.Reference<Effect.Effect<Needs> | undefined>("almoner/ports/Readiness", {
  defaultValue: () => undefined
})
