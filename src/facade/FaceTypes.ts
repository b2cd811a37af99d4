import type { operations } from "../app/Operations.ts"
import type { Attempt } from "../client/Attempt.ts"
import type { Page } from "../client/Types.ts"
import type { Caller } from "../domain/access/Caller.ts"
import type { IdempotencyConflict } from "../domain/access/Idempotency.ts"
import type { Requirement } from "../domain/access/Policy.ts"
import type { InvalidInput, MalformedInput } from "../domain/kernel/Rejection.ts"
import type { AlmonerUnavailable } from "./AlmonerUnavailable.ts"
import type { Calls } from "./generated/Calls.ts"
import type { AnyEvent, Emission, NoEvents } from "./HostEvents.ts"

export type Groups = typeof operations

type CallerOperation<G, A extends Requirement> = {
  [N in keyof G]: G[N] extends { readonly requires: A } ? N : never
}[keyof G]

type AllOf<N> = N extends `list${infer Rest}` ? `all${Rest}` : never

/** The groups whose methods are printed: a new one is among them once `npm run docs` has run. */
type Printed = keyof Groups & keyof Calls

/** The methods of a group for callers, with the iterations over their lists. */
type MethodsOf<G extends Printed, A extends Requirement> = keyof Calls[G] &
  (CallerOperation<Groups[G], A> | AllOf<CallerOperation<Groups[G], A>>)

type Writing = Requirement<string, "WRITE">

type GroupsWith<A extends Requirement> = {
  [G in Printed]: [CallerOperation<Groups[G], A>] extends [never] ? never : G
}[Printed]

/** How a call under an idempotency key may be refused beside what the operation refuses. */
type KeyRefusal = IdempotencyConflict | InvalidInput | MalformedInput | AlmonerUnavailable

// The methods are mapped over those that are printed, one by one, so that each keeps its words.
type UnderKey<Methods> = {
  readonly [N in keyof Methods]: Methods[N] extends (...args: infer Args) => Attempt<infer A, infer E>
    ? (...args: Args) => Attempt<A, E | KeyRefusal>
    : never
}

type Bound<Methods> = {
  readonly [N in keyof Methods]: Methods[N] extends (caller: Caller, ...args: infer Args) => infer A
    ? (...args: Args) => A
    : never
}

type Answering<M, A> = M extends (...args: infer Given) => Attempt<infer _A, infer E>
  ? (...args: Given) => Attempt<A, E>
  : never

/** A method of another last argument and another answer. */
type Emitting<M, Callers extends ReadonlyArray<unknown>, Events> = M extends (
  ...args: never
) => Attempt<infer _A, infer E>
  ? (...args: [...Callers, event: Emission<Events>]) => Attempt<AnyEvent<Events>, E>
  : never

type Iterating<M, A> = M extends (...args: infer Given) => AsyncGenerator<infer _A, void, void>
  ? (...args: Given) => AsyncGenerator<A, void, void>
  : never

type OfEvents<G, Callers extends ReadonlyArray<unknown>, Events> = {
  readonly [N in keyof G]: N extends "emit"
    ? Emitting<G[N], Callers, Events>
    : N extends "list"
      ? Answering<G[N], Page<AnyEvent<Events>>>
      : N extends "all"
        ? Iterating<G[N], AnyEvent<Events>>
        : Answering<G[N], AnyEvent<Events>>
}

type Declaring<F extends { readonly events: unknown }, Callers extends ReadonlyArray<unknown>, Events> = Omit<
  F,
  "events"
> & {
  /**
   * The events. `emit` writes an event of a type that the host declares at `Almoner.open`, in the surrounding
   * transaction: it is listed, delivered to the webhook endpoints that subscribe to it, and handed to handlers. Answers
   * the event with its data as they are kept: JSON that the type's schema gave. Fails with `InvalidInput` of `type`, or
   * of the field of `data` at fault. docs/decisions/0054.
   */
  readonly events: OfEvents<F["events"], Callers, Events>
}

type PlainKeyedFace = {
  readonly [G in GroupsWith<Writing>]: UnderKey<Pick<Calls[G], MethodsOf<G, Writing>>>
}

/** The operations that write, under one idempotency key. */
export type KeyedApi<Events = NoEvents> = Declaring<PlainKeyedFace, [caller: Caller], Events>

type PlainBoundKeyedFace = {
  readonly [G in GroupsWith<Writing>]: UnderKey<Bound<Pick<Calls[G], MethodsOf<G, Writing>>>>
}

/** The operations of one caller that write, under one idempotency key. */
export type KeyedCallerApi<Events = NoEvents> = Declaring<PlainBoundKeyedFace, [], Events>

/**
 * The operations that write, under a key of 1 to 255 characters: `almoner.keyed(order.id).donations.create(caller, …)`. The
 * operation takes effect once. A repetition by the same actor within 24 hours, with the same input, is answered as the first
 * call was, a refusal included; other input, or a call that is still running, fails with {@link IdempotencyConflict}. Where
 * a call was {@link AlmonerUnavailable}, it may be repeated with its key. service-spec, Limits: Idempotency rules.
 */
interface Keyed<K> {
  readonly keyed: (key: string) => K
}

/** Every operation as a method that returns a promise. Inputs and answers are JSON values, as the API has them. */
export type Api<Events = NoEvents> = Keyed<KeyedApi<Events>> & Declaring<Calls, [caller: Caller], Events>

type PlainBoundFace = {
  readonly [G in GroupsWith<Requirement>]: Bound<Pick<Calls[G], MethodsOf<G, Requirement>>>
}

/** The operations of one caller: without those that are for operators. */
export type CallerApi<Events = NoEvents> = Keyed<KeyedCallerApi<Events>> & Declaring<PlainBoundFace, [], Events>
