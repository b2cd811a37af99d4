import { DateTime, Effect } from "effect"
import type { Caller } from "../../../domain/access/Caller.ts"
import { decide, GuardRefused } from "../../../domain/kernel/Machine.ts"
import * as TransferAttempt from "../../../domain/sharing/TransferAttempt.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { orNotFound } from "../../kernel/store/RecordChecks.ts"
import { makeTransferLoader } from "./TransferLoader.ts"
import { makeTransferOutcome, type Outcome } from "./TransferOutcome.ts"

const byItself = () =>
  new GuardRefused({
    machine: "Transfer attempt",
    command: "Settle",
    rule: "no processor moves its money",
    message: "The processor moves this money by itself and says how that ended. Wait for it."
  })

/**
 * Writes, in the surrounding transaction, the result of an attempt whose money people move: donors' bank transfers are
 * with the organisation's bank, out of every processor's reach. docs/decisions/0069.
 */
export const makeManualTransfer = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const loader = yield* makeTransferLoader
  const record = yield* makeTransferOutcome

  /** Fails with what refuses it: it has ended, or its processor moves the money by itself. */
  return Effect.fnUntraced(function* (
    { organisation: { id: organisation_id }, request_id }: Caller,
    id: TransferAttempt.Id,
    operation: string,
    outcomeAt: (at: DateTime.Utc) => Outcome
  ) {
    const { ask, attempt } = yield* loader({ organisation_id, id }).pipe(orNotFound("transfer", id))
    const at = yield* DateTime.now
    const outcome = outcomeAt(at)
    yield* Effect.fromResult(decide(TransferAttempt.machine, attempt, outcome))
    if (ask !== null) return yield* byItself()
    const isWritten = yield* record(attempt, outcome, { at, operation, request_id })
    const now = yield* attempts.find(organisation_id, id).pipe(orNotFound("transfer", id))
    // Somebody else was first, while the charge was waited for.
    if (!isWritten) yield* Effect.fromResult(decide(TransferAttempt.machine, now, outcome))
    return now
  })
})
