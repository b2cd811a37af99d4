import { PgClient } from "@effect/sql-pg"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Cause, Context, Effect, type Layer, Predicate, Queue, Stream } from "effect"
import { SqlClient, SqlError, Statement } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { TransactionState } from "../connection/SessionState.ts"
import { isAnswer, reasonOf } from "./HostErrors.ts"
import { parameterOf, types } from "./HostTypes.ts"

/** A client whose statements of the host wait. */
interface Gate {
  /** The client for those whom the others wait for. */
  readonly direct: HostClient
  /** Sends what has waited, in its order, and lets the host through again. */
  readonly open: () => void
}

const callbackOf = (args: ReadonlyArray<unknown>): unknown => {
  const [asked] = args
  const last = args.at(-1)
  if (Predicate.isFunction(last)) return last
  return Predicate.hasProperty(asked, "callback") && Predicate.isFunction(asked.callback) ? asked.callback : undefined
}

/** A cursor or a stream of the driver, which is given back before it is sent. */
const isSubmittable = (asked: unknown): boolean =>
  Predicate.hasProperty(asked, "submit") && Predicate.isFunction(asked.submit)

/** What stood in the place of a gate that is open, and is still in the place of another's. */
const passed = new WeakMap<object, PropertyDescriptor | undefined>()

/** The `query` of a client before all gates that are open by now; undefined where it is the driver's own. */
const beneath = (found: PropertyDescriptor | undefined): PropertyDescriptor | undefined =>
  Predicate.isFunction(found?.value) && passed.has(found.value) ? beneath(passed.get(found.value)) : found

/**
 * Makes the statements that a host runs on its client wait until the gate is opened. One that the host does not await
 * would else be sent between a savepoint of ours and its end, and be undone with it, though the host was told that it
 * was done. Throws a `TypeError` for a client that cannot be held back. docs/decisions/0049.
 */
export const closeGate = (client: HostClient): Gate => {
  const before = Object.getOwnPropertyDescriptor(client, "query")
  const { query } = client
  const waiting: Array<() => void> = []
  let isOpen = false

  const gated = (...args: ReadonlyArray<unknown>): unknown => {
    const send = (): unknown => Reflect.apply(query, client, args)
    if (isOpen) return send()
    const [asked] = args
    const callback = callbackOf(args)
    if (isSubmittable(asked) || callback !== undefined) {
      waiting.push(() => void send())
      return isSubmittable(asked) ? asked : undefined
    }
    return new Promise((resolve) => {
      // An error that it throws rejects the promise.
      waiting.push(() => resolve((async () => send())()))
    })
  }

  Object.defineProperty(client, "query", { configurable: true, enumerable: false, writable: true, value: gated })
  return {
    direct: { query: (asked) => Reflect.apply(query, client, [asked]) },
    open: () => {
      isOpen = true
      passed.set(gated, before)
      // Whatever somebody else has put in its place since calls this one, which lets through. So does the gate of a call that
      // was begun later, and waits for this one.
      if (Object.getOwnPropertyDescriptor(client, "query")?.value === gated) {
        const own = beneath(before)
        if (own === undefined) Reflect.deleteProperty(client, "query")
        else Object.defineProperty(client, "query", own)
      }
      for (const send of waiting.splice(0)) send()
    }
  }
}

/** A query as the driver `pg` takes it. */
export interface HostQuery {
  readonly text: string
  readonly values: Array<unknown>
  readonly types: { readonly getTypeParser: (oid: number) => (text: string) => unknown }
  readonly rowMode?: "array"
}

/** A session of a host, in the form of the driver `pg`: its `Client`, or the client that its `Pool` lends. */
export interface HostClient {
  query(query: HostQuery): Promise<{ readonly rows: ReadonlyArray<object>; readonly command: string }>
  end?(): Promise<unknown>
}

type Transform = Parameters<Connection["execute"]>[2]

/** A session of the host as a connection of Effect's SQL client. */
export class HostConnection implements Connection {
  private readonly client: HostClient
  private readonly cancel: Effect.Effect<void>
  private readonly transaction = new TransactionState()
  private isAwaited = false

  /**
   * `cancel` ends the statement that the session is busy with, again and again until it is over; it runs when the fiber
   * that waits for the statement is interrupted.
   */
  constructor(client: HostClient, cancel: Effect.Effect<void> = Effect.void) {
    this.client = client
    this.cancel = cancel
  }

