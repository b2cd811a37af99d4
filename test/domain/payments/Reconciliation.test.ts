import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { IntegrationId, OrganisationId } from "../../../src/domain/kernel/Ids.ts"
import {
  type BookSums,
  beginOf,
  dayAfter,
  dayIn,
  differenceOf,
  emptyReport,
  lineOf,
  never,
  overlap,
  type Position,
  type StatementSums,
  silentEvery
} from "../../../src/domain/payments/Reconciliation.ts"
import { forEvery } from "../../support/Property.ts"

const cents = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 2 ** 40 }))

const booked: fc.Arbitrary<BookSums> = fc.record({
  taken_cents: cents,
  refunded_cents: cents,
  refunding_cents: cents,
  disputed_cents: cents,
  transferred_cents: cents,
  transferring_cents: cents,
  reversing_cents: cents,
  fee_cents: cents
})

const instant = fc.date({
  min: new Date("1990-01-01T00:00:00Z"),
  max: new Date("2090-01-01T00:00:00Z"),
  noInvalidDate: true
})

/** What a statement says that agrees with the books. */
const agreeing = (books: BookSums): StatementSums => ({
  taken_cents: books.taken_cents,
  refunded_cents: books.refunded_cents,
  disputed_cents: books.disputed_cents,
  transferred_cents: books.transferred_cents,
  fee_cents: books.fee_cents,
  other_cents: 0,
  foreign: 0
})

const positionOf = (books: BookSums, theirs: Partial<StatementSums> = {}): Position => ({
  reference: "pi_7",
  charge_id: null,
  theirs: { ...agreeing(books), ...theirs },
  booked: books
})

const nothingUnderWay = { refunding_cents: 0, transferring_cents: 0, reversing_cents: 0 }

const noTransfers = { transferred_cents: 0, transferring_cents: 0, reversing_cents: 0 }

const sentences = [
  ["taken_cents", "taken"],
  ["refunded_cents", "refunded"],
  ["disputed_cents", "disputed"],
  ["transferred_cents", "transferred"],
  ["fee_cents", "fees of"]
] as const

describe("a statement beside the books", () => {
  it("agrees with books that say the same, whatever refunds, transfers and reversals are under way", () =>
    forEvery(booked, fc.nat(), (books, part) => {
      const refunded_cents = books.refunded_cents + (part % (books.refunding_cents + 1))
      assert.isNull(differenceOf(positionOf(books)))
      assert.isNull(differenceOf(positionOf(books, { refunded_cents })))
      const range = books.transferring_cents + books.reversing_cents
      const transferred_cents = books.transferred_cents - books.reversing_cents + (part % (range + 1))
      assert.isNull(differenceOf(positionOf(books, { transferred_cents })))
    }))

  it("differs by what one of its columns has more or less, and says both", () =>
    forEvery(booked, fc.constantFrom(...sentences), cents, (all, [column, word], theirs) => {
      const books = { ...all, ...nothingUnderWay }
      fc.pre(theirs !== books[column])
      assert.deepStrictEqual(differenceOf(positionOf(books, { [column]: theirs })), {
        reason: `Of the charge pi_7 the processor's statement has ${word} ${theirs}, and the books ${books[column]}.`,
        amount_cents: Math.abs(theirs - books[column])
      })
    }))

  it("has back less than the books, or more than they and all refunds under way", () =>
    forEvery(booked, fc.integer({ min: 1, max: 500 }), (books, cents) => {
      const above = books.refunded_cents + books.refunding_cents + cents
      const more = differenceOf(positionOf(books, { refunded_cents: above }))
      assert.strictEqual(more?.amount_cents, books.refunding_cents + cents)
      const less = differenceOf(positionOf(books, { refunded_cents: books.refunded_cents - cents }))
      assert.strictEqual(less?.amount_cents, cents)
    }))

  it("moved something that no charge, refund or dispute is", () => {
    const books = {
      taken_cents: 1,
      refunded_cents: 2,
      refunding_cents: 3,
      disputed_cents: 4,
      fee_cents: 5,
      ...noTransfers
    }
    assert.deepStrictEqual(differenceOf(positionOf(books, { other_cents: -9 })), {
      reason: "Of the charge pi_7 the processor's statement has otherwise moved -9, and the books 0.",
      amount_cents: 9
    })
  })

  it("says every difference, and adds them up without one making good another", () => {
    const books = {
      taken_cents: 100,
      refunded_cents: 0,
      refunding_cents: 0,
      disputed_cents: 0,
      fee_cents: 3,
      ...noTransfers
    }
    assert.deepStrictEqual(differenceOf(positionOf(books, { taken_cents: 90, fee_cents: 13, foreign: 2 })), {
      reason:
        "Of the charge pi_7 the processor's statement has taken 90, and the books 100; fees of 13, and the books 3; 2 lines in another currency.",
      amount_cents: 20
    })
    assert.deepStrictEqual(differenceOf(positionOf(books, { foreign: 1 })), {
      reason: "Of the charge pi_7 the processor's statement has 1 lines in another currency.",
      amount_cents: 0
    })
  })
})

describe("the days of statements", () => {
  it("are those of UTC: an instant is on the day that began last", () =>
    forEvery(instant, (date) => {
      const day = dayIn(DateTime.makeUnsafe(date))
      assert.strictEqual(day, date.toISOString().slice(0, 10))
      const [begun, next] = [DateTime.toEpochMillis(beginOf(day)), DateTime.toEpochMillis(beginOf(dayAfter(day)))]
      assert.strictEqual(begun, Math.floor(date.getTime() / 86_400_000) * 86_400_000)
      assert.strictEqual(next - begun, 86_400_000)
    }))

  it("follow one another over leap days and years", () => {
    const after = (day: string): string => dayAfter(CalendarDate.make(day))
    assert.deepStrictEqual(["2024-02-28", "2024-02-29", "2026-02-28", "2026-12-31"].map(after), [
      "2024-02-29",
      "2024-03-01",
      "2026-03-01",
      "2027-01-01"
    ])
  })

  it("are looked at again for a day, and silent charges once in a day", () => {
    assert.deepStrictEqual([overlap, silentEvery].map(Duration.toHours), [24, 24])
  })
})

describe("a reconciliation", () => {
  it("of an account that had none knows nothing of it but its name", () => {
    const organisation_id = OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5d")
    const integration_id = IntegrationId.make("intg_01jqz6x8h4e5vb9m2k7ncw3t5d")
    const { organisation_id: own, integration_id: account, ...rest } = never(organisation_id, integration_id)
    assert.deepStrictEqual([own, account], [organisation_id, integration_id])
    assert.deepStrictEqual(new Set(Object.values(rest)), new Set([null]))
  })

  it("counts on one line, in the order of what is done", () => {
    assert.strictEqual(
      lineOf(emptyReport),
      "accounts=0 accounts_busy=0 accounts_unreached=0 charges_listed=0 charges_looked_at=0 charges_repaired=0 notices_applied=0 movements_read=0 days_compared=0 exceptions_raised=0"
    )
    assert.match(lineOf({ ...emptyReport, movements_read: 12 }), / movements_read=12 days_compared=0 /)
  })
})
