import { PgClient } from "@effect/sql-pg"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Cause, Effect, type Layer, Predicate, Queue } from "effect"
import { SqlClient, SqlError, Statement } from "effect/sql"
import { type HostClient, HostConnection } from "./HostConnection.ts"
import { reasonOf } from "./HostErrors.ts"
import { types } from "./HostTypes.ts"

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

const cancelStatement = async (pool: HostPool, processID: number): Promise<void> => {
  const other = await pool.connect()
  try {
    await other.query({ text: "SELECT pg_cancel_backend($1)", values: [processID], types })
  } finally {
    other.release()
  }
}

/** The most times that a statement is cancelled while it goes on. */
const cancellations = 50

/** Cancels a statement until it is over: a cancellation that comes before the statement cancels nothing. */
const cancelUntil = Effect.fnUntraced(function* (pool: HostPool, processID: number, isOver: () => boolean) {
  for (let n = 0; n < cancellations && !isOver(); n++) {
    yield* Effect.ignoreCause(Effect.promise(() => cancelStatement(pool, processID)))
    if (!isOver()) yield* Effect.sleep("100 millis")
  }
})

/** A session for as long as the scope is open. One whose connection broke is not lent again. */
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
        const cancel = (isOver: () => boolean) =>
          Effect.suspend(() => {
            // The cancellation may come late and hit the session's next statement, so that the session is not lent
            // again.
            broken = new Error("a statement of this session was cancelled")
            const { processID } = client
            return typeof processID === "number" && !isSingle(pool) ? cancelUntil(pool, processID, isOver) : Effect.void
          })
        return {
          connection: new HostConnection(client, cancel),
          client,
          /** Makes the pool end the session when it is given back. */
          discard: () => {
            broken ??= new Error("this session was for listening")
          },
          release: () => {
            client.removeListener("error", onError)
            client.release(broken)
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
