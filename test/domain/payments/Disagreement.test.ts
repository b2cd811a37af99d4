import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import type { Refund } from "../../../src/domain/giving/Refund.ts"
import { RecipientAccountLinkId, SubscriptionId } from "../../../src/domain/kernel/Ids.ts"
import type { Charge } from "../../../src/domain/payments/Charge.ts"
import { type ChargeRecords, disagreementOf, What } from "../../../src/domain/payments/Disagreement.ts"
import type { Dispute } from "../../../src/domain/payments/Dispute.ts"
import type { Cause, LedgerEntry } from "../../../src/domain/payments/Ledger.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"
import { amount, submittedAt } from "./SubmittedGift.ts"

type Account = LedgerEntry["from_account"]
type Move = readonly [cause: Cause, from: Account, to: Account, amount_cents: number]

const link = RecipientAccountLinkId.make("roal_01jqz6x8h4e5vb9m2k7ncw3t5d")

/** What the platform takes of each gift: one per cent of 100.00, and 30. */
const platformFee = 130

const entriesOf = (template: LedgerEntry, moves: ReadonlyArray<Move>): ReadonlyArray<LedgerEntry> =>
  moves
    .filter(([, , , amount_cents]) => amount_cents > 0)
    .map(([cause, from_account, to_account, amount_cents]) => ({
      ...template,
      cause,
      from_account,
      to_account,
      amount_cents,
      currency: "AUD"
    }))

const refundedBy = (status: Refund["status"], amount_cents: number): ReadonlyArray<Move> => {
  const asked: Move = ["refund", "organisation", "held", amount_cents]
  if (status === "PENDING") return [asked]
  if (status === "FAILED") return [asked, ["refund", "held", "organisation", amount_cents]]
  return [asked, ["refund", "held", "donor", amount_cents]]
}

const disputedBy = ({ amount_cents, status }: Pick<Dispute, "amount_cents" | "status">): ReadonlyArray<Move> => {
  const opened: Move = ["dispute", "organisation", "disputed", amount_cents]
  if (status === "OPEN") return [opened]
  return [opened, ["dispute", "disputed", status === "LOST" ? "donor" : "organisation", amount_cents]]
}

const statuses = ["PENDING", "SUCCEEDED", "FAILED"] as const

/** Of a charge that pays a gift alone. */
const alone = { gifts: 1, shared: null, invoice: null, paid_invoices: 0, credited_cents: 0 } as const

