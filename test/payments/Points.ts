import { Context, Effect, Layer, Option } from "effect"
import { type PaymentProcessor, PaymentProcessors, Transaction } from "../../src/ports.ts"
import { changePort } from "../support/ChangePort.ts"

// Where a process can be stopped: before each call of a store or a processor, before each commit, and at the end of what was
// asked. The ports are wrapped from outside, so that the program knows nothing of it. docs/decisions/0062.

/** What is done at a point: nothing, or whoever is there is stopped. */
export type AtPoint = (name: string) => Effect.Effect<unknown>

/** The points that are passed, and what is done at them. */
export interface Points {
  /** What is done at each point from now on. */
  at: AtPoint
  /** What is done before each call of a processor: its name, and whose charge it is about. */
  onCall: (call: string, charge_id: string) => void
  /** Points are passed only while something runs by this; they have its name. */
  readonly run: <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly pass: (step: string) => Effect.Effect<unknown>
  /** Something has happened that nobody can take back: a commit, or an answer of a processor. */
  readonly happened: (what: string) => void
}

/** How many of the last things that nobody can take back are in a point's name. */
const remembered = 2

/** Points at which nothing is done yet. */
export const makePoints = (): Points => {
  let operation: string | null = null
  let since: ReadonlyArray<string> = []
  const points: Points = {
    at: () => Effect.void,
    onCall: () => undefined,
    run: (name, effect) =>
      Effect.suspend(() => {
        operation = name
        since = []
        return Effect.tap(effect, () => points.pass("end"))
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            operation = null
          })
        )
      ),
    pass: (step) =>
      Effect.suspend(() =>
        operation === null ? Effect.void : points.at(`${operation} | ${since.join(", ") || "nothing"} | ${step}`)
      ),
    happened: (what) => {
      since = [...since, what].slice(-remembered)
    }
  }
  return points
}

type Called = (...given: ReadonlyArray<unknown>) => unknown

/** A port whose every call goes by `around`, whatever calls it has. */
const watched = <S extends object>(
  service: S,
  around: (call: string, effect: Effect.Effect<unknown, unknown, unknown>, given: ReadonlyArray<unknown>) => unknown
): S =>
  new Proxy(service, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      if (Effect.isEffect(value)) return around(String(key), value, [])
      if (typeof value !== "function") return value
      return (...given: ReadonlyArray<unknown>) => {
        const answer = (value as Called).apply(target, [...given])
        return Effect.isEffect(answer) ? around(String(key), answer, given) : answer
      }
    }
  })

/** Whether this runs in a transaction: only the outermost one commits. */
const Within = Context.Reference<boolean>("almoner/test/WithinTransaction", { defaultValue: () => false })

const watchedTransaction = (points: Points, { afterCommit, run }: Transaction["Service"]): Transaction["Service"] => ({
  afterCommit,
  run: (effect) =>
    Effect.gen(function* () {
      if (yield* Within) return yield* run(effect)
      yield* points.pass("Transaction.run")
      const body = Effect.tap(effect, () => points.pass("Transaction.commit"))
      const answer = yield* run(Effect.provideService(body, Within, true))
      points.happened("commit")
      return answer
    })
})

const portPrefix = "almoner/ports/"

/** Every port that a layer gives, with a point before each of its calls. A port that comes later has them by itself. */
export const watchedPorts = <P, E, R>(points: Points, ports: Layer.Layer<P, E, R>): Layer.Layer<P, E, R> => {
  const watchedOf = (key: string, service: unknown): unknown => {
    if (!key.startsWith(portPrefix) || typeof service !== "object" || service === null) return service
    if (key === Transaction.key) return watchedTransaction(points, service as Transaction["Service"])
    const port = key.slice(portPrefix.length)
    return watched(service, (call, effect) => Effect.andThen(points.pass(`${port}.${call}`), effect))
  }
  return Layer.flatMap(ports, (context) => {
    const services = [...context.mapUnsafe].map(([key, service]) => [key, watchedOf(key, service)] as const)
    return Layer.succeedContext(Context.makeUnsafe<P>(new Map(services)))
  })
}

const chargeIdOf = ([asked]: ReadonlyArray<unknown>): string => `${Object(Object(asked).charge).id}`

const watchedProcessor = (points: Points, processor: PaymentProcessor): PaymentProcessor => {
  const around = (call: string, effect: Effect.Effect<unknown, unknown, unknown>, given: ReadonlyArray<unknown>) =>
    Effect.gen(function* () {
      yield* points.pass(`PaymentProcessor.${call}`)
      points.onCall(call, chargeIdOf(given))
      return yield* Effect.onExit(effect, () => Effect.sync(() => points.happened(call)))
    })
  const { transfers } = processor
  const beside = transfers === undefined ? {} : { transfers: watched(transfers, around) }
  return watched({ ...processor, ...beside }, around)
}

/** The processors that a layer gives, with a point before each call. What they do inside is theirs. */
export const watchedProcessors = <E, R>(
  points: Points,
  processors: Layer.Layer<PaymentProcessors, E, R>
): Layer.Layer<PaymentProcessors, E, R> =>
  changePort(PaymentProcessors, (inner) => ({
    find: (name) => Option.map(inner.find(name), (processor) => watchedProcessor(points, processor))
  })).pipe(Layer.provide(processors))
