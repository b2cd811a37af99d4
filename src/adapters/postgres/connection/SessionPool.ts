import { Duration, Effect, Exit, Option, Pool, Schedule, Scope } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { openSession, type Session, type SessionConfig } from "./Session.ts"
import { codeOf } from "./SessionState.ts"

export interface Options {
  /** The pool's purpose, as the log names it. */
  readonly name: string
  readonly config: SessionConfig
  /** Sessions that are kept open. */
  readonly least: number
  /** Sessions at most. */
  readonly size: number
  /** How long a session is waited for, milliseconds. */
  readonly waitMillis: number
  /** Whether one of those that there are is waited for, too, while the server has no further session. */
  readonly waitsWhenFull: boolean
}

/** Sessions that are opened as they are needed, and replaced when they have ended. */
export interface SessionPool {
  /** Runs something with a session that others use as well. */
  readonly share: <A, E, R>(use: (session: Session) => Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>
  /** A session that nobody else gets until the scope closes. What others sent on it before may still be under way. */
  readonly take: Effect.Effect<Session, SqlError, Scope.Scope>
  /** Gives the session to nobody any more. */
  readonly retire: (session: Session) => Effect.Effect<void>
  /** Opens new sessions for what comes next: those that there are may be cut off. */
  readonly renew: () => void
}

/** How long after the server refused another session it is asked for one again, milliseconds. */
const fullPauseMillis = 1_000

/** How often those who wait meanwhile look whether another session has come free. */
const lookAgain = Schedule.spaced(Duration.millis(50))

/** How often who waits for a session asks for it anew, milliseconds. */
const askAgainMillis = 100

const idleTimeout = Duration.seconds(60)

/**
 * Statements that may be on the way on one session. Each waits for those before it, changes for the disk: with more of them
 * several sessions' changes go to the disk together, with fewer the server has more processes to change between.
 */
const concurrency = 12

const tooManyConnections = "53300"

/** Whether the server, the database or the role has no session left for this process. */
export const isFull = (error: unknown): boolean => codeOf(error) === tooManyConnections

/** The facts of an error for a wait that was in vain. */
export const inVain = (message: string) => ({ cause: new Error(message), message, operation: "acquire" })

/** Nothing came free in time. */
export const noneFree = (millis: number): SqlError =>
  new SqlError({ reason: new ConnectionError(inVain(`no connection came free within ${millis} ms`)) })

/** Opens sessions. What the server refused is refused for a while: nobody waits for the server to say it again. */
const makeOpening = (
  { config, name }: Options,
  count: () => number,
  enter: (session: Session) => void
): Effect.Effect<Session, SqlError, Scope.Scope> => {
  let refusal: { readonly error: SqlError; readonly untilMillis: number } | undefined
  let refusals = 0

  /** Told once, until there is room again. The first one may be a matter of a moment. */
  const refused = (error: SqlError): Effect.Effect<void> => {
    if (!isFull(error)) return Effect.void
    refusal = { error, untilMillis: performance.now() + fullPauseMillis }
    refusals += 1
    return refusals === 2
      ? Effect.logWarning(`The database has no further connection for ${name}: it goes on with ${count()}`)
      : Effect.void
  }

  const opened = (session: Session): void => {
    refusal = undefined
    refusals = 0
    enter(session)
  }

  return Effect.suspend(() =>
    refusal !== undefined && performance.now() < refusal.untilMillis
      ? Effect.fail(refusal.error)
      : openSession(config).pipe(
          Effect.tap((session) => Effect.sync(() => opened(session))),
          Effect.tapError(refused)
        )
  )
}

/** Fails when the effect has not called `got` in time. What comes after that call takes its time. */
const unlessGot = <A, E, R>(
  millis: number,
  effect: (got: () => void) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.suspend(() => {
    let isGot = false
    const late = Effect.callback<never, SqlError>((resume) => {
      const timer = setTimeout(() => isGot || resume(Effect.fail(noneFree(millis))), millis)
      return Effect.sync(() => clearTimeout(timer))
    })
    const got = (): void => {
      isGot = true
    }
    return Effect.raceFirst(effect(got), late)
  })

/** Makes a pool, which ends with its scope. */
export const makeSessionPool = Effect.fnUntraced(function* (options: Options) {
  const { least, size, waitMillis, waitsWhenFull } = options
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const open = new Set<Session>()
  const over = new Set<Session>()
  /** Sessions that a transaction or a listener has. */
  const alone = new Set<Session>()

  const enter = (session: Session): void => {
    open.add(session)
    session.onEnd(() => {
      open.delete(session)
      over.add(session)
      runFork(leave(session))
    })
  }

  const pool = yield* Pool.makeWithTTL({
    acquire: makeOpening(options, () => open.size, enter),
    min: least,
    max: size,
    concurrency,
    timeToLive: idleTimeout,
    timeToLiveStrategy: "usage"
  })

  const leave = (session: Session): Effect.Effect<void> =>
    Effect.andThen(
      Pool.invalidate(pool, session),
      Effect.sync(() => over.delete(session))
    )

  /**
   * A session, as soon as there is one. A session that is reserved leaves the library's pool without its noticing that those
   * who were about to share it need another: who asks makes it grow, and only then. So who waits asks again.
   */
  const asked: Effect.Effect<Session, SqlError, Scope.Scope> = Effect.gen(function* () {
    while (true) {
      const session = yield* Effect.timeoutOption(Pool.get(pool), askAgainMillis)
      if (Option.isSome(session)) return session.value
    }
  })

  /** A session that lives, whenever that is. */
  const living: Effect.Effect<Session, SqlError, Scope.Scope> = Effect.gen(function* () {
    for (const session of over) yield* leave(session)
    while (true) {
      const session = yield* asked
      if (!session.isOver()) return session
      yield* leave(session)
    }
  }).pipe(Effect.retry({ while: (error) => waitsWhenFull && isFull(error), schedule: lookAgain }))

  /**
   * A living session that nobody has alone; `claim` runs in the step in which that is seen. The library gives one session to
   * all who wait for one at a moment, of whom a transaction takes it, and the others would wait for its end.
   */
  const shareable = (claim: (session: Session) => void): Effect.Effect<Session, SqlError, Scope.Scope> =>
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      while (true) {
        const lease = yield* Scope.fork(scope)
        const session = yield* Scope.provide(living, lease)
        if (!alone.has(session)) {
          claim(session)
          return session
        }
        yield* Scope.close(lease, Exit.void)
      }
    })

  /** Whether a living session that nobody has alone is there at once, and the wait for one needs no bound. */
  const hasOne = (): boolean => {
    const { availableHead, waiters } = pool.state
    if (waiters.size > 0 || availableHead?.exit._tag !== "Success") return false
    const session = availableHead.exit.value
    return !session.isOver() && !alone.has(session)
  }

  // Between having a session and using it there is no step in which another could take it.
  const share: SessionPool["share"] = (use) =>
    Effect.suspend(() =>
      hasOne()
        ? Pool.use(pool, use)
        : unlessGot(waitMillis, (got) => Effect.scoped(Effect.flatMap(shareable(got), use)))
    )

  const take = unlessGot(waitMillis, () =>
    Effect.gen(function* () {
      let mine: Session | undefined
      yield* Effect.addFinalizer(() => Effect.sync(() => mine !== undefined && alone.delete(mine)))
      const session = yield* shareable((found) => {
        mine = found
        alone.add(found)
      })
      yield* Pool.reserve(pool, session)
      return session
    })
  )

  const renew = (): void => {
    for (const each of open) runFork(Pool.invalidate(pool, each))
  }

  const made: SessionPool = { share, take, retire: (session) => Pool.invalidate(pool, session), renew }
  return made
})