/** A gift that was paid, with refunds and disputes, and books that are kept by hand. */
const paid = fc
  .record({
    settling: submittedAt(DateTime.makeUnsafe("2026-07-01T00:00:00Z")),
    entry: Generators.ledgerEntry,
    fee: fc.option(fc.integer({ min: 0, max: 900 })),
    refunds: fc.array(
      fc.record({
        row: Generators.refund,
        status: fc.constantFrom(...statuses),
        amount_cents: fc.integer({ min: 1, max: 2_000 })
      }),
      { maxLength: 3 }
    ),
    disputes: fc.array(
      fc.record({
        row: Generators.dispute,
        refund: Generators.refund,
        status: fc.constantFrom("OPEN", "WON", "LOST"),
        amount_cents: fc.integer({ min: 1, max: 1_000 }),
        fee_cents: fc.option(fc.integer({ min: 1, max: 2_500 }))
      }),
      { maxLength: 2 }
    )
  })
  .map(({ disputes: disputed, entry, fee, refunds: refunded, settling: { charge, gift } }) => {
    const source = charge.method === "bank_transfer" ? "unmatched" : "donor"
    const refunds = refunded.map(
      ({ amount_cents, row, status }): Refund => ({ ...row, amount_cents, status, is_beside_gift: false })
    )
    const disputes = disputed.map(({ amount_cents, fee_cents, refund, row, status }): Dispute => {
      return { ...row, amount_cents, fee_cents, status, refund_id: status === "LOST" ? refund.id : null }
    })
    const charged = disputed
      .filter(({ status }) => status === "LOST")
      .map(
        ({ amount_cents, refund }): Refund => ({ ...refund, amount_cents, status: "SUCCEEDED", is_beside_gift: false })
      )
    const rows = [...refunds, ...charged]
    const back = rows.filter(({ status }) => status !== "FAILED").reduce((sum, each) => sum + each.amount_cents, 0)
    const moves: ReadonlyArray<Move> = [
      ["charge", source, "organisation", amount],
      ["charge", "organisation", "processor_fees", fee ?? 0],
      ["charge", "organisation", "platform_fees", fee === null ? 0 : platformFee],
      ...refunds.flatMap(({ amount_cents, status }) => refundedBy(status, amount_cents)),
      ...disputes.flatMap(disputedBy),
      ...disputes.map(({ fee_cents }): Move => ["dispute", "organisation", "processor_fees", fee_cents ?? 0])
    ]
    const succeeded: Charge = { ...charge, status: "SUCCEEDED", processor_fee_cents: fee }
    const recorded: ChargeRecords = {
      charge: succeeded,
      isLate: false,
      ...alone,
      credited_cents: charge.method === "bank_transfer" ? amount : 0,
      gift: gift && {
        ...gift,
        charge_id: charge.id,
        subscription_id: null,
        status: back === amount ? "REFUNDED" : "CONFIRMED",
        refunded_amount_cents: back
      },
      refunds: rows,
      disputes,
      transferred_cents: 0,
      entries: entriesOf(entry, moves)
    }
    return { entry, recorded }
  })

const isNamed = Schema.is(What)

const says = (recorded: ChargeRecords, what: ReturnType<typeof disagreementOf>): void => {
  assert.strictEqual(disagreementOf(recorded), what)
  assert.isTrue(what === null || isNamed(what))
}

const cent = fc.integer({ min: 1, max: 50 })

