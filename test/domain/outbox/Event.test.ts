import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import { Donation, eventDataOf } from "../../../src/domain/giving/Donation.ts"
import { EventId, OrganisationId } from "../../../src/domain/kernel/Ids.ts"
import { catalogue, type EventSpec, eventTypes, make, owedMail } from "../../../src/domain/outbox/Event.ts"
import { machines } from "../../../src/printing/ReferenceMachines.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

/** The contract's own table, family by family. service-spec, Event catalogue. */
const families = {
  donor: ["created", "updated", "archived", "merged"],
  donation: ["created", "processing", "succeeded", "refunded", "refund_reversed", "failed"],
  donation_form: ["created", "updated", "archived"],
  checkout_link: ["created", "updated", "cancelled", "archived"],
  disclosure: ["created", "updated"],
  recommendation_set: [
    "created",
    "updated",
    "deactivated",
    "archived",
    "payment_succeeded",
    "payment_failed",
    "distribution_succeeded",
    "distribution_failed"
  ],
  recipient_org_account_link: ["created", "updated", "deactivated"],
  subscription: ["created", "cancelled", "payment_failed"],
  introduction: ["created", "viewed", "accepted", "linked", "expired", "revoked"]
}

const contract = Object.entries(families).flatMap(([family, names]) => names.map((name) => `${family}.${name}`))

const specOf = (type: (typeof eventTypes)[number]): EventSpec => catalogue[type]

const fieldsOf = (type: (typeof eventTypes)[number]): ReadonlyArray<string> => Object.keys(catalogue[type].data.fields)

const envelope = {
  id: arbitraryOf(EventId),
  organisation_id: arbitraryOf(OrganisationId),
  occurred_at: fc.integer({ min: 0, max: 4e12 }).map((millis) => DateTime.makeUnsafe(millis))
}

describe("the catalogue", () => {
  it("holds exactly the contract's 39 types", () => {
    assert.strictEqual(contract.length, 39)
    assert.sameMembers([...eventTypes], contract)
  })

  it("has no type that nothing emits", () => {
    const emitted = machines.flatMap(({ births, table }) =>
      [...births, ...Object.values(table)].flatMap((row) => row.emits)
    )
    assert.sameMembers([...new Set(emitted)], [...eventTypes])
  })

  it("delivers once per donation and once per invoice, and everything else each time", () => {
    for (const type of eventTypes) {
      const expected = type.startsWith("donation.")
        ? "donation"
        : type === "subscription.payment_failed"
          ? "invoice"
          : undefined
      assert.strictEqual(specOf(type).once_per, expected, type)
    }
  })

  it("has no payload with a link, a code or a token that is a credential", () => {
    const credentials = ["url", "invite_url", "code", "url_key", "giving_url", "embed_token", "secret", "token"]
    for (const type of eventTypes) for (const each of credentials) assert.notInclude(fieldsOf(type), each, type)
  })

  it("carries what the contract names for each family", () => {
    const has = (type: (typeof eventTypes)[number], ...names: ReadonlyArray<string>) =>
      assert.includeMembers([...fieldsOf(type)], [...names], type)
    has("recommendation_set.payment_failed", "recommendation_set_payment_id", "payment_status", "ask_total_cents")
    has("recommendation_set.distribution_succeeded", "recommendation_set_payment_id", "allocation_id", "donation_id")
    has("recipient_org_account_link.created", "introduction_id")
    has("subscription.payment_failed", "donation_id", "status", "donor_cancel_reason_code", "donor_cancel_reason")
    has("subscription.created", "cancel_reason", "donor_cancel_reason_code", "donor_cancel_reason")
    has("donation.failed", "failure_code", "consent_responses", "differs_from_record", "refunded_amount_cents")
  })
})

