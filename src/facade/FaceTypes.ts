import type { Operation, Parts, QueryPart, RefusalOf } from "../app/access/steps/Operation.ts"
import type { operations } from "../app/Operations.ts"
import type { Attempt } from "../client/Attempt.ts"
import type { Page } from "../client/Types.ts"
import type { Wire } from "../client/Wire.ts"
import type { Caller } from "../domain/access/Caller.ts"
import type { IdempotencyConflict } from "../domain/access/Idempotency.ts"
import type { Requirement } from "../domain/access/Policy.ts"
import type { InvalidInput, MalformedInput } from "../domain/kernel/Rejection.ts"
import type { AlmonerUnavailable } from "./AlmonerUnavailable.ts"
import type { Named } from "./generated/Named.ts"
import type { AnyEvent, Emission, NoEvents } from "./HostEvents.ts"
import type { ListOptions } from "./Lists.ts"
import type { Args } from "./Perform.ts"

export type Groups = typeof operations

interface Signature {
  readonly takes: ReadonlyArray<unknown>
  readonly gives: unknown
}

/** What an operation takes and gives, by the names of {@link Named}: a new operation is in it once they are printed. */
type SignatureOf<G, N, O> =
  O extends Operation<infer _A, infer _K, infer T, infer A, infer _E, infer _R>
    ? G extends keyof Named
      ? N extends keyof Named[G]
        ? Extract<Named[G][N], Signature>
        : { readonly takes: Args<T>; readonly gives: Wire<A["Type"]> }
      : { readonly takes: Args<T>; readonly gives: Wire<A["Type"]> }
    : never

/** What a call takes: a list also takes options. */
type Taken<T extends Parts, S extends Signature> = T extends readonly [...Parts, QueryPart]
  ? [...S["takes"], options?: ListOptions]
  : S["takes"]

/** The method of an operation; the caller comes first where the operation is for an organisation. */
type Method<O, S extends Signature, Refusal = never> =
  O extends Operation<infer A, infer _K, infer T, infer _G, infer E, infer _R>
    ? A extends null
      ? (...args: Taken<T, S>) => Attempt<S["gives"], E | RefusalOf<T> | AlmonerUnavailable>
      : (
          caller: Caller,
          ...args: Taken<T, S>
        ) => Attempt<S["gives"], E | RefusalOf<T> | Refusal | MalformedInput | AlmonerUnavailable>
    : never

type BoundMethod<O, S extends Signature, Refusal = never> =
  O extends Operation<infer _A, infer _K, infer T, infer _G, infer E, infer _R>
    ? (...args: Taken<T, S>) => Attempt<S["gives"], E | RefusalOf<T> | Refusal | MalformedInput | AlmonerUnavailable>
    : never

type ItemOf<A> = A extends { readonly data: ReadonlyArray<infer Item>; readonly has_more: boolean } ? Item : never

type All<O, S extends Signature, Callers extends ReadonlyArray<unknown>> =
  O extends Operation<infer _A, infer _K, infer T, infer _G, infer _E, infer _R>
    ? (...args: [...Callers, ...Taken<T, S>]) => AsyncGenerator<ItemOf<S["gives"]>, void, void>
    : never

type AllName<N, O> = N extends `list${infer Rest}`
  ? O extends { readonly takes: readonly [...Parts, QueryPart] }
    ? `all${Rest}`
    : never
  : never

/**
 * Beside each list, all of its records, page after page; each page is read when it is reached: `for await (const donor of
 * almoner.donors.all(caller, { search: "garcia" }))`. Throws the failures of the list.
 */
type Alls<G extends keyof Groups, N extends keyof Groups[G], Callers extends ReadonlyArray<unknown>> = {
  readonly [L in N as AllName<L, Groups[G][L]>]: All<Groups[G][L], SignatureOf<G, L, Groups[G][L]>, Callers>
}

type CallerOperation<G, A extends Requirement = Requirement> = {
  [N in keyof G]: G[N] extends { readonly asks: A } ? N : never
}[keyof G]

type Writing = Requirement<string, "WRITE">

