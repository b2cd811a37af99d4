import { Cause, Effect, Exit } from "effect"
import { type Attempt, attemptOf, type Outcome } from "../client/Attempt.ts"
import type { Caller } from "../domain/Caller.ts"
import { CurrentCaller } from "../ports/CurrentCaller.ts"
import { type AlmonerUnavailable, unavailable } from "./AlmonerUnavailable.ts"
import type { Audience } from "./Declare.ts"
import { operations } from "./Operations.ts"

type Groups = typeof operations

/** What an operation is, whatever it takes and gives. */
interface AnyOperation {
  readonly who: Audience
  readonly perform: (...args: never) => Effect.Effect<unknown, unknown, unknown>
}

type Attempted<F> = F extends Effect.Effect<infer A, infer E, unknown> ? Attempt<A, E | AlmonerUnavailable> : never

/** With the caller first, where the operation is for an organisation. */
type Method<O> = O extends {
  readonly who: infer Who
  readonly perform: (...args: infer A) => infer F
}
  ? Who extends "installation"
    ? (...args: A) => Attempted<F>
    : (caller: Caller, ...args: A) => Attempted<F>
  : never

type BoundMethod<O> = O extends { readonly perform: (...args: infer A) => infer F }
  ? (...args: A) => Attempted<F>
  : never

type CallerOperation<G> = {
  [N in keyof G]: G[N] extends { readonly who: "caller" } ? N : never
}[keyof G]

/** Every operation as a method that answers a promise. Inputs and answers are JSON values, as the API has them. */
export type Face = {
  readonly [G in keyof Groups]: { readonly [N in keyof Groups[G]]: Method<Groups[G][N]> }
}

/** The operations of one caller: without those that are for operators. */
export type BoundFace = {
  readonly [G in keyof Groups as [CallerOperation<Groups[G]>] extends [never] ? never : G]: {
    readonly [N in CallerOperation<Groups[G]>]: BoundMethod<Groups[G][N]>
  }
}

/** What the operations need beside their caller. */
export type UseCases = {
  [G in keyof Groups]: {
    [N in keyof Groups[G]]: Groups[G][N] extends {
      readonly perform: (...args: never) => Effect.Effect<unknown, unknown, infer R>
    }
      ? Exclude<R, CurrentCaller>
      : never
  }[keyof Groups[G]]
}[keyof Groups]

/** Runs an effect of a use case to its end. */
export type Run = <A, E>(effect: Effect.Effect<A, E, UseCases>) => Promise<Exit.Exit<A, E>>

const outcomeOf = <A, E>(exit: Exit.Exit<A, E>): Outcome<A, E | AlmonerUnavailable> => {
  if (Exit.isSuccess(exit)) return { ok: true, value: exit.value }
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  return { ok: false, failure: failure === undefined ? unavailable(exit.cause) : failure.error }
}

/** What an effect ended with, as a promise that rejects with its typed failures or with {@link AlmonerUnavailable}. */
export const attempt = <A, E>(ending: Promise<Exit.Exit<A, E>>): Attempt<A, E | AlmonerUnavailable> =>
  attemptOf(
    ending.then(outcomeOf, (cause): Outcome<A, E | AlmonerUnavailable> => {
      return { ok: false, failure: unavailable(Cause.die(cause)) }
    })
  )

const mapGroups = (
  isOffered: (operation: AnyOperation) => boolean,
  method: (operation: AnyOperation) => unknown
): Readonly<Record<string, Readonly<Record<string, unknown>>>> => {
  const groups: Readonly<Record<string, Readonly<Record<string, AnyOperation>>>> = operations
  return Object.fromEntries(
    Object.entries(groups).flatMap(([name, group]) => {
      const offered = Object.entries(group).filter(([, operation]) => isOffered(operation))
      const methods = offered.map(([each, operation]) => [each, method(operation)])
      return methods.length === 0 ? [] : [[name, Object.fromEntries(methods)]]
    })
  )
}

const perform = (run: Run, operation: AnyOperation, args: ReadonlyArray<unknown>, caller: Caller | undefined) => {
  // The types of a method were made from those of its operation.
  const effect = operation.perform(...(args as never)) as Effect.Effect<unknown, unknown, UseCases | CurrentCaller>
  const provided =
    caller === undefined
      ? (effect as Effect.Effect<unknown, unknown, UseCases>)
      : Effect.provideService(effect, CurrentCaller, caller)
  return attempt(run(provided))
}

/** The face over whatever runs the use cases. */
export const makeFace = (run: Run): Face =>
  mapGroups(
    () => true,
    (operation) =>
      operation.who === "installation"
        ? (...args: ReadonlyArray<unknown>) => perform(run, operation, args, undefined)
        : (caller: Caller, ...args: ReadonlyArray<unknown>) => perform(run, operation, args, caller)
  ) as Face

/** The face of one caller. */
export const makeBoundFace = (run: Run, caller: Caller): BoundFace =>
  mapGroups(
    ({ who }) => who === "caller",
    (operation) =>
      (...args: ReadonlyArray<unknown>) =>
        perform(run, operation, args, caller)
  ) as BoundFace
