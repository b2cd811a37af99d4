import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as ApiKey from "../../../src/domain/access/ApiKey.ts"
import * as CheckoutLink from "../../../src/domain/giving/CheckoutLink.ts"
import * as ConsentPrompt from "../../../src/domain/giving/ConsentPrompt.ts"
import * as ContactLog from "../../../src/domain/giving/ContactLog.ts"
import * as Donation from "../../../src/domain/giving/Donation.ts"
import * as DonationForm from "../../../src/domain/giving/DonationForm.ts"
import * as Donor from "../../../src/domain/giving/Donor.ts"
import * as Refund from "../../../src/domain/giving/Refund.ts"
import * as RevenueCode from "../../../src/domain/giving/RevenueCode.ts"
import { type Births, birth, type Machine, typesOf } from "../../../src/domain/kernel/Machine.ts"
import * as ConsumedEvent from "../../../src/domain/outbox/ConsumedEvent.ts"
import * as Delivery from "../../../src/domain/outbox/Delivery.ts"
import * as WebhookEndpoint from "../../../src/domain/outbox/WebhookEndpoint.ts"
import * as Introduction from "../../../src/domain/sharing/Introduction.ts"
import * as Payment from "../../../src/domain/sharing/Payment.ts"
import * as RecipientAccount from "../../../src/domain/sharing/RecipientAccount.ts"
import * as RecommendationSet from "../../../src/domain/sharing/RecommendationSet.ts"
import * as Transfer from "../../../src/domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../../src/domain/sharing/TransferAttempt.ts"
import type { Subject } from "../../../src/testing/Laws.ts"
import * as Subjects from "../../../src/testing/Subjects.ts"

/** Holds the births of a machine against its table, over records of every status. */
const born = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  {
    births,
    machine
  }: { readonly machine: Machine<State, Status, Command, Event>; readonly births: Births<Status, Event> },
  { states }: Pick<Subject<State, Command>, "states">
): void => {
  describe(machine.name, () => {
    it("has the births that it prints, and no other", () => {
      assert.deepStrictEqual(machine.births, Object.values(births))
    })

    it.each(Object.entries(births))("%s: in its first status, with its events", (_, each) => {
      const inStatus = states.filter((state) => machine.statusOf(state) === each.to)
      fc.assert(
        fc.property(inStatus, (state) => {
          const asked: Array<Status> = []
          const decision = birth(machine, each, (status) => {
            asked.push(status)
            return state
          })
          assert.deepStrictEqual([decision.state, typesOf(decision.events), asked], [state, each.emits, [each.to]])
        })
      )
    })

    it.each(Object.entries(births))("%s: in no other status", (_, each) => {
      const elsewhere = states.filter((state) => machine.statusOf(state) !== each.to)
      fc.assert(
        fc.property(elsewhere, (state) => {
          assert.throws(() => birth(machine, each, () => state), RangeError, `${machine.name} is born ${each.to}`)
        })
      )
    })
  })
}

describe("a record is born", () => {
  born(Introduction, Subjects.introductions)
  born(Donation, Subjects.donations)
  born(Refund, Subjects.refunds)
  born(RecommendationSet, Subjects.recommendationSets)
  born(CheckoutLink, Subjects.checkoutLinks)
  born(DonationForm, Subjects.donationForms)
  born(WebhookEndpoint, Subjects.webhookEndpoints)
  born(RecipientAccount, Subjects.recipientAccounts)
  born(ApiKey, Subjects.apiKeys)
  born(Donor, Subjects.donors)
  born(ConsentPrompt, Subjects.consentPrompts)
  born(Payment, Subjects.payments)
  born(Transfer, Subjects.transfers)
  born(TransferAttempt, Subjects.transferAttempts)
  born(ContactLog, Subjects.contactLogs)
  born(RevenueCode, Subjects.revenueCodes)
  born(Delivery, Subjects.deliveries)
  born(ConsumedEvent, Subjects.consumedEvents)
})
