/**
 * One thread beside the main one, as the command and `npm start` have it: on two cores more of them wait for each other, which
 * takes a tenth of the processor.
 */
export const threads = "--v8-pool-size=1"

/** The embedded database is compiled once, and quickly: to compile it well takes longer than what tests do with it. */
const compiler = "--liftoff-only"

/** What a program makes while it starts mostly stays: with room for it from the beginning it is copied less, a tenth of a start. */
const room = (megabytes: number): string => `--min-semi-space-size=${megabytes}`

/** How node runs what tests start. */
export const nodeFlags: ReadonlyArray<string> = [threads, compiler, room(16)]

/** How node runs test files. What they make is mostly short-lived: more room for it spares a tenth of the time. */
export const workerFlags: Array<string> = [threads, compiler, room(32), "--max-semi-space-size=64"]
