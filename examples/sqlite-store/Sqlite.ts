import { Context, Effect, Exit, Layer, Semaphore } from "effect"
import driver from "node-sqlite3-wasm"

export type Value = string | number | null
export type Row = Readonly<Record<string, unknown>>

/** What SQL is for the stores: it answers at once, so that a function of several statements is never interleaved. */
export interface Statements {
  readonly all: (sql: string, values?: ReadonlyArray<Value>) => ReadonlyArray<Row>
  /** The number of rows that were written. */
  readonly run: (sql: string, values?: ReadonlyArray<Value>) => number
}

/** The effects that wait for the commit of the transaction that is open here; undefined outside of one. */
const Waiting = Context.Reference<Array<Effect.Effect<void>> | undefined>("sqlite-store/Waiting", {
  defaultValue: () => undefined
})

const make = (file: string) =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => new driver.Database(file)),
      (open) => Effect.sync(() => open.close())
    )
    const statements: Statements = {
      all: (sql, values = []) => database.all(sql, [...values]),
      run: (sql, values = []) => database.run(sql, [...values]).changes
    }
    // One connection is one session: whoever is not in its transaction waits for the end of it.
    const session = yield* Semaphore.make(1)
    let depth = 0

    /** Begins, and commits what succeeded and nothing else, however the effect ends. */
    const level = <A, E, R>(effect: Effect.Effect<A, E, R>, waiting: Array<Effect.Effect<void>>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const name = `level_${depth++}`
          statements.run(`SAVEPOINT ${name}`)
          const exit = yield* Effect.exit(restore(Effect.provideService(effect, Waiting, waiting)))
          depth--
          if (Exit.isFailure(exit)) statements.run(`ROLLBACK TO ${name}`)
          statements.run(`RELEASE ${name}`)
          return yield* exit
        })
      )

    const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.gen(function* () {
        const outer = yield* Waiting
        const waiting: Array<Effect.Effect<void>> = []
        const answer = yield* outer === undefined
          ? session.withPermits(1)(level(effect, waiting))
          : level(effect, waiting)
        if (outer === undefined) yield* Effect.forEach(waiting, (each) => each, { discard: true })
        else outer.push(...waiting)
        return answer
      })

    return {
      transaction,
      /** Runs at once where no transaction is open. */
      afterCommit: (effect: Effect.Effect<void>): Effect.Effect<void> =>
        Effect.flatMap(Waiting, (waiting) =>
          waiting === undefined ? effect : Effect.sync(() => void waiting.push(effect))
        ),
      /** In the transaction that is open here, or committed by itself. */
      use: <A>(run: (sql: Statements) => A): Effect.Effect<A> =>
        Effect.flatMap(Waiting, (waiting) => {
          const use = Effect.sync(() => run(statements))
          return waiting === undefined ? session.withPermits(1)(use) : use
        })
    } as const
  })

/** A SQLite database. */
export class Sqlite extends Context.Service<Sqlite, Effect.Success<ReturnType<typeof make>>>()("sqlite-store/Sqlite") {
  /** Opens a file, `:memory:` for none, until the scope ends. */
  static readonly layer = (file: string): Layer.Layer<Sqlite> => Layer.effect(Sqlite, make(file))
}