describe("books beside the records of a charge", () => {
  it("agree where each record has its movements, in whatever order they stand", () =>
    forEvery(paid, fc.array(fc.nat(), { maxLength: 20 }), ({ recorded }, keys) => {
      says(recorded, null)
      const entries = recorded.entries
        .map((each, index) => [keys[index] ?? 0, each] as const)
        .toSorted(([one], [other]) => one - other)
        .map(([, each]) => each)
      says({ ...recorded, entries }, null)
    }))

  const disturbances: ReadonlyArray<readonly [what: NonNullable<ReturnType<typeof disagreementOf>>, Move]> = [
    ["taken", ["charge", "donor", "organisation", 0]],
    ["taken", ["charge", "unmatched", "organisation", 0]],
    ["fees", ["charge", "organisation", "processor_fees", 0]],
    ["fees", ["charge", "organisation", "platform_fees", 0]],
    ["fees", ["dispute", "organisation", "processor_fees", 0]],
    ["refunded", ["refund", "held", "donor", 0]],
    ["refunded", ["refund", "donor", "organisation", 0]],
    ["disputed", ["dispute", "organisation", "disputed", 0]],
    ["disputed", ["dispute", "organisation", "donor", 0]],
    ["transferred", ["transfer", "held", `recipient:${link}`, 0]]
  ]

  it.each(disturbances)("disagree about what was %s by a movement that no record has: %j", (what, [cause, from, to]) =>
    forEvery(paid, cent, ({ entry, recorded }, cents) => {
      const entries = [...recorded.entries, ...entriesOf(entry, [[cause, from, to, cents]])]
      says({ ...recorded, entries }, what)
    })
  )

  it("disagree about the first thing that they lack", () =>
    forEvery(paid, ({ recorded }) => {
      says({ ...recorded, entries: [] }, "taken")
      const without = (cause: Cause) => recorded.entries.filter((each) => each.cause !== cause)
      const paidBack = recorded.refunds.some(
        ({ id, status }) => status === "SUCCEEDED" && recorded.disputes.every(({ refund_id }) => refund_id !== id)
      )
      says({ ...recorded, entries: without("refund") }, paidBack ? "refunded" : null)
      const fees = recorded.disputes.some(({ fee_cents }) => fee_cents !== null)
      const examined = recorded.disputes.some(({ status }) => status !== "WON")
      says({ ...recorded, entries: without("dispute") }, fees ? "fees" : examined ? "disputed" : null)
    }))

  it("disagree about payments to a bank account that are more or fewer than the charge", () =>
    forEvery(paid, cent, ({ recorded }, cents) => {
      const { charge, credited_cents } = recorded
      const isTransfer = charge.method === "bank_transfer"
      says({ ...recorded, credited_cents: credited_cents - cents }, isTransfer ? "credits" : null)
      says({ ...recorded, credited_cents: amount + cents }, isTransfer ? "credits" : null)
      const ended = { ...recorded, ...alone, refunds: [], disputes: [], entries: [], gift: null, gifts: 0 }
      const failed = { ...charge, status: "FAILED" as const, processor_fee_cents: null }
      says({ ...ended, charge: { ...failed, purpose: "payment" }, credited_cents: amount + cents }, null)
      const waiting = { ...failed, status: "WAITING" as const, purpose: "payment" as const }
      says({ ...ended, charge: waiting, credited_cents: amount }, null)
      says({ ...ended, charge: waiting, credited_cents: amount + cents }, "credits")
    }))

  it("disagree about the currency before everything else", () =>
    forEvery(paid, fc.nat(), ({ recorded }, nth) => {
      const entries = recorded.entries.map((each, index, { length }) =>
        index === nth % length ? { ...each, currency: "NZD" as const } : each
      )
      says({ ...recorded, entries }, "currency")
    }))

  it("hold what recipients got against the transfers that were made", () =>
    forEvery(paid, cent, ({ entry, recorded }, cents) => {
      const recipient = `recipient:${link}` as const
      says({ ...recorded, transferred_cents: cents }, "transferred")
      const entries = [...recorded.entries, ...entriesOf(entry, [["transfer", "held", recipient, cents]])]
      says({ ...recorded, transferred_cents: cents, entries }, null)
    }))
})

describe("a gift beside its charge", () => {
  it("has its amount, its currency, a status that goes with it, and what was refunded", () =>
    forEvery(paid, cent, ({ recorded }, cents) => {
      const { gift } = recorded
      assert.isNotNull(gift)
      if (gift === null) return
      const withGift = (given: Partial<typeof gift>) => ({ ...recorded, gift: { ...gift, ...given } })
      says({ ...recorded, gift: null }, "gift")
      says(withGift({ amount_cents: amount + cents }), "gift")
      says(withGift({ currency: "NZD" }), "gift")
      says(withGift({ status: "PENDING" }), "gift")
      says(withGift({ status: "FAILED" }), "gift")
      says(withGift({ refunded_amount_cents: gift.refunded_amount_cents + cents }), "gift")
      says(withGift({ status: "REFUNDED" }), null)
      says(withGift({ charge_id: null }), "gift")
      says({ ...recorded, gifts: 2 }, "gift")
    }))

  const expected = {
    NEW: "PENDING",
    WAITING: "PENDING",
    PROCESSING: "PENDING",
    FAILED: "FAILED",
    CANCELLED: "FAILED"
  } as const

  it.each(Object.entries(expected))("is, while its charge is %s, %s, and nothing was taken", (status, wanted) =>
    forEvery(paid, ({ entry, recorded: { charge, gift } }) => {
      const unpaid = { ...charge, status: status as Charge["status"], processor_fee_cents: null }
      const rest = { ...alone, isLate: false, refunds: [], disputes: [], transferred_cents: 0, entries: [] }
      for (const own of ["PENDING", "CONFIRMED", "FAILED", "REFUNDED"] as const) {
        const recorded = { ...rest, charge: unpaid, gift: gift && { ...gift, status: own, refunded_amount_cents: 0 } }
        says(recorded, own === wanted ? null : "gift")
      }
      const taken = entriesOf(entry, [["charge", "donor", "organisation", amount]])
      const failed = gift && { ...gift, status: wanted, refunded_amount_cents: 0 }
      says({ ...rest, charge: unpaid, gift: failed, entries: taken }, "taken")
    })
  )

  it("failed, and its money came after all: it is held, but that of a bank transfer comes as credits", () =>
    forEvery(paid, ({ entry, recorded: { charge, gift } }) => {
      const late: ChargeRecords = {
        charge: { ...charge, status: "FAILED", processor_fee_cents: null },
        ...alone,
        isLate: true,
        gift: gift && { ...gift, status: "FAILED", refunded_amount_cents: 0 },
        refunds: [],
        disputes: [],
        transferred_cents: 0,
        entries: []
      }
      const came = { ...late, entries: entriesOf(entry, [["charge", "donor", "held", amount]]) }
      const isCredit = charge.method === "bank_transfer"
      says(late, isCredit ? null : "taken")
      says(came, isCredit ? "taken" : null)
    }))
})

