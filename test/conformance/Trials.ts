import { Clock, type Context, Effect, Exit, Layer, Predicate, String } from "effect"
import * as Ports from "../../src/ports.ts"
import type { Stores } from "../../src/testing/Conformance.ts"
import { storeChecks } from "../../src/testing/conformance/Registration.ts"
import type { Checks } from "../../src/testing.ts"
import * as Adapters from "./Adapters.ts"
import { type Break, type Observation, observe, type Swap, wrong } from "./WrongAdapters.ts"

type Port = Context.Service<unknown, object>

/** The suite of a port over an adapter that is changed. */
export interface Trial {
  readonly name: string
  readonly port: Port
  readonly checks: (changed: Swap) => ReadonlyArray<Checks.Check>
}

/** How the wrong adapters of a port fared. */
export interface Outcome {
  readonly port: string
  readonly member: string
  readonly change: string
  readonly caughtBy: string | null
}

const portOf = (name: string): Port => {
  const port: unknown = Reflect.get(Ports, name)
  if (!Predicate.isFunction(port)) throw new Error(`${name} is no port.`)
  return port as unknown as Port
}

const storeTrials = Object.entries(storeChecks).map(([suite, checksOf]): Trial => {
  const name = String.capitalize(suite)
  const made: ReadonlyArray<Checks.Check<Stores>> = checksOf({ serial: true, runs: 10 })
  return {
    name,
    port: portOf(name),
    checks: (changed) => {
      const layer = (changed as Layer.Layer<never, never, Stores>).pipe(
        Layer.provideMerge(Adapters.memory)
      ) as Layer.Layer<Stores>
      return made.map((each) => ({ ...each, check: Effect.provide(each.check, layer) }))
    }
  }
})

export const trials: ReadonlyArray<Trial> = storeTrials

/** Longer than this no check goes on, milliseconds. */
const longest = 5_000

const passes = (check: Checks.Check, millis: number): Effect.Effect<boolean> =>
  Effect.map(
    Effect.exit(Effect.timeoutOrElse(check.check, { duration: millis, orElse: () => Effect.die("endless") })),
    Exit.isSuccess
  )

/** What a port's suite makes of each wrong adapter of it. */
export const outcomesOf = Effect.fnUntraced(function* (trial: Trial) {
  const seen: Observation = { members: new Map(), calls: new Map() }
  let current = ""
  const took = new Map<string, number>()
  const right = trial.checks(observe(trial.port, () => current, seen))
  for (const check of right) {
    current = check.name
    const began = yield* Clock.currentTimeMillis
    yield* Effect.orDie(check.check)
    took.set(check.name, (yield* Clock.currentTimeMillis) - began)
  }
  const outcomes: Array<Outcome> = []
  for (const [member, changes] of seen.members) {
    if (changes.size === 0) outcomes.push({ port: trial.name, member, change: "never called", caughtBy: null })
    for (const [change, broken] of changes) {
      const caughtBy = yield* catcherOf(trial, { member, broken, seen, took })
      outcomes.push({ port: trial.name, member, change, caughtBy })
    }
  }
  return outcomes
})

interface Candidate {
  readonly member: string
  readonly broken: Break
  readonly seen: Observation
  readonly took: ReadonlyMap<string, number>
}

/** The check that catches a wrong adapter, the quickest first; null where none does. */
const catcherOf = Effect.fnUntraced(function* (trial: Trial, { broken, member, seen, took }: Candidate) {
  let calls = 0
  let most = Infinity
  const checks = trial
    .checks(wrong(trial.port, member, broken, () => ++calls > most))
    .filter(({ name }) => seen.calls.get(name)?.has(member) === true)
    .toSorted((a, b) => (took.get(a.name) ?? 0) - (took.get(b.name) ?? 0))
  for (const check of checks) {
    calls = 0
    most = 100 + 10 * [...(seen.calls.get(check.name)?.values() ?? [])].reduce((sum, each) => sum + each, 0)
    const isPassed = yield* passes(check, longest)
    // Whatever goes on of it in vain ends at its next call.
    most = 0
    if (!isPassed) return check.name
    most = Infinity
  }
  return null
})
