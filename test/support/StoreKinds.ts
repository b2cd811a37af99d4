/** Which kinds of stores suites are run over: those of the project (vitest.config.ts), or what `STORES` asks for. */
const asked = process.env["STORES"] ?? "memory"

/** Whether a suite is run over a kind of stores now: `memory`, or a database. */
export const isRun = (kind: string): boolean => asked === "all" || (asked === "memory") === (kind === "memory")

/** Of kinds of stores by name, and what goes with each, those that suites are run over now. */
export const kindsRun = <Kind extends readonly [name: string, ...rest: ReadonlyArray<unknown>]>(
  kinds: ReadonlyArray<Kind>
): ReadonlyArray<Kind> => kinds.filter(([name]) => isRun(name))
