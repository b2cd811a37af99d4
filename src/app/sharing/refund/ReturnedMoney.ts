import { Effect } from "effect"
import type { ChargeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import * as Dispute from "../../../domain/payments/Dispute.ts"
import { isChargedBack, leftCents } from "../../../domain/payments/ReturnedMoney.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../../ports/payments/DisputeStore.ts"

/** Locks a charge and reads its disputes and refunds. Whoever writes those locks the charge, too. */
export const makeReturnedMoney = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const disputes = yield* DisputeStore
  const refunds = yield* RefundStore

  return Effect.fnUntraced(function* (organisation_id: OrganisationId, charge_id: ChargeId) {
    const found = yield* charges.findForUpdate(organisation_id, charge_id)
    // Every attempt has a charge.
    const charge = yield* Effect.orDie(Effect.fromOption(found))
    const taking = {
      charge,
      disputes: yield* disputes.ofCharge(organisation_id, charge_id),
      refunds: yield* refunds.ofCharge(organisation_id, charge_id)
    }
    return {
      ...taking,
      isDisputed: taking.disputes.some((each) => Rule.holds(Dispute.undecidedRule, each)),
      isChargedBack: isChargedBack(taking),
      left_cents: leftCents(taking)
    }
  })
})

/** A locked charge, with its disputes and refunds. */
export type ReturnedMoney = Effect.Success<ReturnType<Effect.Success<typeof makeReturnedMoney>>>
