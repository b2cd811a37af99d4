import { Cause, Effect, Exit } from "effect"
import type { AnyOperation, Operation, RefusalOf } from "../app/access/steps/Operation.ts"
import { operations } from "../app/Operations.ts"
import { type Attempt, attemptOf, type Outcome } from "../client/Attempt.ts"
import type { Wire } from "../client/Wire.ts"
import type { Caller } from "../domain/access/Caller.ts"
import type { Requirement } from "../domain/access/Policy.ts"
import { type MalformedInput, recordFrames } from "../domain/kernel/Rejection.ts"
import { CurrentCaller } from "../ports/access/CurrentCaller.ts"
import { type AlmonerUnavailable, unavailable } from "./AlmonerUnavailable.ts"
import { readCaller } from "./Callers.ts"
import { type Args, type Perform, performerOf } from "./Perform.ts"

type Groups = typeof operations

/** The method of an operation; the caller comes first where the operation is for an organisation. */
type Method<O> =
  O extends Operation<infer A, infer _K, infer T, infer G, infer E, infer _R>
    ? A extends null
      ? (...args: Args<T>) => Attempt<Wire<G["Type"]>, E | RefusalOf<T> | AlmonerUnavailable>
      : (
          caller: Caller,
          ...args: Args<T>
        ) => Attempt<Wire<G["Type"]>, E | RefusalOf<T> | MalformedInput | AlmonerUnavailable>
    : never

type BoundMethod<O> =
  O extends Operation<infer _A, infer _K, infer T, infer G, infer E, infer _R>
    ? (...args: Args<T>) => Attempt<Wire<G["Type"]>, E | RefusalOf<T> | MalformedInput | AlmonerUnavailable>
    : never

type CallerOperation<G> = {
  [N in keyof G]: G[N] extends { readonly asks: Requirement } ? N : never
}[keyof G]

/** Every operation as a method that returns a promise. Inputs and answers are JSON values, as the API has them. */
export type Face = {
  readonly [G in keyof Groups]: { readonly [N in keyof Groups[G]]: Method<Groups[G][N]> }
}

/** The operations of one caller: without those that are for operators. */
export type BoundFace = {
  readonly [G in keyof Groups as [CallerOperation<Groups[G]>] extends [never] ? never : G]: {
    readonly [N in CallerOperation<Groups[G]>]: BoundMethod<Groups[G][N]>
  }
}

/** The services that the operations need beside their caller. */
export type UseCases = {
  [G in keyof Groups]: {
    [N in keyof Groups[G]]: Groups[G][N] extends Operation<infer _A, infer K, infer _T, infer _G, infer _E, infer R>
      ? Exclude<K["Identifier"] | R, CurrentCaller>
      : never
  }[keyof Groups[G]]
}[keyof Groups]

/** Runs an effect of a use case to its end. */
export type Run = <A, E>(effect: Effect.Effect<A, E, UseCases>) => Promise<Exit.Exit<A, E>>

/** A holder of the stack at which the host made a call, which {@link called} fills. */
interface Called {
  readonly stack?: string
}

const framesShown = 4

/** Captures where the host calls `method`, a few frames of it. They are formatted only when somebody reads them. */
const called = (method: Call): Called => {
  const limit = Error.stackTraceLimit
  const site: Called = {}
  recordFrames(framesShown)
  Error.captureStackTrace(site, method)
  recordFrames(limit)
  return site
}

/** Gives a failure the frames of the host's call: those of the fiber that decided tell a host nothing. */
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

/** A method, as a host calls it. */
type Call = (...args: never) => unknown

/**
 * The exit of an effect as a promise that rejects with its typed failures or with {@link AlmonerUnavailable}. `method`
 * is the method that the host called.
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
  // The cast loses which arguments belong to which operation.
  const groups = operations as unknown as Readonly<Record<string, Readonly<Record<string, AnyOperation>>>>
  return Object.fromEntries(
    Object.entries(groups).flatMap(([name, group]) => {
      const offered = Object.entries(group).filter(([, operation]) => isOffered(operation))
      const methods = offered.map(([each, operation]) => [each, method(operation)])
      return methods.length === 0 ? [] : [[name, Object.fromEntries(methods)]]
    })
  )
}

const performers = new WeakMap<AnyOperation, Perform>()

/** The decoders and encoders of an operation: made at its first call, and shared by all faces. */
const performed = (operation: AnyOperation): Perform => {
  const made = performers.get(operation) ?? performerOf(operation)
  performers.set(operation, made)
  return made
}

const perform = (
  run: Run,
  operation: AnyOperation,
  args: ReadonlyArray<unknown>,
  caller: Caller | undefined,
  method: Call
) => {
  // The method's types were derived from its operation's.
  const effect = performed(operation)(args) as Effect.Effect<unknown, unknown, UseCases | CurrentCaller>
  const provided =
    operation.asks === null
      ? (effect as Effect.Effect<unknown, unknown, UseCases>)
      : Effect.flatMap(Effect.fromResult(readCaller(caller)), (sound) =>
          Effect.provideService(effect, CurrentCaller, sound)
        )
  return attempt(run(provided), method)
}

/** Makes the face; `run` runs its use cases. */
export const makeFace = (run: Run): Face =>
  mapGroups(
    () => true,
    (operation) => {
      const ofInstallation = (...args: ReadonlyArray<unknown>) =>
        perform(run, operation, args, undefined, ofInstallation)
      const ofCaller = (caller: Caller, ...args: ReadonlyArray<unknown>) =>
        perform(run, operation, args, caller, ofCaller)
      return operation.asks === null ? ofInstallation : ofCaller
    }
  ) as Face

/** The face of one caller. */
export const makeBoundFace = (run: Run, caller: Caller): BoundFace =>
  mapGroups(
    ({ asks }) => asks?.who === "caller",
    (operation) => {
      const method = (...args: ReadonlyArray<unknown>) => perform(run, operation, args, caller, method)
      return method
    }
  ) as BoundFace
