import { Context, Deferred, Effect, Exit, Layer, Result, Semaphore } from "effect"
import { empty, type State } from "./State.ts"

/** A lock that is passed on in the order of asking. */
interface Turns {
  /** Waits for the lock, and runs `taken` as soon as it is held. An interrupted wait does not take it. */
  readonly take: (taken: () => void) => Effect.Effect<void>
  readonly pass: () => void
}

/** A lock that nobody holds. */
const makeTurns = (): Turns => {
  const waiting = new Set<Deferred.Deferred<void>>()
  let isTaken = false

  const pass = (): void => {
    const [next] = waiting
    if (next === undefined) {
      isTaken = false
      return
    }
    waiting.delete(next)
    Deferred.doneUnsafe(next, Exit.void)
  }

  const take = (taken: () => void): Effect.Effect<void> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        if (!isTaken) {
          isTaken = true
          return Effect.sync(taken)
        }
        const turn = Deferred.makeUnsafe<void>()
        waiting.add(turn)
        return restore(Deferred.await(turn)).pipe(
          // Interrupted after the lock was passed on: the next one gets it.
          Effect.onInterrupt(() => Effect.sync(() => (waiting.delete(turn) ? undefined : pass()))),
          Effect.map(taken)
        )
      })
    )

  return { take, pass }
}

/** The result of a change: the answer with the next state, or a refusal that changes nothing. */
export type Change<A, E> = Result.Result<readonly [answer: A, next: State], E>

interface Unit {
  /** The state as the transaction sees it; null until its first read or write, when it takes the lock. */
  state: State | null
  ended: boolean
  readonly begin: Effect.Effect<void>
  readonly afterCommit: Array<Effect.Effect<void>>
  readonly keys: Set<string>
}

const make = Effect.sync(() => {
  const turns = makeTurns()
  const held = new Map<string, Unit>()
  const Open = Context.Reference<Unit | null>("almoner/adapters/memory/Open", { defaultValue: () => null })
  const units = new WeakSet<Unit>()
  let committed = empty

  /** The open transaction of the fiber; null where it is in none, in one of another memory, or in an ended one. */
  const current = Effect.map(Open, (unit) => (unit !== null && units.has(unit) && !unit.ended ? unit : null))

  const open = (): Unit => {
    const gate = Semaphore.makeUnsafe(1)
    const taken = (): void => {
      if (unit.ended) turns.pass()
      else unit.state = committed
    }
    const unit: Unit = {
      state: null,
      ended: false,
      // Fibers of one transaction share its lock: the gate lets only one of them ask for it.
      begin: gate.withPermit(Effect.suspend(() => (unit.state === null ? turns.take(taken) : Effect.void))),
      afterCommit: [],
      keys: new Set()
    }
    units.add(unit)
    return unit
  }

  const end = (unit: Unit, succeeded: boolean): void => {
    unit.ended = true
    for (const key of unit.keys) held.delete(key)
    if (unit.state === null) return
    if (succeeded) committed = unit.state
    turns.pass()
  }

  const outermost = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) => {
      const unit = open()
      return restore(Effect.provideService(effect, Open, unit)).pipe(
        Effect.onExit((exit) => Effect.sync(() => end(unit, Exit.isSuccess(exit)))),
        Effect.tap(() => Effect.forEach(unit.afterCommit, (each) => each, { discard: true }))
      )
    })

  const savepoint = <A, E, R>(unit: Unit, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const { state } = unit
      const callbacks = unit.afterCommit.length
      return Effect.onExit(effect, (exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit)) return
          if (unit.state !== null) unit.state = state ?? committed
          unit.afterCommit.splice(callbacks)
        })
      )
    })

  const run = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(current, (unit) => (unit === null ? outermost(effect) : savepoint(unit, effect)))

  const afterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.flatMap(current, (unit) => {
        if (unit === null) return effect
        const logged = Effect.ignoreCause(effect, { log: "Error", message: "An effect after a commit died" })
        unit.afterCommit.push(Effect.provideContext(logged, context))
        return Effect.void
      })
    )

  /** The transaction that the fiber is in, once it has the lock; null where it is in none. */
  const begun: Effect.Effect<Unit | null> = Effect.flatMap(current, (unit) =>
    unit === null || unit.state !== null ? Effect.succeed(unit) : Effect.andThen(unit.begin, begun)
  )

  const read = <A>(f: (state: State) => A): Effect.Effect<A> => Effect.map(begun, (unit) => f(unit?.state ?? committed))

  const decide = <A, E>(f: (state: State) => Change<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(begun, (unit) => {
      if (unit === null) return outermost(decide(f))
      return Effect.fromResult(
        Result.map(f(unit.state ?? committed), ([answer, next]) => {
          unit.state = next
          return answer
        })
      )
    })

  const change = (f: (state: State) => State): Effect.Effect<void> =>
    decide((state) => Result.succeed([undefined, f(state)]))

  const changeTable = <K extends keyof State>(name: K, f: (table: State[K]) => State[K]): Effect.Effect<void> =>
    change((state) => ({ ...state, [name]: f(state[name]) }))

  const hold = (key: string): Effect.Effect<boolean> =>
    Effect.map(current, (unit) => {
      const holder = held.get(key)
      if (holder !== undefined) return holder === unit
      if (unit !== null) {
        held.set(key, unit)
        unit.keys.add(key)
      }
      return true
    })

  return { run, afterCommit, read, decide, change, changeTable, hold } as const
})

/**
 * The one state that all memory stores share, and the units of work over it.
 *
 * Transactions run one after the other: a transaction takes the lock when it first reads or writes, and holds it to its
 * end. Until then it may {@link Memory.hold} keys, so that a key in flight is refused without waiting for the lock.
 */
export class Memory extends Context.Service<Memory>()("almoner/adapters/memory/Memory", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}

export const storeOf = <I, S>(port: Context.Key<I, S>, make: (memory: Memory["Service"]) => NoInfer<S>) =>
  Layer.effect(port, Effect.map(Memory, make))

/** The same of what needs more than the memory. */
export const storeFrom = <I, S, Y extends Effect.Effect<unknown, never, unknown>>(
  port: Context.Key<I, S>,
  make: (memory: Memory["Service"]) => Generator<Y, NoInfer<S>, never>
) =>
  Layer.effect(
    port,
    Effect.flatMap(Memory, (memory) => Effect.gen(() => make(memory)))
  )
