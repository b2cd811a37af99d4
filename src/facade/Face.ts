import { Cause, Effect, Exit, Result } from "effect"
import { readCaller } from "../app/access/caller/CallerCheck.ts"
import { presentCaller } from "../app/access/caller/PresentCaller.ts"
import type { KeyCache } from "../app/access/key/KeyCache.ts"
import type { AnyOperation, Operation } from "../app/access/operation/Operation.ts"
import { InvalidOption } from "../app/kernel/host/InvalidOption.ts"
import { operations } from "../app/Operations.ts"
import { type Attempt, attemptOf, type Outcome } from "../client/Attempt.ts"
import type { Caller } from "../domain/access/Caller.ts"
import { recordFrames } from "../domain/kernel/Rejection.ts"
import type { ApiKeyStore } from "../ports/access/ApiKeyStore.ts"
import { CurrentCaller } from "../ports/access/CurrentCaller.ts"
import type { IdempotencyStore } from "../ports/access/IdempotencyStore.ts"
import type { OrganisationStore } from "../ports/access/OrganisationStore.ts"
import type { Macs } from "../ports/kernel/Macs.ts"
import type { Tokens } from "../ports/kernel/Tokens.ts"
import type { Transaction } from "../ports/kernel/Transaction.ts"
import { type AlmonerUnavailable, unavailable } from "./AlmonerUnavailable.ts"
import type { Api, CallerApi, Groups } from "./FaceTypes.ts"
import { performKeyed } from "./KeyedCalls.ts"
import { abortable, allOf, type Perform, performerOf } from "./Perform.ts"

/** The services that the operations need beside their caller. */
export type UseCases = {
  [G in keyof Groups]: {
    [N in keyof Groups[G]]: Groups[G][N] extends Operation<infer _A, infer K, infer _T, infer _G, infer _E, infer R>
      ? Exclude<K["Identifier"] | R, CurrentCaller>
      : never
  }[keyof Groups[G]]
}[keyof Groups]

/** The services of calls: the use cases, the stores of keyed calls, and those of callers. */
export type Services =
  | UseCases
  | ApiKeyStore
  | IdempotencyStore
  | KeyCache
  | Macs
  | OrganisationStore
  | Tokens
  | Transaction

/** Runs an effect of a use case to its end. */
export type EffectRunner = <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<Exit.Exit<A, E>>

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
  // The host's own code is wrong: that is no outcome.
  for (const reason of exit.cause.reasons) {
    if (Cause.isDieReason(reason) && reason.defect instanceof InvalidOption) throw toldAt(reason.defect, site)
  }
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  return { ok: false, failure: toldAt(failure === undefined ? unavailable(exit.cause) : failure.error, site) }
}

/** A method, as a host calls it. */
type Call = (...args: never) => unknown

/**
 * The exit of an effect as a promise that rejects with its typed failures or with {@link AlmonerUnavailable}, and where the
 * host's own code is wrong with {@link InvalidOption}, as does its outcome. `method` is the method that the host called.
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

/** A method's operation, with the API's name of it: `donations.create`. */
interface Named {
  readonly name: string
  readonly operation: AnyOperation
}

type Arguments = ReadonlyArray<unknown>

type Untyped = (...args: Arguments) => Promise<unknown>

const performers = new WeakMap<AnyOperation, Perform>()

/** The decoders and encoders of an operation: made at its first call, and shared by all APIs. */
const performed = (operation: AnyOperation): Perform => {
  const made = performers.get(operation) ?? performerOf(operation)
  performers.set(operation, made)
  return made
}

const endsInQuery = ({ input }: AnyOperation): boolean => input.at(-1)?._tag === "Query"

/** How a call is performed. A refusal as a value commits, in a host's transaction, what was written with it. */
type Way = (
  named: Named,
  args: Arguments
) => Effect.Effect<Result.Result<unknown, unknown>, unknown, Services | CurrentCaller>

// The method's types were derived from its operation's.
const plainly: Way = ({ operation }, args) => {
  const effect = Effect.map(Effect.flatten(performed(operation)(args)), Result.succeed)
  const options = endsInQuery(operation) ? args[operation.input.length] : undefined
  return abortable(effect, options) as ReturnType<Way>
}

const underKey =
  (key: unknown): Way =>
  ({ name, operation }, args) =>
    performKeyed(key, name, operation, performed(operation), args) as ReturnType<Way>

