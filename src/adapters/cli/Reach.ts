import { Duration, Effect, Schedule, Schema, type Scope } from "effect"
import { CommandFailed, type DatabaseInUse, failedWith } from "./CommandFailed.ts"
import * as ControlSocket from "./ControlSocket.ts"
import { Outcome, performFrom, type Request, type UseCases } from "./Operation.ts"
import { operations } from "./Operations.ts"

/** The longest that a command waits for a database that another command holds, or for a server that is just starting. */
const patience = Duration.seconds(10)

/** A request that does nothing, sent before the operation: only this one may be repeated. */
const Greeting = Schema.Struct({ greeting: Schema.Literal("almoner") })
const isGreeting = Schema.is(Greeting)
const greeting: typeof Greeting.Type = { greeting: "almoner" }

/** Performs operations for commands of the same user, until the scope closes. */
export const serve = (
  socket: string
): Effect.Effect<void, ControlSocket.ControlUnavailable, UseCases | Scope.Scope> => {
  const perform = performFrom(operations)
  return ControlSocket.serve(socket, (request) => (isGreeting(request) ? Effect.succeed(greeting) : perform(request)))
}

const decodeOutcome = Schema.decodeUnknownEffect(Outcome)

const ask = Effect.fnUntraced(function* (socket: string, request: Request) {
  const answer = yield* Effect.mapError(ControlSocket.call(socket, request), failedWith)
  return yield* Effect.mapError(
    decodeOutcome(answer),
    () => new CommandFailed({ message: "The running server is of another version: its answer cannot be read." })
  )
})

/** What is asked of whoever performs operations: one request, or several, each after the answer to the one before. */
export type Work = <E>(perform: (request: Request) => Effect.Effect<Outcome, E>) => Effect.Effect<Outcome, E>

/**
 * Does work in this process, or in the server that holds the database. `here` fails with {@link DatabaseInUse} where this
 * process cannot do it, and has then done nothing.
 */
export const reach = (
  work: Work,
  here: (work: Work) => Effect.Effect<Outcome, CommandFailed | DatabaseInUse>,
  controlSocket: Effect.Effect<string, CommandFailed, Scope.Scope>
): Effect.Effect<Outcome, CommandFailed> => {
  const there = Effect.fnUntraced(function* (held: DatabaseInUse) {
    const socket = yield* controlSocket
    yield* Effect.mapError(ControlSocket.call(socket, greeting), () => held)
    return yield* work((request) => ask(socket, request))
  }, Effect.scoped)
  return here(work).pipe(
    Effect.catchTag("DatabaseHeld", there),
    Effect.retry({
      schedule: Schedule.spaced(Duration.millis(200)).pipe(Schedule.upTo({ duration: patience })),
      while: ({ _tag }) => _tag === "DatabaseHeld"
    }),
    Effect.catchTag("DatabaseHeld", (held) => Effect.fail(failedWith(held)))
  )
}