  /** Whether the driver gave up what was asked last (`query_timeout`), which the server may still do. */
  get isUnanswered(): boolean {
    return this.isAwaited
  }

  /** Whether a transaction was begun whose end the server has not confirmed. */
  get isInTransaction(): boolean {
    return this.transaction.isOpen
  }

  private async ask(text: string, values: Array<unknown>, rowMode?: "array") {
    this.transaction.sent(text)
    try {
      const answer = await this.client.query({ text, values, types, ...(rowMode === undefined ? {} : { rowMode }) })
      this.isAwaited = false
      this.transaction.confirmed(text)
      return answer
    } catch (cause) {
      this.isAwaited = !isAnswer(cause)
      throw cause
    }
  }

  private run(text: string, params: ReadonlyArray<unknown>, rowMode?: "array") {
    return Effect.suspend(() => {
      let over: Promise<unknown> = Promise.resolve()
      const asked = () => {
        const asking = this.ask(text, params.map(parameterOf), rowMode)
        over = asking.catch(() => undefined)
        return asking
      }
      return Effect.tryPromise({
        try: asked,
        catch: (cause) => new SqlError.SqlError({ reason: reasonOf(cause) })
      }).pipe(
        Effect.onInterrupt(() =>
          Effect.raceFirst(
            this.cancel,
            Effect.promise(() => over)
          )
        )
      )
    })
  }

  execute(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return Effect.map(this.run(text, params), ({ rows }) => transformRows?.(rows) ?? rows)
  }
  executeRaw(text: string, params: ReadonlyArray<unknown>) {
    return this.run(text, params)
  }
  executeStream(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return Stream.fromIterableEffect(this.execute(text, params, transformRows))
  }
  executeValues(text: string, params: ReadonlyArray<unknown>) {
    return Effect.map(this.run(text, params, "array"), ({ rows }) => rows.filter(Array.isArray))
  }
  executeValuesUnprepared(text: string, params: ReadonlyArray<unknown>) {
    return this.executeValues(text, params)
  }
  executeUnprepared(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return this.execute(text, params, transformRows)
  }
}

/** The session whose transaction the host has open; undefined where transactions are Almoner's own. */
export const HostSession = Context.Reference<Connection | undefined>("almoner/adapters/postgres/HostSession", {
  defaultValue: () => undefined
})

/** A client whose end of a call nobody knows: what the server still does must not be committed with the host's part. */
const abandon = (client: HostClient): void => {
  // Whatever is asked of it from now on is refused by the driver.
  client.end?.().catch(() => undefined)
}

/**
 * Runs the transactions of an effect inside the one that the host has open on its client. Whatever the host itself asks
 * of the client meanwhile waits for their end. Those that share a client MUST come one after the other. A client that
 * did not answer what undoes them is ended.
 */
export const within =
  (client: HostClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const { direct, open } = closeGate(client)
        return { connection: new HostConnection(direct), open }
      }),
      ({ connection }) => Effect.provideService(effect, HostSession, connection),
      ({ connection, open }) =>
        Effect.sync(() => {
          if (connection.isUnanswered) abandon(client)
          open()
        })
    )

/** Whether a value has the `query` method of a client. */
export const isHostClient = (value: unknown): value is HostClient =>
  Predicate.hasProperty(value, "query") && typeof value.query === "function"

/** A session that a pool lent. */
export interface HostPoolClient extends HostClient {
  /** The process id of the session at the server, by which another session may cancel its statement. */
  readonly processID?: number | null
  release(error?: Error | boolean): void
  on(event: "notification", listener: (message: HostNotification) => void): unknown
  on(event: "error", listener: (error: Error) => void): unknown
  removeListener(event: "notification", listener: (message: HostNotification) => void): unknown
  removeListener(event: "error", listener: (error: Error) => void): unknown
}

/** A notification of a channel. */
export interface HostNotification {
  readonly processId: number
  readonly channel: string
  readonly payload?: string | undefined
}

/** A pool of the host's sessions, in the form of the driver `pg`. */
export interface HostPool {
  /** As the driver tells them; of a pool that does not, more than one session is expected. */
  readonly options?: { readonly max?: number | undefined }
  connect(): Promise<HostPoolClient>
}

/** Whether there is one session, which must serve everything: none can listen, or cancel what the other one does. */
const isSingle = ({ options }: HostPool): boolean => options?.max === 1

