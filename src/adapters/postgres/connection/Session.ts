import { connect, type Socket } from "node:net"
import type { ConnectionOptions } from "node:tls"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Cause, Context, Duration, Effect, Exit, Option, Scope } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { textAt } from "../../../domain/kernel/Text.ts"
import { troubleOf } from "../../../ports/kernel/DatabaseTrouble.ts"
import type { ServerAddress, ServerPlace } from "./ServerAddress.ts"

export interface SessionConfig extends PgConnection.Config {
  readonly address: ServerAddress
}

export interface Session {
  readonly connection: PgConnection.PgConnection
  /** Ends the connection at once: whatever waits for an answer on it fails with the reason. */
  readonly cut: (reason: Error) => void
  readonly isOver: () => boolean
  /** Runs something when the connection has ended, however it did. */
  readonly onEnd: (run: () => void) => void
}

/** How long a connection is silent before TCP asks the other side whether it is still there, milliseconds. */
const keepAliveMillis = 30_000

/** How long the server has to hear that a session ends, milliseconds. */
const goodbyeMillis = 1_000

/** Whoever blocks the process for longer than a deadline must not make answers late that have long arrived. Milliseconds. */
const graceMillis = 250

const dial = ({ host, port, socket: path }: ServerPlace): Socket => {
  const socket =
    path === undefined
      ? connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMillis })
      : connect({ path })
  // Under TLS the driver listens on the socket around this one.
  return socket.on("error", () => {})
}

/** One way to reach the server: a place, in clear or under TLS. */
interface Way {
  readonly place: ServerPlace
  readonly ssl: false | ConnectionOptions
}

/** As libpq has it: what does not leave the machine is not encrypted, whatever `sslmode` asks for. */
const waysOf = ({ encryption, places }: ServerAddress): ReadonlyArray<Way> =>
  places.flatMap((place) => {
    const each = place.socket === undefined ? encryption : [false as const]
    return each.map((ssl) => ({ place, ssl }))
  })

/** The server, or the place, takes no TLS, or does not let this user in without it. */
const isOfEncryption = (error: SqlError): boolean => {
  const code = troubleOf(error)?.code ?? ""
  return ["no_tls", "EPROTO", "28000", "ECONNRESET", "closed"].includes(code)
}

const standsAside = new SqlError({
  reason: new ConnectionError({ cause: Object.assign(new Error("it takes no writes"), { code: "25006" }) })
})

const openBy = ({ place, ssl }: Way, { address, ...config }: SessionConfig) =>
  Effect.gen(function* () {
    let first: Socket | undefined
    const dialled = (): Socket => {
      // The driver dials again to cancel a statement.
      const socket = dial(place)
      first ??= socket
      return socket
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        setTimeout(() => first?.destroy(), goodbyeMillis).unref()
      })
    )
    const connection = yield* PgConnection.make({ ...config, host: place.host, ssl, stream: dialled })
    if (address.mustWrite) {
      const { rows } = yield* connection.query(
        "SELECT current_setting('transaction_read_only') AS read_only",
        [],
        false
      )
      if (textAt(rows[0], "read_only") !== "off") return yield* standsAside
    }
    const session: Session = {
      connection,
      cut: (reason) => void first?.destroy(reason),
      isOver: () => first?.destroyed !== false,
      onEnd: (run) => void first?.once("close", run)
    }
    return session
  })

/**
 * Opens a session, by the first of the ways that the server takes. The scope's end tells the server; a server that does not
 * hear it is left a second later.
 */
export const openSession = (config: SessionConfig): Effect.Effect<Session, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    let refusal: SqlError | undefined
    let left: ServerPlace | undefined
    for (const way of waysOf(config.address)) {
      if (way.place === left) continue
      const own = yield* Scope.fork(scope)
      const opened = yield* Effect.exit(Scope.provide(openBy(way, config), own))
      if (Exit.isSuccess(opened)) return opened.value
      yield* Scope.close(own, opened)
      const failure = Cause.findErrorOption(opened.cause)
      if (Option.isNone(failure)) return yield* Effect.failCause(opened.cause)
      refusal = failure.value
      if (!isOfEncryption(refusal)) left = way.place
    }
    return yield* Effect.fail(refusal ?? standsAside)
  })

/** The server did not answer a statement in time. */
export class NoAnswer extends Error {
  constructor(millis: number) {
    super(`the server did not answer within ${millis} ms, and the connection was ended`)
    this.name = "NoAnswer"
  }
}

/** How long a statement may take that may take longer than the others of its pool; undefined for all of those. */
export const StatementDeadline = Context.Reference<Duration.Duration | undefined>(
  "almoner/adapters/postgres/StatementDeadline",
  { defaultValue: () => undefined }
)

/**
 * Ends the session when a statement on it is not answered in time: whatever the network does, nobody waits for longer. The
 * server has a shorter bound of its own, so that this one tells that it, or the way to it, is gone.
 */
export const withDeadline = <A, E, R>(
  session: Session,
  millis: number,
  onSilence: () => void,
  statement: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(StatementDeadline, (own) => {
    const within = own === undefined ? millis : Duration.toMillis(own)
    const late = (): void => {
      timer = setTimeout(() => {
        session.cut(new NoAnswer(within))
        onSilence()
      }, graceMillis)
    }
    let timer = setTimeout(late, within)
    return Effect.onExit(statement, () => Effect.sync(() => clearTimeout(timer)))
  })