const giftStatuses = { pending: "PENDING", succeeded: "CONFIRMED", failed: "FAILED", reversed: "REFUNDED" } as const

describe("a shared payment beside its recipients", () => {
  /** A payment that was shared out: parts in every status, which its charge paid. */
  const distributed = fc
    .tuple(
      paid,
      fc.boolean(),
      fc.array(
        fc.record({
          transfer_status: fc.constantFrom("pending", "succeeded", "failed", "reversed"),
          net_amount_cents: fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 100 }))
        }),
        { minLength: 1, maxLength: 3 }
      )
    )
    .map(([{ entry, recorded }, isBegun, drawn]) => {
      const { charge, gift } = recorded
      const parts = drawn.map(({ net_amount_cents, transfer_status }, index) => {
        const gross_amount_cents = index === 0 ? amount - 50 * (drawn.length - 1) : 50
        const isLive = transfer_status === "pending" || transfer_status === "succeeded"
        return {
          gross_amount_cents,
          net_amount_cents,
          transfer_status,
          gift: gift && { ...gift, amount_cents: gross_amount_cents, status: giftStatuses[transfer_status] },
          live_gifts: isLive ? 1 : 0,
          gifts: net_amount_cents > 0 ? index + 1 : 1,
          series: index + 1,
          brought_cents: transfer_status === "succeeded" ? net_amount_cents : 0,
          under_way: isBegun && transfer_status === "pending" && net_amount_cents > 0 ? 1 : 0
        }
      })
      const transferred_cents = parts.reduce((sum, { brought_cents }) => sum + brought_cents, 0)
      const given = entriesOf(entry, [["transfer", "held", `recipient:${link}`, transferred_cents]])
      return {
        ...recorded,
        charge: { ...charge, purpose: "payment" as const },
        gift: null,
        gifts: 0,
        transferred_cents,
        entries: [...recorded.entries, ...given],
        shared: { currency: "AUD", isBegun, isPaid: true, total_amount_cents: amount, parts }
      }
    })

  it("agrees, and tells of each part whose gift or transfers are other than it says", () =>
    forEvery(distributed, fc.nat(), cent, (recorded, nth, cents) => {
      says(recorded, null)
      const { shared } = recorded
      const at = nth % shared.parts.length
      type Part = (typeof shared.parts)[number]
      const altered = (change: (part: Part) => Partial<Part>) => ({
        ...recorded,
        shared: { ...shared, parts: shared.parts.map((part, n) => (n === at ? { ...part, ...change(part) } : part)) }
      })
      says(
        altered(({ brought_cents }) => ({ brought_cents: brought_cents + cents })),
        "attempts"
      )
      says(
        altered(({ under_way }) => ({ under_way: 1 - under_way })),
        "attempts"
      )
      says(
        altered(({ live_gifts }) => ({ live_gifts: live_gifts + 1 })),
        "recipients"
      )
      says(
        altered(({ gifts }) => ({ gifts: gifts + 1 })),
        "recipients"
      )
      says(
        altered(() => ({ gift: null })),
        "recipients"
      )
      says(
        altered(({ gift }) => ({ gift: gift && { ...gift, amount_cents: gift.amount_cents + cents } })),
        "recipients"
      )
      says(
        altered(({ gift }) => ({ gift: gift && { ...gift, currency: "NZD" } })),
        "recipients"
      )
      says(
        altered(({ gross_amount_cents }) => ({ gross_amount_cents: gross_amount_cents + cents })),
        "recipients"
      )
      says({ ...recorded, shared: { ...shared, currency: "NZD" } }, "recipients")
      says({ ...recorded, shared: { ...shared, isPaid: false } }, "recipients")
      says({ ...recorded, shared: { ...shared, total_amount_cents: amount + cents } }, "recipients")
      says({ ...recorded, shared: null }, "recipients")
    }))

  it("agrees where a part has come to nothing and has no gift, and tells where it has one", () =>
    forEvery(distributed, (recorded) => {
      const { shared } = recorded
      const [first] = shared.parts
      assert.isDefined(first)
      if (first === undefined) return
      const none = { gross_amount_cents: 0, net_amount_cents: 0, gift: null, gifts: 0, live_gifts: 0 }
      const empty = { ...first, ...none, brought_cents: 0, under_way: 0 }
      const withPart = (given: Partial<typeof first>) => ({
        ...recorded,
        shared: { ...shared, parts: [...shared.parts, { ...empty, ...given }] }
      })
      says(withPart({}), null)
      says(withPart({ gifts: 1 }), "recipients")
      says(withPart({ gift: first.gift }), "recipients")
      says(withPart({ gift: first.gift, gifts: 1 }), "recipients")
    }))
})

