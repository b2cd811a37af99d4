import { Effect } from "effect"
import { Transaction } from "../../../ports/kernel/Transaction.ts"

/** Runs an effect in a transaction and answers whether it committed: one within a host's has not when it ends. */
export const makeCommitResult = Effect.map(
  Transaction,
  (transaction) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        let hasCommitted = false
        const noting = Effect.tap(effect, () =>
          transaction.afterCommit(
            Effect.sync(() => {
              hasCommitted = true
            })
          )
        )
        return Effect.map(transaction.run(noting), (value) => ({ value, hasCommitted }))
      })
)
