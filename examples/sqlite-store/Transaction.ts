import { Transaction } from "almoner/ports"
import { Effect, Layer } from "effect"
import { Sqlite } from "./Sqlite.ts"

/** Transactions of a SQLite database, with savepoints inside them. */
export const layer = Layer.effect(
  Transaction,
  Effect.map(Sqlite, ({ afterCommit, transaction }) => Transaction.of({ run: transaction, afterCommit }))
)
