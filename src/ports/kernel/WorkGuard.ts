import { Context, Effect, type Option } from "effect"

/** What a piece of a worker's work is about. */
export interface Work {
  readonly kind: "account" | "charge" | "mail" | "notice" | "subscription" | "transfer" | "webhook endpoint"
  /** The record's id. */
  readonly id: string
}

/**
 * Runs a piece of a worker's work, or leaves it alone that has ended the process too often, and answers none: whoever leases
 * it takes it up again later. What runs the process may bring one; every piece of work runs otherwise.
 */
export const WorkGuard = Context.Reference<{
  readonly run: <A>(work: Work, running: Effect.Effect<A>) => Effect.Effect<Option.Option<A>>
}>("almoner/ports/WorkGuard", { defaultValue: () => ({ run: (_, running) => Effect.asSome(running) }) })

/** The work under the guard of whoever runs the process. */
export const guard = <A>(work: Work, running: Effect.Effect<A>): Effect.Effect<Option.Option<A>> =>
  Effect.flatMap(WorkGuard, ({ run }) => run(work, running))
