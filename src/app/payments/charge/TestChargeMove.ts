import { type DateTime, Effect, Result } from "effect"
import type { ChargeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { InvalidInput, NotFound } from "../../../domain/kernel/Rejection.ts"
import { advance, type Refusal } from "../../../domain/payments/TestBank.ts"
import type { TestCharge } from "../../../domain/payments/TestCharge.ts"
import { makeTestBankChange, TestBank } from "../../../ports/payments/TestBank.ts"
import { orNotFound } from "../../kernel/store/RecordChecks.ts"

/** An act on a charge at the simulated bank, at a time. */
export type Move = (charge: TestCharge, now: DateTime.Utc) => Result.Result<TestCharge, Refusal>

const record = "charge of the test processor"

/**
 * Moves the simulated bank's charge that was made for one of ours, within the transaction around it. Fails with {@link
 * NotFound}, and with {@link InvalidInput} of `id` where the bank would not do that.
 */
export const moveTestCharge = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  charge_id: ChargeId,
  move: Move
) {
  const bank = yield* TestBank
  const [found] = yield* bank.ofCharge(organisation_id, charge_id)
  if (found === undefined) return yield* new NotFound({ record, id: charge_id })
  const held = yield* bank.findForUpdate(organisation_id, found.id).pipe(orNotFound(record, charge_id))
  const now = yield* bank.now
  const moved = move(advance(held, now), now)
  const after = yield* Effect.fromResult(
    Result.mapError(moved, ({ message }) => new InvalidInput({ param: "id", message }))
  )
  yield* (yield* makeTestBankChange).charge(held, after)
  return after
})
