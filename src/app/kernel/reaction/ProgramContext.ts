import { Context } from "effect"

/**
 * How many services a request may get beside those of the program (its caller, its transaction, what a statement is told)
 * before all of them are copied into one map. By the library's own measure, 8, each request copied some two hundred once,
 * which was a ninth of what a keyed change allocated.
 */
const maxDepth = 32

/** The services of the program, to run requests with. */
export const roomy = <Services>(services: Context.Context<Services>): Context.Context<Services> =>
  Context.makeUnsafe(services.mapUnsafe, { maxDepth })
