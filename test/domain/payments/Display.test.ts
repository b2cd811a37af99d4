import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { OrganisationId, RecipientAccountLinkId } from "../../../src/domain/kernel/Ids.ts"
import * as Listing from "../../../src/domain/kernel/Listing.ts"
import { ChargeRecord, DisputeRecord } from "../../../src/domain/payments/ChargeRecord.ts"
import { CreditRecord } from "../../../src/domain/payments/Credit.ts"
import { PaymentExceptionRecord } from "../../../src/domain/payments/ExceptionResolution.ts"
import { InvoiceRecord } from "../../../src/domain/payments/Invoice.ts"
import * as Ledger from "../../../src/domain/payments/Ledger.ts"
import { checkOf, LedgerEntryRecord } from "../../../src/domain/payments/LedgerCheck.ts"
import { NoticeRecord } from "../../../src/domain/payments/Notice.ts"
import * as PaymentException from "../../../src/domain/payments/PaymentException.ts"
import * as ProgressToken from "../../../src/domain/payments/ProgressToken.ts"
import * as Subscription from "../../../src/domain/payments/Subscription.ts"
import { TestAccountRecord } from "../../../src/domain/payments/TestCharge.ts"
import { Page } from "../../../src/domain/sharing/Checkout.ts"
import { IntroductionRecord } from "../../../src/domain/sharing/Introduction.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEveryWith } from "../../support/Property.ts"

describe("a record about money as it is shown", () => {
  it("keeps to itself whose it is, and what only the service needs", () => {
    const shown: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
      [ChargeRecord.fields, ["organisation_id", "sealed_token", "link_claims", "look_at", "looks"]],
      [DisputeRecord.fields, ["organisation_id"]],
      [CreditRecord.fields, ["organisation_id"]],
      [InvoiceRecord.fields, ["organisation_id"]],
      [NoticeRecord.fields, ["organisation_id"]],
      [PaymentExceptionRecord.fields, ["organisation_id"]],
      [
        Subscription.SubscriptionRecord.fields,
        [
          "organisation_id",
          "integration_id",
          "mandate_id",
          "consent_responses",
          "last_paid_invoice_id",
          "last_charged_on",
          "look_at"
        ]
      ],
      [
        IntroductionRecord.fields,
        ["organisation_id", "invitee_message", "token_key_id", "sent_at", "accepted_by_user_id", "linked_by_user_id"]
      ]
    ]
    for (const [fields, hidden] of shown) {
      assert.containsAllKeys(fields, ["id", "created_at"])
      for (const name of hidden) assert.notProperty(fields, name)
    }
    for (const { fields } of [LedgerEntryRecord, TestAccountRecord]) assert.notProperty(fields, "organisation_id")
  })

  it("is told of by the name of what happened", () => {
    const [subscription = assert.fail("none")] = fc.sample(Generators.subscription, { numRuns: 1, seed: 1 })
    const [donation = assert.fail("none")] = fc.sample(Generators.donation, { numRuns: 1, seed: 1 })
    const { data, type } = Subscription.paymentFailedEvent(subscription, donation.id)
    assert.strictEqual(type, "subscription.payment_failed")
    assert.strictEqual(data.donation_id, donation.id)
  })

  it("is listed by the time at which it moved, which is when it was written", () => {
    const query = Result.getOrThrow(Listing.parse(Ledger.listing, [["at[gte]", "2026-07-01T00:00:00Z"]]))
    const columns = query.conditions.map(({ column }) => column)
    assert.deepStrictEqual(columns, ["created_at"])
  })

  it("is listed while somebody has to look still, where it is an exception", () => {
    const { conditions } = Result.getOrThrow(Listing.parse(PaymentException.listing, []))
    assert.deepInclude(conditions[0], { column: "status", values: ["OPEN"] })
  })
})

describe("an account of the books", () => {
  it("is one of those that there are, or that of a link, whose money is the recipients'", () =>
    forEveryWith(
      { numRuns: 20 },
      arbitraryOf(RecipientAccountLinkId),
      fc.integer({ min: 1, max: 900 }),
      (id, cents) => {
        const account = Ledger.recipientOf(id)
        assert.isTrue(Schema.is(Ledger.Account)(account))
        for (const other of [id, `recipient:${id}x`, "recipient:", "recipient", ""]) {
          assert.isFalse(Schema.is(Ledger.Account)(other), other)
        }
        const balances = Ledger.balancesOf(Ledger.posting("held", account, cents))
        assert.deepStrictEqual([balances.held, balances.recipients], [-BigInt(cents), BigInt(cents)])
      }
    ))

  it("is wrong by as much as all of them together are from nothing", () => {
    const organisation_id = fc.sample(Generators.ledgerEntry, { numRuns: 1, seed: 1 })[0]?.organisation_id
    if (organisation_id === undefined) return assert.fail("none")
    for (const off of [-5n, 1n, 7n]) {
      const balances = { ...Ledger.balancesOf(Ledger.posting("bank", "donor", 50)), bank: off - 50n }
      const check = checkOf({
        organisation_id,
        currency: "AUD",
        balances,
        held_by_records: 0n,
        unmatched_by_records: 0n,
        disagreements: []
      })
      assert.deepStrictEqual(check.faults, [`The accounts add up to ${off}, and not to 0.`])
    }
  })

  it("says of a payment that nothing paid it, and of a record and a charge what the books have otherwise", () => {
    const check = checkOf({
      organisation_id: OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5d"),
      currency: "AUD",
      balances: Ledger.balancesOf([]),
      held_by_records: 0n,
      unmatched_by_records: 0n,
      disagreements: [
        { subject_id: "pay_1", what: "unpaid" },
        { subject_id: "rfd_1", what: "record" },
        { subject_id: "chg_1", what: "fees" }
      ]
    })
    const [unpaid = "", record = "", fees = "", ...more] = check.faults
    assert.isEmpty(more)
    assert.match(unpaid, /payment pay_1 .* paid/u)
    assert.match(record, /record rfd_1 and its entries/u)
    assert.match(fees, /charge chg_1 .* fees/u)
  })
})

it("a token of progress is none without its key or its MAC", () => {
  const [charge = assert.fail("none")] = fc.sample(Generators.charge, { numRuns: 1, seed: 1 })
  const given = { key_id: "k", organisation_id: charge.organisation_id, charge_id: charge.id, mac: "m" }
  const reads = (token: typeof given) => ProgressToken.read(ProgressToken.write(token))._tag
  assert.strictEqual(reads(given), "Some")
  assert.strictEqual(reads({ ...given, key_id: "" }), "None")
  assert.strictEqual(reads({ ...given, mac: "" }), "None")
})

it("the page of a checkout shows of its form, link or set what donors see, and no more", () => {
  const seen = {
    form: [
      "id",
      "slug",
      "title",
      "description",
      "thank_you_message",
      "disclaimer_text",
      "suggested_amounts_cents",
      "allow_custom_amount",
      "default_amount_cents",
      "minimum_amount_cents",
      "maximum_amount_cents",
      "address_visibility",
      "phone_visibility"
    ],
    link: ["id", "amount_cents", "description", "expires_at"],
    set: ["id", "name", "description", "amount_mode", "min_total_cents", "expires_at", "allocations"]
  } as const
  for (const part of ["form", "link", "set"] as const) {
    const [shown] = Page.fields[part].members
    assert.sameMembers(Object.keys(shown.fields), [...seen[part]])
  }
})
