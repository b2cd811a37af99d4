import { Context, Effect, Predicate, Stream } from "effect"
import { SqlError } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { reasonOf } from "./HostErrors.ts"
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
      // Whatever somebody else has put in its place since calls this one, which lets through.
      if (Object.getOwnPropertyDescriptor(client, "query")?.value === gated) {
        if (before === undefined) Reflect.deleteProperty(client, "query")
        else Object.defineProperty(client, "query", before)
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
}

type Transform = Parameters<Connection["execute"]>[2]

/** A session of the host as a connection of Effect's SQL client. */
export class HostConnection implements Connection {
  private readonly client: HostClient
  private readonly cancel: (isOver: () => boolean) => Effect.Effect<void>

  /**
   * `cancel` ends the statement that the session is busy with, and repeats that until it is over; it runs when the
   * fiber that waits for the statement is interrupted.
   */
  constructor(client: HostClient, cancel: (isOver: () => boolean) => Effect.Effect<void> = () => Effect.void) {
    this.client = client
    this.cancel = cancel
  }

  private run(text: string, params: ReadonlyArray<unknown>, rowMode?: "array") {
    return Effect.suspend(() => {
      let isOver = false
      const asked = async () => {
        try {
          const values = params.map(parameterOf)
          return await this.client.query({ text, values, types, ...(rowMode === undefined ? {} : { rowMode }) })
        } finally {
          isOver = true
        }
      }
      return Effect.tryPromise({
        try: asked,
        catch: (cause) => new SqlError.SqlError({ reason: reasonOf(cause) })
      }).pipe(Effect.onInterrupt(() => this.cancel(() => isOver)))
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

/**
 * Runs the transactions of an effect inside the one that the host has open on its client. Whatever the host itself asks
 * of the client meanwhile waits for their end. Those that share a client MUST come one after the other.
 */
export const within =
  (client: HostClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => closeGate(client)),
      ({ direct }) => Effect.provideService(effect, HostSession, new HostConnection(direct)),
      ({ open }) => Effect.sync(open)
    )

/** Whether a value has the `query` method of a client. */
export const isHostClient = (value: unknown): value is HostClient =>
  Predicate.hasProperty(value, "query") && typeof value.query === "function"
