import { Cause, Effect, Exit } from "effect"
import { type Attempt, attemptOf, type Outcome } from "../client/Attempt.ts"
import type { Caller } from "../domain/access/Caller.ts"
import { recordFrames } from "../domain/kernel/Rejection.ts"
import { CurrentCaller } from "../ports/access/CurrentCaller.ts"
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

/** What {@link called} answers: where the host made a call. */
interface Called {
  readonly stack?: string
}

const framesShown = 4

/** Where the host calls `method`, a few frames of it. They are put into words only when somebody reads them. */
const called = (method: Call): Called => {
  const limit = Error.stackTraceLimit
  const site: Called = {}
  recordFrames(framesShown)
  Error.captureStackTrace(site, method)
  recordFrames(limit)
  return site
}

/** A failure with the frames of the host's call: those of the fiber that decided tell a host nothing. */
const toldAt = <E>(failure: E, site: Called): E => {
  if (!(failure instanceof Error)) return failure
  const { message, name } = failure
  const get = () => [`${name}: ${message}`, ...(site.stack ?? "").split("\n").slice(1)].join("\n")
  return Object.defineProperty(failure, "stack", { configurable: true, get })
}

const outcomeOf = <A, E>(exit: Exit.Exit<A, E>, site: Called): Outcome<A, E | AlmonerUnavailable> => {
  if (Exit.isSuccess(exit)) return { ok: true, value: exit.value }
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  return { ok: false, failure: toldAt(failure === undefined ? unavailable(exit.cause) : failure.error, site) }
}

/** A method as a host calls it. */
type Call = (...args: never) => unknown

/**
 * What an effect ended with, as a promise that rejects with its typed failures or with {@link AlmonerUnavailable}. `method`
 * is what the host called.
 */
export const attempt = <A, E>(ending: Promise<Exit.Exit<A, E>>, method?: Call): Attempt<A, E | AlmonerUnavailable> => {
  const site = called(method ?? attempt)
  return attemptOf(
    ending.then(
      (exit) => outcomeOf(exit, site),
      (cause): Outcome<A, E | AlmonerUnavailable> => ({
        ok: false,
        failure: toldAt(unavailable(Cause.die(cause)), site)
      })
    )
  )
}

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

const perform = (
  run: Run,
  operation: AnyOperation,
  args: ReadonlyArray<unknown>,
  caller: Caller | undefined,
  method: Call
) => {
  // The types of a method were made from those of its operation.
  const effect = operation.perform(...(args as never)) as Effect.Effect<unknown, unknown, UseCases | CurrentCaller>
  const provided =
    caller === undefined
      ? (effect as Effect.Effect<unknown, unknown, UseCases>)
      : Effect.provideService(effect, CurrentCaller, caller)
  return attempt(run(provided), method)
}

/** The face over whatever runs the use cases. */
export const makeFace = (run: Run): Face =>
  mapGroups(
    () => true,
    (operation) => {
      const ofInstallation = (...args: ReadonlyArray<unknown>) =>
        perform(run, operation, args, undefined, ofInstallation)
      const ofCaller = (caller: Caller, ...args: ReadonlyArray<unknown>) =>
        perform(run, operation, args, caller, ofCaller)
      return operation.who === "installation" ? ofInstallation : ofCaller
    }
  ) as Face

/** The face of one caller. */
export const makeBoundFace = (run: Run, caller: Caller): BoundFace =>
  mapGroups(
    ({ who }) => who === "caller",
    (operation) => {
      const method = (...args: ReadonlyArray<unknown>) => perform(run, operation, args, caller, method)
      return method
    }
  ) as BoundFace
