import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { DonationId } from "../../../src/domain/kernel/Ids.ts"
import { typesOf } from "../../../src/domain/kernel/Machine.ts"
import { type Invoice, newInvoice } from "../../../src/domain/payments/Invoice.ts"
import * as Renewal from "../../../src/domain/payments/Renewal.ts"
import type { Subscription } from "../../../src/domain/payments/Subscription.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const dayMillis = 86_400_000
const start = Date.UTC(2026, 0, 5)

/** Days are numbers in these tests: the nth after the first. */
const dayOf = (n: number): CalendarDate => CalendarDate.make(new Date(start + n * dayMillis).toISOString().slice(0, 10))
const numberOf = (day: string): number => (Date.parse(day) - start) / dayMillis
/** The beginning of a day, and some hours after it, in UTC. */
const at = (n: number, hours = 0): DateTime.Utc => DateTime.makeUnsafe(start + n * dayMillis + hours * 3_600_000)

const [subscription = assert.fail("none"), ...others] = fc.sample(Generators.subscription, { numRuns: 20, seed: 1 })
const [charge = assert.fail("none")] = fc.sample(Generators.charge, { numRuns: 1, seed: 1 })
const [invoice = assert.fail("none")] = fc.sample(Generators.invoice, { numRuns: 1, seed: 1 })
const [donation_id = assert.fail("none")] = fc.sample(arbitraryOf(DonationId), { numRuns: 1, seed: 1 })

/** A recurring gift that is due on the first day and every `every` days after it, and has invoices for those before `next`. */
const dueEvery = (every: 7 | 14, next: number | null): Subscription => ({
  ...subscription,
  frequency: every === 7 ? "WEEKLY" : "FORTNIGHTLY",
  anchor_day: dayOf(0),
  next_charge_on: next === null ? null : dayOf(next)
})

describe("the due days that have come", () => {
  it("get an invoice where they are the last one or of the last 7 days, and are all told of, once", () => {
    const due = fc.record({ every: fc.constantFrom(7 as const, 14 as const), first: fc.nat(3), today: fc.nat(80) })
    forEvery(due, ({ every, first, today }) => {
      const next = first * every
      const { made, skipped } = Renewal.dueDaysOf(dueEvery(every, next), dayOf(today))
      const come = Array.from({ length: 90 }, (_, day) => day).filter(
        (day) => day >= next && day <= today && day % every === 0
      )
      assert.deepStrictEqual([...skipped, ...made].map(numberOf), come)
      const last = Math.max(...come)
      for (const day of made.map(numberOf)) assert.isTrue(day === last || today - day <= 7, `${day} is too old`)
      for (const day of skipped.map(numberOf)) assert.isTrue(day !== last && today - day > 7, `${day} is skipped`)
    })
  })

  it("are none of a gift that has ended", () => {
    assert.deepStrictEqual(Renewal.dueDaysOf(dueEvery(7, null), dayOf(80)), { made: [], skipped: [] })
  })
})

it("a new invoice is open, has failed never, and nothing was tried for it", () => {
  const { amount_cents, currency, due_on, id, next_attempt_at, organisation_id, subscription_id } = invoice
  const due = { amount_cents, currency, due_on, id, next_attempt_at, organisation_id, subscription_id }
  const { charge_id, donation_id, ended_at, failed_at, failed_donation_id, ...rest } = newInvoice(due, at(0))
  assert.deepStrictEqual(rest, { ...due, status: "OPEN", failures: 0, created_at: at(0), updated_at: at(0) })
  for (const each of [charge_id, donation_id, ended_at, failed_at, failed_donation_id]) assert.isNull(each)
})

/** Open invoices, one for each due day, with when each is tried for. */
const open = fc
  .uniqueArray(fc.record({ due: fc.nat(30), hours: fc.option(fc.integer({ min: -48, max: 48 })) }), {
    maxLength: 5,
    selector: ({ due }) => due
  })
  .map((all) =>
    all.map(
      ({ due, hours }): Invoice => ({
        ...invoice,
        due_on: dayOf(due),
        next_attempt_at: hours === null ? null : at(15, hours)
      })
    )
  )

const hoursUntil = ({ next_attempt_at }: Invoice): number =>
  next_attempt_at === null
    ? Number.POSITIVE_INFINITY
    : (next_attempt_at.epochMilliseconds - at(15).epochMilliseconds) / 3_600_000

