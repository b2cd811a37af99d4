import { type Context, DateTime, Effect, identity, type Layer, Option, Predicate, type Scope } from "effect"
import fc from "fast-check"
import { bindServices } from "../../app/kernel/host/MethodBinding.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Runs from "../Runs.ts"
import { assert } from "./Assert.ts"
import { newOrganisation } from "./Records.ts"

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

/** A page of a list, which names the next, if there is one. */
interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly next: string | null
}

/** How thorough checks are. */
export interface Thoroughness {
  /** Cases of each property; 20 when not given. */
  readonly runs?: number
}

/** Cases of each property. */
export const runsOf = (given: Thoroughness): number => Runs.runsOf(given, 20)

/** A check of an effect, which proves these sentences of `src/ports`. */
export const check = <E, R>(
  name: string,
  sentences: ReadonlyArray<string>,
  body: () => Effect.Effect<unknown, E, R>
): Check<Exclude<R, Scope.Scope>> => ({
  name,
  must: sentences,
  check: Effect.asVoid(Effect.scoped(Effect.updateContext(Effect.suspend(body), bindServices)))
})

/** Checks an effectful property, with the services at hand. A falsified one fails the test with its smallest case. */
export const forAll = <A, E, R>(
  runs: number,
  arbitrary: fc.Arbitrary<A>,
  property: (value: A) => Effect.Effect<unknown, E, R>
): Effect.Effect<void, never, R> =>
  Effect.contextWith((context: Context.Context<R>) => {
    const run = Effect.runPromiseWith(context)
    return Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitrary, (value) => run(Effect.asVoid(property(value)))),
        { numRuns: runs }
      )
    )
  })

/** A step of a check. */
export type Step = Effect.Effect<unknown, unknown, unknown>

/** The steps of a check, given values of these types. */
export type Body<Given extends ReadonlyArray<unknown>, S> = (...given: Given) => Generator<S, void, never>

/** Checks whose steps are given `G`, where `Q` is at hand, and which ask for `P`. */
export interface Laws<G extends ReadonlyArray<unknown>, P = never, Q = never> {
  /** A check that proves no sentence with a MUST. */
  law<S extends Step>(name: string, body: Body<G, S>): Check<Exclude<Effect.Services<S> | P, Scope.Scope | Q>>
  /** A check that proves these sentences of `src/ports`. */
  must<S extends Step>(
    name: string,
    sentences: ReadonlyArray<string>,
    body: Body<G, S>
  ): Check<Exclude<Effect.Services<S> | P, Scope.Scope | Q>>
  /** A check of any values, for each of which all else is given anew. */
  property<A, S extends Step>(
    name: string,
    sentences: ReadonlyArray<string>,
    runs: number,
    arbitrary: fc.Arbitrary<A>,
    body: Body<[value: A, ...given: G], S>
  ): Check<Exclude<Effect.Services<S> | P, Scope.Scope | Q>>
}

/** The checks whose steps are given what `given` answers, each of them `within` something. */
function lawsGiven<G extends ReadonlyArray<unknown>, P, Q = never>(
  given: Effect.Effect<G, never, P>,
  within?: (whole: Step) => Step
): Laws<G, P, Q>
function lawsGiven<G extends ReadonlyArray<unknown>>(
  given: Effect.Effect<G, never, unknown>,
  within: (whole: Step) => Step = identity
): Laws<G, unknown> {
  const must = (name: string, sentences: ReadonlyArray<string>, body: Body<G, Step>) =>
    check(name, sentences, () => within(Effect.flatMap(given, (all) => Effect.gen(() => body(...all)))))
  return {
    must,
    law: (name, body) => must(name, [], body),
    property: (name, sentences, runs, arbitrary, body) => {
      const holdsOf = <A>(value: A, of: Body<[A, ...G], Step>) =>
        Effect.scoped(Effect.flatMap(given, (all) => Effect.gen(() => of(value, ...all))))
      return check(name, sentences, () => within(forAll(runs, arbitrary, (value) => holdsOf(value, body))))
    }
  }
}

