import { Effect, Layer } from "effect"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { Memory } from "./Memory.ts"

/** Transactions by snapshot and restore, one after the other. */
export const layer = Layer.effect(
  Transaction,
  Effect.map(Memory, ({ afterCommit, run }) => Transaction.of({ afterCommit, run }))
)