describe("the worker that renews a gift", () => {
  it("charges the invoice that was due last of those whose time has come, and none twice on one day", () =>
    forEvery(open, fc.option(fc.constantFrom(14, 15)), (invoices, last) => {
      const looked = { now: at(15), timezone: "UTC", open: invoices }
      const charged = { ...subscription, last_charged_on: last === null ? null : dayOf(last) }
      const found = Renewal.attemptOf(charged, looked)
      const ready = last === 15 ? [] : invoices.filter((each) => hoursUntil(each) <= 0)
      const latest = Math.max(...ready.map(({ due_on }) => numberOf(due_on)))
      assert.strictEqual(found === undefined, ready.length === 0)
      if (found !== undefined) assert.strictEqual(numberOf(found.due_on), latest)
    }))

  it("looks again at the next due day or attempt, whichever comes first, and at no attempt on the day of a charge", () => {
    const cases = fc.record({
      next: fc.option(fc.integer({ min: 10, max: 20 })),
      last: fc.option(fc.integer({ min: 10, max: 20 }))
    })
    forEvery(open, cases, (invoices, { last, next }) => {
      const looked = { now: at(15), timezone: "UTC", open: invoices }
      const given = {
        ...subscription,
        next_charge_on: next === null ? null : dayOf(next),
        last_charged_on: last === null ? null : dayOf(last)
      }
      const attempt = Math.max(15 * 24 + Math.min(...invoices.map(hoursUntil)), last === null ? 0 : (last + 1) * 24)
      const expected = Math.min(attempt, next === null ? Number.POSITIVE_INFINITY : next * 24)
      const looks = Renewal.nextPollAt(given, looked)
      assert.deepStrictEqual(looks, Number.isFinite(expected) ? at(0, expected) : null)
    })
  })

  it("reads days in the organisation's timezone", () => {
    // In Sydney the sixteenth day has begun for ten hours already.
    const looked = { now: at(15, 23), timezone: "Australia/Sydney", open: [{ ...invoice, next_attempt_at: at(1) }] }
    assert.isUndefined(Renewal.attemptOf({ ...subscription, last_charged_on: dayOf(16) }, looked))
    const monthly = { ...subscription, next_charge_on: dayOf(20), last_charged_on: null }
    assert.deepStrictEqual(Renewal.nextPollAt(monthly, { ...looked, open: [] }), at(19, 13))
  })

  it("waits for a first payment for a day after it failed", () => {
    assert.isNull(Renewal.lapsesAt({ failed_at: null }))
    assert.deepStrictEqual(Renewal.lapsesAt({ failed_at: at(3) }), at(4))
  })
})

describe("the gift of a renewal", () => {
  const drafted = [subscription, ...others].map((of) => ({
    of,
    draft: Renewal.renewalGiftOf(
      of,
      { ...charge, created_at: at(2, 20) },
      { id: donation_id, timezone: "Australia/Sydney" }
    )
  }))

  it("is dated by the charge's start, is of the processor, and has what the recurring gift keeps", () => {
    for (const { draft, of } of drafted) {
      assert.deepInclude(draft, {
        id: donation_id,
        source: "PAYMENT_PROCESSOR",
        status: "PENDING",
        is_recurring: true,
        subscription_id: of.id,
        charge_id: charge.id,
        donation_date: at(2, 20),
        donation_day: dayOf(3),
        amount_cents: charge.amount_cents,
        currency: charge.currency,
        payment_method: charge.method
      })
      const kept = [
        "organisation_id",
        "donor_id",
        "donation_form_id",
        "campaign_id",
        "revenue_code",
        "revenue_code_id",
        "consent_given",
        "consent_responses"
      ] as const
      for (const name of kept) assert.deepStrictEqual(draft[name], of[name], name)
    }
  })

  it("is there when its charge ends: confirmed on the day of the money, or failed with the code", () => {
    for (const { draft } of drafted) {
      const paid = Renewal.paidGift({ draft, isFirstFailure: true }, { at: at(6), today: dayOf(7) })
      assert.deepStrictEqual(typesOf(paid.events), ["donation.created", "donation.succeeded"])
      assert.deepStrictEqual(paid.state, {
        ...draft,
        status: "CONFIRMED",
        received_date: at(6),
        received_day: dayOf(7),
        created_at: at(6),
        updated_at: at(6)
      })
      const refused = { at: at(6), failure_code: "card_declined" }
      const failed = Result.getOrThrow(Renewal.failedGift({ draft, isFirstFailure: true }, refused))
      assert.deepStrictEqual(typesOf(failed.events), ["donation.created", "donation.failed"])
      assert.deepInclude(failed.state, {
        status: "FAILED",
        failure_code: "card_declined",
        created_at: at(6),
        updated_at: at(6)
      })
      assert.deepInclude(failed.events[0]?.data, { status: "PENDING" })
    }
  })
})
