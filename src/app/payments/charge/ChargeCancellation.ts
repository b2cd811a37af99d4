import { type DateTime, Effect, Option } from "effect"
import type { ChargeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { decide, GuardRefused } from "../../../domain/kernel/Machine.ts"
import * as Charge from "../../../domain/payments/Charge.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"

const underWay = () =>
  new GuardRefused({
    machine: "Checkout link",
    command: "Begin",
    rule: "no money is under way",
    message:
      "A payment on this checkout link is under way, and its money may still arrive without the donor. Wait until it has settled; then try again."
  })

/** Cancellation of the charge of a gift in progress. money, section 4: Link with a gift in progress. */
export const makeChargeCancellation = Effect.map(ChargeStore, (charges) =>
  /**
   * Locks a charge, and writes that it shall end without money: the worker, or whoever syncs it, cancels it at its
   * processor, whose answer decides. One that has ended, or shall end, is left alone. Fails with {@link GuardRefused}
   * where its money may still arrive without the donor.
   */
  Effect.fnUntraced(function* (organisation_id: OrganisationId, charge_id: ChargeId, at: DateTime.Utc) {
    const held = yield* charges.findForUpdate(organisation_id, charge_id)
    if (Option.isNone(held) || held.value.ended_at !== null) return
    if (Charge.mayStillArrive(held.value)) return yield* underWay()
    if (held.value.ending !== null) return
    const command: Charge.Command = { _tag: "End", at, failure_code: "cancelled" }
    const { state } = yield* Effect.orDie(Effect.fromResult(decide(Charge.machine, held.value, command)))
    // A charge keeps its reference, so it cannot be taken.
    yield* Effect.orDie(charges.update({ ...state, look_at: held.value.look_at ?? at }))
    yield* charges.lookNow(organisation_id, charge_id)
  })
)
