import { Duplex } from "node:stream"
import { PgClient } from "@effect/sql-pg"
import type { PGlite } from "@electric-sql/pglite"
import { Cause, Duration, Effect, type Layer, type Scope } from "effect"
import type { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { type Engine, type Incident, makeEngine, type Session } from "./EmbeddedEngine.ts"

const cancelRequest = 80877102

const isTerminate = (bytes: Buffer): boolean => bytes.length === 5 && bytes[0] === 0x58

/** Whether the message is a request to cancel. It is ignored: a statement is over before such a request can be read. */
const isCancelRequest = (bytes: Buffer): boolean => bytes.length === 16 && bytes.readUInt32BE(4) === cancelRequest

/** How long statements may follow one another while nothing else of the process is served, milliseconds. */
const turnMillis = 5

/**
 * Waits for a turn of the event loop where none has passed for a while. A statement inside the process is answered at once:
 * without a turn, work that sends one after the other would let no request in, and no answer out.
 */
const makeTurns = () => {
  let last = performance.now()
  return async (): Promise<void> => {
    if (performance.now() - last < turnMillis) return
    await new Promise<void>((resolve) => setImmediate(resolve))
    last = performance.now()
  }
}

/**
 * One connection to the database inside the process, in place of a socket. It expects whole protocol messages in each
 * write, as the client sends them. Messages that were written together run together.
 */
export class EmbeddedStream extends Duplex {
  readonly #engine: Engine
  readonly #turn = makeTurns()
  #session: Session | undefined

  constructor(engine: Engine) {
    super()
    this.#engine = engine
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#run([bytes]).then(() => callback(), callback)
  }

  override _writev(writes: ReadonlyArray<{ readonly chunk: Buffer }>, callback: (error?: Error | null) => void): void {
    this.#run(writes.map(({ chunk }) => chunk)).then(() => callback(), callback)
  }

  async #run(writes: ReadonlyArray<Buffer>): Promise<void> {
    const messages = writes.filter((bytes) => !isTerminate(bytes))
    const first = messages[0]
    if (first === undefined) return
    if (this.#session === undefined) {
      if (isCancelRequest(first)) {
        this.push(null)
        return
      }
      this.#session = await this.#engine.connect()
    }
    await this.#turn()
    this.push(await this.#session.execute(messages.length === 1 ? first : Buffer.concat(messages)))
    // With the answer, the client learns that its next statement needs another connection.
    if (this.#session.hasEnded()) this.push(null)
  }
}

/** Connecting may include the recovery after a crash. */
const connectTimeout = Duration.minutes(2)

const log = (incident: Incident): Effect.Effect<void> => {
  switch (incident._tag) {
    case "Damaged":
      return Effect.logError(
        `The embedded database is damaged (${incident.reason}); it is closed and opened again, with recovery from its log`
      )
    case "Reopened":
      return Effect.logInfo(`The embedded database was opened again in ${incident.millis} ms`)
    case "NotReopened":
      return Effect.logError(
        `The embedded database could not be opened again; it is tried again after ${incident.retryMillis} ms`,
        loggedCause(Cause.die(incident.cause))
      )
  }
}

/** A client of the database that `open` opens, and opens again after it broke down. */
export const client = (
  open: () => Promise<PGlite>
): Effect.Effect<PgClient.PgClient, unknown, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context())
    const report = (incident: Incident): void => void run(log(incident))
    const engine = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => makeEngine(open, report), catch: (cause) => cause }),
      (engine) => Effect.promise(() => engine.close())
    )
    return yield* PgClient.make({
      stream: () => new EmbeddedStream(engine),
      username: "postgres",
      database: "postgres",
      minConnections: 1,
      maxConnections: 1,
      multiplex: true,
      preparedStatementCacheSize: 500,
      connectTimeout
    })
  })

/** A database that is gone with the layer; that it cannot be opened is a defect. */
export const layerOf = (open: () => Promise<PGlite>): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  PgClient.layerFrom(client(open).pipe(Effect.orDie))
