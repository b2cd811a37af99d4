import { type Context, DateTime, Effect, Option, Predicate, type Scope } from "effect"
import fc from "fast-check"
import { assert } from "./Assert.ts"

/** One obligation of an adapter. `R` are the ports that it is about, and those that the check is set up with. */
export interface Check<R = never> {
  readonly name: string
  /**
   * The sentences of `src/ports` that it proves, as `Port.member MUST …`. None where the obligation follows from the
   * port without a MUST.
   */
  readonly must: ReadonlyArray<string>
  /** Succeeds when the adapter meets the obligation; fails or dies, with what was found, when it does not. */
  readonly check: Effect.Effect<void, unknown, R>
}

/** How thorough checks are. */
export interface Thoroughness {
  /** Cases of each property; 20 when not given. */
  readonly runs?: number
}

/** Cases of each property when the subject does not say. */
export const runsOf = (given: Thoroughness): number => given.runs ?? 20

/** A check that proves these sentences of `src/ports`. */
export const must = <E, R>(
  name: string,
  sentences: ReadonlyArray<string>,
  body: () => Effect.Effect<void, E, R>
): Check<Exclude<R, Scope.Scope>> => ({ name, must: sentences, check: Effect.scoped(Effect.suspend(body)) })

/** A check that proves no sentence with a MUST. */
export const law = <E, R>(name: string, body: () => Effect.Effect<void, E, R>): Check<Exclude<R, Scope.Scope>> =>
  must(name, [], body)

/** The checks of one port as a list: it asks for what any of them asks for. */
export function suite<C extends Check<unknown>>(
  checks: ReadonlyArray<C>
): ReadonlyArray<Check<C extends Check<infer R> ? R : never>>
export function suite(checks: ReadonlyArray<Check<unknown>>): ReadonlyArray<Check<unknown>> {
  return checks
}

/** Checks an effectful property, with the services at hand. A falsified one fails the test with its smallest case. */
export const forAll = <A, E, R>(
  runs: number,
  arbitrary: fc.Arbitrary<A>,
  property: (value: A) => Effect.Effect<void, E, R>
): Effect.Effect<void, never, R> =>
  Effect.contextWith((context: Context.Context<R>) => {
    const run = Effect.runPromiseWith(context)
    return Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitrary, (value) => run(property(value))),
        { numRuns: runs }
      )
    )
  })

/** The value with instants as text, options as lists and bytes as numbers: equal when it means the same. */
export const plain = (value: unknown): unknown => {
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Option.isOption(value)) return Option.toArray(value).map(plain)
  if (value instanceof Uint8Array || Array.isArray(value)) return Array.from(value, plain)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, plain(each)]))
}

/** Asserts that two values mean the same, field by field. */
export const same = <A>(actual: A, expected: NoInfer<A>, message?: string): void =>
  assert.deepStrictEqual(plain(actual), plain(expected), message)

/** Asserts that there is no such record. */
export const none = (actual: Option.Option<unknown>): void => assert.isTrue(Option.isNone(actual), "a record was found")

/** Asserts that the effect is refused with these facts. */
export const assertRefused = <A, E extends object, R>(
  effect: Effect.Effect<A, E, R>,
  facts: Readonly<Record<string, string>>
): Effect.Effect<void, A, R> =>
  Effect.map(Effect.flip(effect), (failure) => {
    const known = new Map(Object.entries(failure))
    for (const [field, value] of Object.entries(facts)) assert.strictEqual(known.get(field), value, field)
  })

/** Fails a wait that would never end, which happens only when a promise is broken. */
export const failBlocked = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.timeoutOrElse(effect, {
    duration: "10 seconds",
    orElse: () => Effect.die(new Error("One waits for the other, and the other for it."))
  })