const settled = (exit: Exit.Exit<Result.Result<unknown, unknown>, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isFailure(exit)
    ? exit
    : Result.match(exit.value, {
        onFailure: (failure) => Exit.fail(failure),
        onSuccess: (value) => Exit.succeed(value)
      })

const perform = (
  run: EffectRunner,
  effect: Effect.Effect<Result.Result<unknown, unknown>, unknown, Services>,
  method: Call
) => attempt(run(effect).then(settled), method)

/** For a caller of the host's, which may be none. */
const actingAs = (caller: unknown, { name }: Named, effect: ReturnType<Way>) =>
  Effect.fromResult(readCaller(caller)).pipe(
    Effect.flatMap((sound) => presentCaller(sound, name)),
    Effect.flatMap((present) => Effect.provideService(effect, CurrentCaller, present))
  )

const ofInstallation = (run: EffectRunner, named: Named) => {
  const method = (...args: Arguments): Promise<unknown> =>
    // An operation of the installation needs no caller.
    perform(run, plainly(named, args) as Parameters<typeof perform>[1], method)
  return method
}

const ofCaller = (run: EffectRunner, way: Way, named: Named) => {
  const method = (...[caller, ...args]: Arguments): Promise<unknown> =>
    perform(run, actingAs(caller, named, way(named, args)), method)
  return method
}

const bound = (run: EffectRunner, way: Way, caller: Caller, named: Named) => {
  const method = (...args: Arguments): Promise<unknown> =>
    perform(run, actingAs(caller, named, way(named, args)), method)
  return method
}

const allNameOf = ({ method }: { readonly method: string }): string => method.replace("list", "all")

/** The iteration over all that a list lists; its query is the argument at `place`. */
const allBy =
  (list: Untyped, place: number) =>
  (...args: Arguments) =>
    allOf((query) => list(...args.slice(0, place), query, args[place + 1]), args[place])

/** An operation as an API offers it: under its own name, and as the iteration over it where it is a list. */
interface Member extends Named {
  readonly method: string
  readonly isListed: boolean
}

type Offer = ReadonlyArray<readonly [group: string, members: ReadonlyArray<Member>]>

// The cast loses which arguments belong to which operation.
const everyGroup = operations as unknown as Readonly<Record<string, Readonly<Record<string, AnyOperation>>>>

const offerOf = (isOffered: (operation: AnyOperation) => boolean): Offer =>
  Object.entries(everyGroup).flatMap(([group, all]) => {
    const members = Object.entries(all)
      .filter(([, operation]) => isOffered(operation))
      .map(([method, operation]) => ({
        method,
        name: `${group}.${method}`,
        operation,
        isListed: method.startsWith("list") && endsInQuery(operation)
      }))
    return members.length === 0 ? [] : [[group, members] as const]
  })

// A host makes an API for each caller and each key: its members are found out once.
const everything = offerOf(() => true)
const ofCallers = offerOf(({ requires }) => requires?.who === "caller")
const writing = offerOf(({ requires }) => requires?.who === "caller" && requires.scope === "WRITE")

const made = (
  offer: Offer,
  callers: 0 | 1,
  method: (named: Named) => Untyped
): Readonly<Record<string, Readonly<Record<string, unknown>>>> =>
  Object.fromEntries(
    offer.map(([group, members]) => {
      const methods: Record<string, unknown> = {}
      for (const member of members) {
        const one = method(member)
        methods[member.method] = one
        if (member.isListed) methods[allNameOf(member)] = allBy(one, callers + member.operation.input.length - 1)
      }
      return [group, methods]
    })
  )

/** Makes the API; `run` runs its use cases. */
export const makeApi = <Events>(run: EffectRunner): Api<Events> =>
  ({
    ...made(everything, 1, (named) =>
      named.operation.requires === null ? ofInstallation(run, named) : ofCaller(run, plainly, named)
    ),
    keyed: (key: string) => made(writing, 1, (named) => ofCaller(run, underKey(key), named))
  }) as unknown as Api<Events>

/** The API of one caller. */
export const makeCallerApi = <Events>(run: EffectRunner, caller: Caller): CallerApi<Events> =>
  ({
    ...made(ofCallers, 0, (named) => bound(run, plainly, caller, named)),
    keyed: (key: string) => made(writing, 0, (named) => bound(run, underKey(key), caller, named))
  }) as unknown as CallerApi<Events>