describe("an event's body", () => {
  const donation = fc
    .tuple(
      arbitraryOf(Donation),
      fc.record({
        created_at: envelope.occurred_at,
        updated_at: envelope.occurred_at,
        donation_date: envelope.occurred_at
      })
    )
    .map(([any, dates]): Donation => ({ ...any, ...dates, consent_responses: [] }))

  it("is type, occurred_at, organisation_id and data, in this order", () =>
    forEvery(fc.record(envelope), donation, ({ id, occurred_at, organisation_id }, gift) => {
      const data = eventDataOf(gift)
      const { body } = make({ id, organisation_id, type: "donation.created", occurred_at, dedupe_key: gift.id, data })
      const read: Readonly<Record<string, unknown>> = JSON.parse(body)
      assert.deepStrictEqual(Object.keys(read), ["type", "occurred_at", "organisation_id", "data"])
      assert.deepInclude(read, {
        type: "donation.created",
        occurred_at: new Date(occurred_at.epochMilliseconds).toISOString(),
        organisation_id
      })
    }))

  it("has the data of a host's own event as they are, each time", () =>
    forEvery(fc.record(envelope), fc.dictionary(fc.string(), fc.jsonValue()), (common, data) => {
      const event = make({ ...common, type: "x.pledge.signed", dedupe_key: "a", data })
      assert.strictEqual(event.body.slice(event.body.indexOf(',"data":') + 8, -1), JSON.stringify(data))
      assert.isNull(event.dedupe_key)
    }))

  it("says of a donation what the donation says, with the deprecated aliases equal", () =>
    forEvery(fc.record(envelope), donation, ({ id, occurred_at, organisation_id }, gift) => {
      const event = make({
        id,
        organisation_id,
        type: "donation.succeeded",
        occurred_at,
        dedupe_key: gift.id,
        data: eventDataOf(gift)
      })
      const { data }: { readonly data: Readonly<Record<string, unknown>> } = JSON.parse(event.body)
      const { tracking_code, tracking_code_id, ...others } = data
      assert.strictEqual(tracking_code, gift.revenue_code)
      assert.strictEqual(tracking_code_id, gift.revenue_code_id)
      const source: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(gift))
      for (const [field, value] of Object.entries(others)) assert.deepStrictEqual(value, source[field], field)
      assert.sameMembers(Object.keys(data), [...fieldsOf("donation.succeeded")])
    }))

  it("owes a receipt, or a correction of it, for gifts whose money a page or a link took, and a summary to who paid for many", () =>
    forEvery(donation, arbitraryOf(catalogue["recommendation_set.payment_succeeded"].data), (gift, paid) => {
      const isTaken = ["PAYMENT_PROCESSOR", "CHECKOUT_LINK", "RECOMMENDATION_SET"].includes(gift.source)
      const owed = {
        "donation.created": null,
        "donation.processing": null,
        "donation.succeeded": isTaken ? "receipt" : null,
        "donation.refunded": isTaken ? "receipt_correction" : null,
        "donation.refund_reversed": isTaken ? "receipt_correction" : null,
        "donation.failed": null
      } as const
      const data = eventDataOf(gift)
      for (const type of families.donation.map((name) => `donation.${name}` as keyof typeof owed)) {
        const template = owed[type]
        const mail = template === null ? null : { template, subject_id: gift.id }
        assert.deepStrictEqual(owedMail({ type, data }), mail, type)
      }
      const { recommendation_set_payment_id: subject_id } = paid
      const summary = { template: "payment_summary", subject_id } as const
      assert.deepStrictEqual(owedMail({ type: "recommendation_set.payment_succeeded", data: paid }), summary)
    }))

  it("keeps its dedupe key only where the catalogue delivers once", () =>
    forEvery(fc.record(envelope), donation, ({ id, occurred_at, organisation_id }, gift) => {
      const common = { id, organisation_id, occurred_at, dedupe_key: gift.id }
      const once = make({ ...common, type: "donation.failed", data: eventDataOf(gift) })
      const each = make({
        ...common,
        type: "donor.created",
        data: {
          id: gift.donor_id,
          donor_type: "INDIVIDUAL",
          email: null,
          first_name: null,
          last_name: null,
          organisation_name: null
        }
      })
      assert.deepStrictEqual([once.dedupe_key, each.dedupe_key], [gift.id, null])
    }))

  it("can be made for the data of every type, and reads back as that data", () => {
    for (const type of eventTypes) {
      const data: Schema.Codec<unknown, unknown> = catalogue[type].data
      const codec: Schema.Codec<unknown, unknown> = Schema.toCodecJson(data)
      const same = Schema.toEquivalence(data)
      forEveryWith({ numRuns: 10 }, arbitraryOf(data), (value) => {
        const text = JSON.stringify(Schema.encodeUnknownSync(codec)(value))
        assert.isTrue(same(Schema.decodeUnknownSync(codec)(JSON.parse(text)), value), text)
      })
    }
  })
})