export const { law, must, property } = lawsGiven<[], never>(Effect.succeed([]))

/** The checks of what a layer makes. */
export const lawsIn = <R, E>(layer: Layer.Layer<R, E>): Laws<[], never, R> =>
  lawsGiven(Effect.succeed([]), (whole) => Effect.provide(Effect.updateContext(whole, bindServices), layer))

/** The checks of an adapter, whose steps are given it. */
export const lawsOn = <S, P>(port: Effect.Effect<S, never, P>): Laws<[S], P> =>
  lawsGiven(Effect.map(port, (store): [S] => [store]))

/** An adapter, and two organisations that nothing belongs to yet. */
export interface Setting<S> {
  readonly store: S
  readonly id: OrganisationId
  readonly other: OrganisationId
}

/** The checks of an adapter, whose steps are given it and two organisations. */
export const lawsOf = <S, P>(port: Effect.Effect<S, never, P>): Laws<[Setting<S>], P | OrganisationStore> =>
  lawsGiven(
    Effect.map(
      Effect.all([port, newOrganisation(), newOrganisation()]),
      ([store, { id }, { id: other }]): [Setting<S>] => [{ store, id, other }]
    )
  )

/** The effect in a transaction of its own, or in a savepoint of the one around it. */
export const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Transaction> =>
  Transaction.use(({ run }) => run(effect))

/** These steps in a transaction of their own, or in a savepoint of the one around it. */
export const transactionOf = <S extends Step, A>(steps: () => Generator<S, A, never>) =>
  inTransaction(Effect.gen(steps))

/** A limit that nothing reaches, and that is an integer of 32 bits. */
export const noLimit = 2_147_483_647

/** The steps, and once more: of two of each, an adapter that goes by the first that it was given alone is caught. */
export const twice = <A, E, R>(steps: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.repeat(steps, { times: 1 })

/** The answers to so many that ask at the same moment. */
export const together = <A, E, R>(count: number, ask: Effect.Effect<A, E, R>): Effect.Effect<Array<A>, E, R> =>
  Effect.all(Array<typeof ask>(count).fill(ask), { concurrency: "unbounded" })

/** Everything on the pages of a list, each of which names the next. */
export const allPages = Effect.fnUntraced(function* <A, E, R>(
  list: (page: string | null) => Effect.Effect<Page<A>, E, R>
) {
  const found: Array<A> = []
  for (let page: string | null = null, isFirst = true; isFirst || page !== null; isFirst = false) {
    const next: Page<A> = yield* list(page)
    found.push(...next.data)
    page = next.next
  }
  return found
})

/** The checks of one port as a list: it asks for what any of them asks for. */
export function suite<C extends Check<unknown>>(
  checks: ReadonlyArray<C>
): ReadonlyArray<Check<C extends Check<infer R> ? R : never>>
export function suite(checks: ReadonlyArray<Check<unknown>>): ReadonlyArray<Check<unknown>> {
  return checks
}

/** The value with instants as text, options and sets as lists and bytes as numbers: equal when it means the same. */
export const plain = (value: unknown): unknown => {
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  if (Option.isOption(value)) return Option.toArray(value).map(plain)
  if (value instanceof Set) return Array.from(value, plain).toSorted()
  if (value instanceof Map) return Array.from(value, plain)
  if (value instanceof Uint8Array || Array.isArray(value)) return Array.from(value, plain)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, plain(each)]))
}

/** Asserts that two values mean the same, field by field. */
export const same = <A>(actual: A, expected: NoInfer<A>, message?: string): void =>
  assert.deepStrictEqual(plain(actual), plain(expected), message)

/** The records in the order of their ids. */
export const byId = <A extends { readonly id: string }>(all: ReadonlyArray<A>): Array<A> =>
  all.toSorted((a, b) => (a.id < b.id ? -1 : 1))

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
