import { type Context, Effect, Exit, identity, Layer, Option, Predicate, type Scope, String } from "effect"
import * as PostgresStores from "../../src/adapters/postgres/Stores.ts"
import * as Ports from "../../src/ports.ts"
import type { Stores } from "../../src/testing/Conformance.ts"
import { storeChecks } from "../../src/testing/conformance/Registration.ts"
import { Checks } from "../../src/testing.ts"
import { layerServer } from "../support/MigratedDatabase.ts"
import * as Adapters from "./Adapters.ts"
import { secretBox } from "./Seal.ts"
import { type Break, type Observation, observe, type Swap, withoutRepeated, wrong } from "./WrongAdapters.ts"

export type Port = Context.Service<unknown, object>

/** The suite of a port over an adapter that is changed. */
export interface Trial {
  readonly name: string
  readonly port: Port
  /** The checks over one adapter, which is made once for all of them, as it is for the suite. */
  readonly checks: (changed: Swap) => Effect.Effect<ReadonlyArray<Checks.Check>, unknown, Scope.Scope>
  /** Whether a member is made wrong; each is when absent. */
  readonly isAsked?: (member: string) => boolean
}

/** Members that guard against others at the same moment, by their ports: in memory nobody is beside a transaction. */
const guards = { DonorStore: "holdEmail", DisclosureStore: "hold" } as const

/** How the wrong adapters of a port fared. */
export interface Outcome {
  readonly port: string
  readonly member: string
  readonly change: string
  readonly caughtBy: string | null
}

export const portOf = (name: string): Port => {
  const port: unknown = Reflect.get(Ports, name)
  if (!Predicate.isFunction(port)) throw new Error(`${name} is no port.`)
  return port as unknown as Port
}

/** The checks over what a layer makes, which is made now. */
export const over = <R>(checks: ReadonlyArray<Checks.Check<R>>, layer: Layer.Layer<R>) =>
  Effect.gen(function* () {
    const context = yield* Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), yield* Effect.scope)
    return checks.map((each): Checks.Check => ({ ...each, check: Effect.provideContext(each.check, context) }))
  })

/** The stores in memory. */
export const storeTrials = Object.entries(storeChecks).map(([suite, checksOf]): Trial => {
  const name = String.capitalize(suite)
  const made: ReadonlyArray<Checks.Check<Stores>> = checksOf({ serial: true, runs: 10 })
  return {
    name,
    port: portOf(name),
    checks: (changed) =>
      over(made, (changed as Layer.Layer<Stores, never, Stores>).pipe(Layer.provideMerge(Adapters.memory))),
    isAsked: (member) => !Object.entries(guards).some(([port, guard]) => port === name && guard === member)
  }
})

const database = Layer.provide(PostgresStores.layer, [secretBox, layerServer])

/** The stores on PostgreSQL, whose transactions go on side by side: what guards against others there, by its own checks. */
export const guardTrials = Object.entries(guards).map(([name, guard]): Trial => {
  const made: ReadonlyArray<Checks.Check<Stores>> = [
    ...Checks.donorStore({ serial: false, runs: 1 }),
    ...Checks.disclosureStore({ serial: false, runs: 1 })
  ].filter(({ must }) => must.some((sentence) => sentence.startsWith(`${name}.${guard} `)))
  return {
    name,
    port: portOf(name),
    checks: (changed) => over(made, (changed as Layer.Layer<Stores, never, Stores>).pipe(Layer.provideMerge(database))),
    isAsked: (member) => member === guard
  }
})

/** Longer than this no check goes on, milliseconds. */
const longest = 5_000

/** What caught a wrong adapter whose check came to no end. A machine that has much else to do ends others so, too. */
export const noEnd = "no end"

/** What catches the adapter that the check is about; null where it passes. */
const catcherIn = ({ check, name }: Checks.Check): Effect.Effect<string | null> =>
  Effect.map(
    Effect.timeoutOption(Effect.exit(check), longest),
    Option.match({ onNone: () => noEnd, onSome: (exit) => (Exit.isSuccess(exit) ? null : name) })
  )

/** Checks in the order of how much they call, which is the same on any machine: those that end soon come first. */
const shortest = ({ calls }: Observation) => {
  const counts = new Map(
    [...calls].map(([name, members]) => [name, [...members.values()].reduce((sum, each) => sum + each, 0)] as const)
  )
  return (checks: ReadonlyArray<Checks.Check>): ReadonlyArray<Checks.Check> =>
    checks.toSorted((a, b) => (counts.get(a.name) ?? 0) - (counts.get(b.name) ?? 0))
}

/** What a port's suite makes of each wrong adapter of it. */
export const outcomesOf = Effect.fnUntraced(function* (trial: Trial) {
  const seen: Observation = { members: new Map(), calls: new Map() }
  let current = ""
  const run = Effect.fnUntraced(function* (ordered: (checks: ReadonlyArray<Checks.Check>) => typeof checks) {
    for (const check of ordered(yield* trial.checks(observe(trial.port, () => current, seen)))) {
      current = check.name
      yield* check.check
    }
  }, Effect.scoped)
  yield* run(identity)
  // What is right is so in the order in which wrong adapters are looked at, too.
  const order = shortest(seen)
  yield* run(order)
  const outcomes: Array<Outcome> = []
  for (const [member, changes] of seen.members) {
    if (trial.isAsked?.(member) === false) continue
    if (changes.size === 0) outcomes.push({ port: trial.name, member, change: "never called", caughtBy: null })
    for (const [change, broken] of withoutRepeated(changes)) {
      const caughtBy = yield* catcherOf(trial, { member, broken, seen, order })
      outcomes.push({ port: trial.name, member, change, caughtBy })
    }
  }
  return outcomes
})

interface Candidate {
  readonly member: string
  readonly broken: Break
  readonly seen: Observation
  readonly order: ReturnType<typeof shortest>
}

/** The check that catches a wrong adapter, the shortest first; null where none does. */
const catcherOf = Effect.fnUntraced(function* (trial: Trial, { broken, member, order, seen }: Candidate) {
  let calls = 0
  let most = Infinity
  const checks = yield* trial.checks(wrong(trial.port, member, broken, () => ++calls > most))
  for (const check of order(checks).filter(({ name }) => seen.calls.get(name)?.has(member) === true)) {
    calls = 0
    most = 100 + 10 * [...(seen.calls.get(check.name)?.values() ?? [])].reduce((sum, each) => sum + each, 0)
    const caughtBy = yield* catcherIn(check)
    // Whatever goes on of it in vain ends at its next call.
    most = 0
    if (caughtBy !== null) return caughtBy
    most = Infinity
  }
  return null
}, Effect.scoped)
