import { DateTime, Effect } from "effect"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Invoice from "../../../domain/payments/Invoice.ts"
import * as Subscription from "../../../domain/payments/Subscription.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { ChangeLog } from "../../access/change/ChangeLog.ts"
import { isLookRequested } from "../charge/ChargeLoader.ts"

/** Why a recurring gift ends; in whose words, where the donor ended it. */
export type EndReason = Omit<Extract<Subscription.Command, { readonly _tag: "Cancel" }>, "_tag" | "at">

/** An end that no donor gave a reason for. */
export const endingFor = (reason: Subscription.Subscription["cancel_reason"]): EndReason => ({
  reason,
  donor_cancel_reason_code: null,
  donor_cancel_reason: null
})

/** Ends recurring gifts, in the surrounding transaction. The caller has locked the subscription. */
export const makeSubscriptionChange = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const invoices = yield* InvoiceStore
  const changeLog = yield* ChangeLog
  const subscriptions = yield* SubscriptionStore

  /** An instant by the clock of the store, by which `look_at` is judged. */
  const storeTime = Effect.fnUntraced(function* (next: DateTime.Utc) {
    const now = yield* DateTime.now
    return DateTime.addDuration(yield* charges.now, DateTime.distance(now, next))
  })

  /**
   * A recurring gift whose next poll is at an instant, or never. Where it is due now, somebody has requested a poll
   * since this one began, and gets it.
   */
  const looked = Effect.fnUntraced(function* (held: Subscription.Subscription, next: DateTime.Utc | null) {
    const { look_at: asked } = held
    if (isLookRequested(asked, yield* charges.now)) return held
    const after: Subscription.Subscription = { ...held, look_at: next === null ? null : yield* storeTime(next) }
    return after
  })

  /** Gives up invoices that are not paid yet. One under way settles as it settles, and ends then. */
  const giveUp = Effect.fnUntraced(function* (ended: Subscription.Subscription, at: DateTime.Utc) {
    const { id, mandate_id, organisation_id } = ended
    const unsettled = yield* charges.unsettledOf(organisation_id, mandate_id)
    const underWay = new Set<string>(unsettled.filter(({ ended_at }) => ended_at === null).map((charge) => charge.id))
    for (const invoice of yield* invoices.openOf(organisation_id, id)) {
      if (invoice.charge_id !== null && underWay.has(invoice.charge_id)) continue
      const { state } = yield* Effect.orDie(Effect.fromResult(decide(Invoice.machine, invoice, { _tag: "GiveUp", at })))
      yield* Effect.orDie(invoices.update(state))
    }
  })

  /**
   * Ends a recurring gift: it is charged no more, and the worker has the processor forget the mandate. Fails with {@link
   * IllegalTransition} where it ended before.
   */
  const end = Effect.fnUntraced(function* (
    operation: string,
    before: Subscription.Subscription,
    ending: EndReason,
    at: DateTime.Utc
  ) {
    const { state } = yield* Effect.fromResult(decide(Subscription.machine, before, { ...ending, _tag: "Cancel", at }))
    yield* giveUp(state, at)
    const after: Subscription.Subscription = { ...state, look_at: yield* charges.now }
    yield* subscriptions.update(after)
    const events = [Subscription.cancelledEvent(after)]
    yield* changeLog.write({ operation, subject_id: before.id, at, events })
    return after
  })

  return { end, looked, storeTime } as const
})
