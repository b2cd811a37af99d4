import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import * as ApiKey from "../../../src/domain/access/ApiKey.ts"
import * as Disclosure from "../../../src/domain/compliance/Disclosure.ts"
import * as CheckoutLink from "../../../src/domain/giving/CheckoutLink.ts"
import * as ConsentPrompt from "../../../src/domain/giving/ConsentPrompt.ts"
import * as ContactLog from "../../../src/domain/giving/ContactLog.ts"
import * as Donation from "../../../src/domain/giving/Donation.ts"
import * as DonationForm from "../../../src/domain/giving/DonationForm.ts"
import * as Donor from "../../../src/domain/giving/Donor.ts"
import * as Refund from "../../../src/domain/giving/Refund.ts"
import * as RevenueCode from "../../../src/domain/giving/RevenueCode.ts"
import * as Campaign from "../../../src/domain/insight/Campaign.ts"
import { decide, type Machine, type Row } from "../../../src/domain/kernel/Machine.ts"
import * as ConsumedEvent from "../../../src/domain/outbox/ConsumedEvent.ts"
import * as Delivery from "../../../src/domain/outbox/Delivery.ts"
import * as WebhookEndpoint from "../../../src/domain/outbox/WebhookEndpoint.ts"
import * as Charge from "../../../src/domain/payments/Charge.ts"
import * as Dispute from "../../../src/domain/payments/Dispute.ts"
import * as Invoice from "../../../src/domain/payments/Invoice.ts"
import * as Mandate from "../../../src/domain/payments/Mandate.ts"
import * as Notice from "../../../src/domain/payments/Notice.ts"
import * as PaymentException from "../../../src/domain/payments/PaymentException.ts"
import * as Subscription from "../../../src/domain/payments/Subscription.ts"
import * as Introduction from "../../../src/domain/sharing/Introduction.ts"
import * as Payment from "../../../src/domain/sharing/Payment.ts"
import * as RecipientAccount from "../../../src/domain/sharing/RecipientAccount.ts"
import * as RecommendationSet from "../../../src/domain/sharing/RecommendationSet.ts"
import * as Transfer from "../../../src/domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../../src/domain/sharing/TransferAttempt.ts"
import { machines } from "../../../src/printing/ReferenceMachines.ts"
import type { Subject } from "../../../src/testing/Laws.ts"
import * as Subjects from "../../../src/testing/Subjects.ts"
import { instant } from "../../../src/testing/subjects/Month.ts"
import { broken } from "../../support/Sentences.ts"

interface Checked {
  readonly name: string
  readonly statuses: ReadonlyArray<string>
  readonly rows: ReadonlyArray<
    readonly [command: string, row: Pick<Row<never, string, never, string>, "from" | "when" | "guard" | "refusal">]
  >
  readonly wording: {
    readonly can: Readonly<Record<string, string>>
    readonly instead: Readonly<Record<string, string>>
    readonly unless: Readonly<Record<string, string>>
  }
  /** Refusals of the machine for what its subject generates, by which row and status or rule refused. */
  readonly refusals: () => ReadonlyMap<string, string>
}

const given = (texts: object): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === "string"))

const check = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  subject: Subject<State, Command>
): Checked => ({
  name: machine.name,
  statuses: machine.statuses,
  rows: Object.entries(machine.table),
  wording: {
    can: given(machine.wording.can),
    instead: given(machine.wording.instead),
    unless: given(machine.wording.unless)
  },
  refusals: () => {
    const found = new Map<string, string>()
    fc.assert(
      fc.property(subject.states, subject.commands, (state, command) => {
        const decision = decide(machine, state, command)
        if (Result.isSuccess(decision)) return
        const { failure } = decision
        if (failure._tag === "InvalidCommand") return assert.fail(failure.message)
        const why = failure._tag === "GuardRefused" ? failure.rule : failure.status
        found.set(`${failure.command}: ${why}`, failure.message)
      }),
      { numRuns: 2_000, seed: 37 }
    )
    return found
  }
})