const failed = (cause: unknown) => new SqlError.SqlError({ reason: reasonOf(cause) })

/** Cancels the statement of a session, over another one that the pool lends. Where that comes too late, nothing is cancelled. */
const cancelStatement = async (pool: HostPool, processID: number, signal: AbortSignal): Promise<void> => {
  const other = await pool.connect()
  try {
    if (!signal.aborted) await other.query({ text: "SELECT pg_cancel_backend($1)", values: [processID], types })
  } finally {
    other.release()
  }
}

/** The most times that a statement is cancelled while it goes on. */
const cancellations = 50

/** Cancels a statement again and again: a cancellation that comes before the statement cancels nothing. */
const cancelOver = Effect.fnUntraced(function* (pool: HostPool, processID: number) {
  for (let n = 0; n < cancellations; n++) {
    yield* Effect.ignoreCause(Effect.promise((signal) => cancelStatement(pool, processID, signal)))
    yield* Effect.sleep("100 millis")
  }
})

/** The reason why nobody else may have a session; undefined where others may. */
const spoiltBy = ({ isInTransaction, isUnanswered }: HostConnection): Error | undefined =>
  isInTransaction || isUnanswered ? new Error("this session is in a transaction, or did not answer") : undefined

/** A session for as long as the scope is open. One whose connection broke, or that is still busy, is not lent again. */
const lend = (pool: HostPool) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const client = await pool.connect()
        let broken: Error | undefined
        const onError = (error: Error): void => {
          broken = error
        }
        client.on("error", onError)
        const cancel = Effect.suspend(() => {
          // The cancellation may come late and hit the session's next statement, so that the session is not lent
          // again.
          broken = new Error("a statement of this session was cancelled")
          const { processID } = client
          return typeof processID === "number" && !isSingle(pool) ? cancelOver(pool, processID) : Effect.void
        })
        const connection = new HostConnection(client, cancel)
        return {
          connection,
          client,
          /** Makes the pool end the session when it is given back. */
          discard: () => {
            broken ??= new Error("this session was for listening")
          },
          release: () => {
            client.removeListener("error", onError)
            client.release(broken ?? spoiltBy(connection))
          }
        }
      },
      catch: failed
    }),
    ({ release }) => Effect.sync(release)
  )

const cannotListen = failed(new Error("a pool of one session has none to listen on"))

const listenOn = Effect.fnUntraced(function* (pool: HostPool, channel: string) {
  if (isSingle(pool)) return yield* cannotListen
  const queue = yield* Queue.unbounded<
    { readonly channel: string; readonly payload: string; readonly processId: number },
    SqlError.SqlError
  >()
  const { client, connection, discard } = yield* lend(pool)
  const onNotification = (message: HostNotification): void => {
    if (message.channel === channel) Queue.offerUnsafe(queue, { ...message, payload: message.payload ?? "" })
  }
  const onError = (error: Error): void => {
    Queue.failCauseUnsafe(queue, Cause.fail(failed(error)))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      client.on("notification", onNotification)
      client.on("error", onError)
    }),
    () =>
      Effect.sync(() => {
        client.removeListener("notification", onNotification)
        client.removeListener("error", onError)
        // Whoever stops because the connection is silent would not be heard on it, either.
        discard()
      })
  )
  yield* connection.execute(`LISTEN "${channel}"`, [], undefined)
  return queue
})

const make = Effect.fnUntraced(function* (pool: HostPool) {
  const acquirer = Effect.map(lend(pool), ({ connection }) => connection)
  const client = yield* SqlClient.make({
    acquirer,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]],
    commit: (connection) =>
      Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
        Predicate.hasProperty(result, "command") && result.command === "ROLLBACK"
          ? Effect.fail(failed(new Error("the transaction had failed, and COMMIT rolled it back")))
          : Effect.void
      ),
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  const whole: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: {},
    json: (value: unknown) => Statement.fragment([Statement.parameter(PgTypes.jsonb(value))]),
    listen: (channel: string) => listenOn(pool, channel),
    notify: (channel: string, payload: string) =>
      Effect.scoped(
        Effect.flatMap(acquirer, (connection) =>
          Effect.asVoid(connection.execute("SELECT pg_notify($1, $2)", [channel, payload], undefined))
        )
      )
  })
  return whole
})

/** A client on the sessions of a host's pool. Closing the layer leaves the pool to the host. */
export const layer = (pool: HostPool): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  PgClient.layerFrom(make(pool))