describe("an invoice beside its charge", () => {
  const invoiced = paid.map(({ recorded }) => ({
    ...recorded,
    charge: { ...recorded.charge, purpose: "invoice" as const },
    invoice: {
      amount_cents: amount,
      currency: "AUD" as const,
      status: "PAID" as const,
      charge_id: recorded.charge.id,
      gift: recorded.gift
    }
  }))

  it("is paid with it, by a gift of it, and not while it has not succeeded", () =>
    forEvery(invoiced, cent, ({ invoice, ...recorded }, cents) => {
      says({ ...recorded, invoice }, null)
      says({ ...recorded, invoice: null }, "invoice")
      says({ ...recorded, invoice: { ...invoice, amount_cents: amount + cents } }, "invoice")
      says({ ...recorded, invoice: { ...invoice, status: "OPEN" } }, "invoice")
      says({ ...recorded, invoice: { ...invoice, gift: null } }, "invoice")
      says({ ...recorded, invoice, paid_invoices: 1 }, null)
      says({ ...recorded, invoice, paid_invoices: 2 }, "invoice")
      const { gift } = recorded
      const repeated = {
        ...recorded,
        gift: gift && { ...gift, subscription_id: SubscriptionId.make("sub_01jqz6x8h4e5vb9m2k7ncw3t5d") }
      }
      says({ ...repeated, charge: { ...recorded.charge, purpose: "donation" }, invoice: null }, "invoice")
      const { charge } = recorded
      const failed = { ...charge, status: "FAILED" as const, processor_fee_cents: null }
      const nothing = { ...recorded, charge: failed, refunds: [], disputes: [], entries: [], gift: null, gifts: 0 }
      says({ ...nothing, invoice: { ...invoice, status: "OPEN", gift: null } }, null)
      says({ ...nothing, invoice }, "invoice")
    }))
})