type GroupsWith<A extends Requirement> = {
  [G in keyof Groups]: [CallerOperation<Groups[G], A>] extends [never] ? never : G
}[keyof Groups]

/** How a call under an idempotency key may be refused beside what the operation refuses. */
type KeyRefusal = IdempotencyConflict | InvalidInput | MalformedInput

/** A method of another answer. */
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

/** The part of a face that tells what happened, with the types of events that the host declares. */
type OfEvents<G, Callers extends ReadonlyArray<unknown>, Events> = {
  readonly [N in keyof G]: N extends "emit"
    ? Emitting<G[N], Callers, Events>
    : N extends "list"
      ? Answering<G[N], Page<AnyEvent<Events>>>
      : N extends "all"
        ? Iterating<G[N], AnyEvent<Events>>
        : Answering<G[N], AnyEvent<Events>>
}

/** A face with the types of events that the host declares. */
type Declaring<F extends { readonly events: unknown }, Callers extends ReadonlyArray<unknown>, Events> = Omit<
  F,
  "events"
> & {
  /**
   * What happened. `emit` writes an event of a type that the host declares at `Almoner.open`, in the surrounding transaction:
   * it is listed, delivered to the webhook endpoints that subscribe to it, and handed to handlers. Answers the event with
   * its data as they are kept: JSON that the type's schema gave. Fails with `InvalidInput` of `type`, or of the field of
   * `data` at fault. docs/decisions/0054.
   *
   * @example
   * await almoner.events.emit(caller, { type: "x.pledge.signed", data: { id: pledge.id, amount_cents: 5000 } })
   */
  readonly events: OfEvents<F["events"], Callers, Events>
}

type PlainKeyedFace = {
  readonly [G in GroupsWith<Writing>]: {
    readonly [N in CallerOperation<Groups[G], Writing>]: Method<
      Groups[G][N],
      SignatureOf<G, N, Groups[G][N]>,
      KeyRefusal
    >
  }
}

/** The operations that write, under one idempotency key. */
export type KeyedFace<Events = NoEvents> = Declaring<PlainKeyedFace, [caller: Caller], Events>

type PlainBoundKeyedFace = {
  readonly [G in GroupsWith<Writing>]: {
    readonly [N in CallerOperation<Groups[G], Writing>]: BoundMethod<
      Groups[G][N],
      SignatureOf<G, N, Groups[G][N]>,
      KeyRefusal
    >
  }
}

/** The operations of one caller that write, under one idempotency key. */
export type BoundKeyedFace<Events = NoEvents> = Declaring<PlainBoundKeyedFace, [], Events>

/**
 * The operations that write, under a key of 1 to 255 characters: `almoner.keyed(order.id).donations.create(caller, …)`. The
 * operation takes effect once. A repetition by the same actor within 24 hours, with the same input, is answered as the first
 * call was, a refusal included; other input, or a call that is still running, fails with {@link IdempotencyConflict}. Where
 * a call was {@link AlmonerUnavailable}, it may be repeated with its key. service-spec, Limits: Idempotency rules.
 */
interface Keyed<K> {
  readonly keyed: (key: string) => K
}

type PlainFace = {
  readonly [G in keyof Groups]: {
    readonly [N in keyof Groups[G]]: Method<Groups[G][N], SignatureOf<G, N, Groups[G][N]>>
  } & Alls<G, keyof Groups[G], [caller: Caller]>
}

/** Every operation as a method that returns a promise. Inputs and answers are JSON values, as the API has them. */
export type Face<Events = NoEvents> = Keyed<KeyedFace<Events>> & Declaring<PlainFace, [caller: Caller], Events>

type PlainBoundFace = {
  readonly [G in GroupsWith<Requirement>]: {
    readonly [N in CallerOperation<Groups[G]>]: BoundMethod<Groups[G][N], SignatureOf<G, N, Groups[G][N]>>
  } & Alls<G, CallerOperation<Groups[G]>, []>
}

/** The operations of one caller: without those that are for operators. */
export type BoundFace<Events = NoEvents> = Keyed<BoundKeyedFace<Events>> & Declaring<PlainBoundFace, [], Events>