const checked: ReadonlyArray<Checked> = [
  check(Introduction.machine, Subjects.introductions),
  check(Donation.machine, Subjects.donations),
  check(Refund.machine, Subjects.refunds),
  check(Charge.machine, Subjects.charges),
  check(Dispute.machine, Subjects.disputes),
  check(Invoice.machine, Subjects.invoices),
  check(Mandate.machine, Subjects.mandates),
  check(PaymentException.machine, Subjects.paymentExceptions),
  check(Notice.machine, Subjects.notices),
  check(Payment.machine, Subjects.payments),
  check(Transfer.machine, Subjects.transfers),
  check(TransferAttempt.machine, Subjects.transferAttempts),
  check(RecommendationSet.machine, Subjects.recommendationSets),
  check(CheckoutLink.machine, Subjects.checkoutLinks),
  check(DonationForm.machine, Subjects.donationForms),
  check(Subscription.machine, Subjects.subscriptions),
  check(Campaign.machine, Subjects.campaigns),
  check(Disclosure.machine, Subjects.disclosures),
  check(WebhookEndpoint.machine, Subjects.webhookEndpoints),
  check(Delivery.machine, Subjects.deliveries),
  check(ConsumedEvent.machine, Subjects.consumedEvents),
  check(RecipientAccount.machine, Subjects.recipientAccounts),
  check(ApiKey.machine, Subjects.apiKeys),
  check(Donor.machine, Subjects.donors),
  check(ConsentPrompt.machine, Subjects.consentPrompts),
  check(ContactLog.machine, Subjects.contactLogs),
  check(RevenueCode.machine, Subjects.revenueCodes)
]

/** The conditions that a row can be refused for, in its words. */
const conditionsOf = ({ refusal, when }: Checked["rows"][number][1]): ReadonlyArray<string> =>
  when === undefined ? [] : refusal === undefined ? [when] : when.split("; ")

/** The statuses in which a row refuses its command. */
const refusing = ({ statuses }: Checked, { from }: Checked["rows"][number][1]): ReadonlyArray<string> =>
  statuses.filter((status) => !from.includes(status))

describe("refused commands are told in sentences for people", () => {
  it("of every machine", () => {
    assert.sameMembers(
      checked.map(({ name }) => name),
      machines.map(({ name }) => name)
    )
  })

  describe.each(checked)("$name", (machine) => {
    const { rows, wording } = machine

    it("for every row and status that refuses", () => {
      const wanted = new Set(rows.flatMap(([, row]) => refusing(machine, row)))
      assert.sameMembers(Object.keys(wording.instead), [...wanted])
      assert.sameMembers(
        Object.keys(wording.can),
        rows.map(([command]) => command)
      )
      for (const text of Object.values(wording.instead)) assert.isNull(broken(text), text)
      for (const text of Object.values(wording.can)) assert.match(text, /^[a-z][a-z ]*$/)
    })

    it("for every condition of a guard, and for none that there is not", () => {
      assert.isTrue(rows.every(([, row]) => (row.guard === undefined) === (row.when === undefined)))
      assert.sameMembers(Object.keys(wording.unless), [...new Set(rows.flatMap(([, row]) => conditionsOf(row)))])
      for (const text of Object.values(wording.unless)) assert.isNull(broken(text), text)
    })

    it("as the machine decides", () => {
      const refusals = machine.refusals()
      for (const [why, message] of refusals) assert.isNull(broken(message), `${why}: ${message}`)
      const byStatus = rows.flatMap(([command, row]) => refusing(machine, row).map((status) => `${command}: ${status}`))
      assert.includeMembers([...refusals.keys()], byStatus)
    })
  })

  it("for every move of a form that a PATCH may ask for", () => {
    fc.assert(
      fc.property(
        Subjects.donationForms.states,
        fc.constantFrom(...DonationForm.machine.statuses),
        instant,
        (form, wanted, at) => {
          const moved = DonationForm.moveTo(form, wanted, at)
          if (Result.isFailure(moved)) assert.isNull(broken(moved.failure.message), moved.failure.message)
        }
      )
    )
  })
})
