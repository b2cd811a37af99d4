import { Effect } from "effect"
import { CurrentLevel } from "../connection/LazyConnection.ts"

/**
 * The transaction that the effect is in, for statements of the host's own; undefined outside of one. A statement takes turns
 * with the savepoints of Almoner's calls, so that none of these rolls it back.
 */
export const transactionClient = Effect.map(CurrentLevel, (level) =>
  level === undefined
    ? undefined
    : {
        query: async (text: string, values: ReadonlyArray<unknown> = []) => ({
          rows: await Effect.runPromise(level.turn.withPermit(level.connection.execute(text, values, undefined)))
        })
      }
)
