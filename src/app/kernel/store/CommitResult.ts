import { Effect } from "effect"
import { Transaction } from "../../../ports/kernel/Transaction.ts"

/**
 * Makes what runs an effect in a transaction and tells whether it committed: in a host's own transaction nothing has when it
 * ends.
 */
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
