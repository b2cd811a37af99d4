import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { DonationId } from "../../../src/domain/kernel/Ids.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import * as Subscription from "../../../src/domain/payments/Subscription.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { subscriptions } from "../../../src/testing/subjects/Subscriptions.ts"
import { forEvery } from "../../support/Property.ts"

const { commands, states } = subscriptions
const { machine } = Subscription

const run = (start: Subscription.Subscription, script: ReadonlyArray<Subscription.Command>) =>
  script.reduce((state, command) => Result.getOrElse(decide(machine, state, command), () => ({ state })).state, start)

describe("subscription", () => {
  it("recovers by a later success, and a late notice of that invoice's failure changes nothing", () =>
    forEvery(states, fc.array(commands, { maxLength: 8 }), commands, (start, script, last) => {
      const end = run(start, script)
      fc.pre(end.status !== "CANCELLED" && (last._tag === "Activate" || last._tag === "Renew"))
      const paid = Result.getOrThrow(decide(machine, end, Subscription.paidCommand(end, last))).state
      assert.strictEqual(paid.status, "ACTIVE")
      const late = decide(machine, paid, { _tag: "FailInvoice", at: last.at, invoice_id: last.invoice_id })
      assert.isTrue(Result.isFailure(late))
    }))

  it("says in its events why it ended, and nulls while it lives", () =>
    forEvery(states, fc.array(commands, { maxLength: 8 }), arbitraryOf(DonationId), (start, script, donation_id) => {
      const end = run(start, script)
      const data = Subscription.eventDataOf(end)
      assert.sameMembers(Object.keys(data), Object.keys(Subscription.eventData.subscription.fields))
      const { cancel_reason, donor_cancel_reason, donor_cancel_reason_code } = data
      if (end.status !== "CANCELLED") {
        assert.deepStrictEqual([cancel_reason, donor_cancel_reason, donor_cancel_reason_code], [null, null, null])
      }
      if (donor_cancel_reason !== null) assert.isNotNull(donor_cancel_reason_code)
      const told = [Subscription.createdEvent(end), Subscription.cancelledEvent(end)]
      assert.deepStrictEqual(told, [
        { type: "subscription.created", data },
        { type: "subscription.cancelled", data }
      ])
      assert.deepStrictEqual(Subscription.paymentFailedEvent(end, donation_id), {
        type: "subscription.payment_failed",
        data: { ...data, donation_id }
      })
    }))

  it("is tried again with the donor, campaign, code and consents of the gift that it repeats", () =>
    forEvery(states, commands, (subscription, command) => {
      fc.pre(command._tag === "Retry")
      const decided = decide(machine, subscription, command)
      if (Result.isFailure(decided)) return
      const { campaign_id, consent_given, consent_responses, donor_id, method, revenue_code_id } = command.repeated
      const repeated = { campaign_id, consent_given, consent_responses, donor_id, method, revenue_code_id }
      for (const each of Object.values(repeated)) assert.isDefined(each)
      assert.deepInclude(decided.success.state, repeated)
    }))

  it("keeps the reasons that it was cancelled with", () =>
    forEvery(states, commands, (subscription, command) => {
      fc.pre(command._tag === "Cancel")
      const decided = decide(machine, subscription, command)
      if (Result.isFailure(decided)) return
      assert.deepInclude(Subscription.eventDataOf(decided.success.state), {
        cancel_reason: command.reason,
        donor_cancel_reason_code: command.donor_cancel_reason_code,
        donor_cancel_reason: command.donor_cancel_reason
      })
    }))
})
