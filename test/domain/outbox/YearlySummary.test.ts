import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { DonationId, DonorId, OrganisationId } from "../../../src/domain/kernel/Ids.ts"
import { plainText } from "../../../src/domain/kernel/MailContent.ts"
import { holds } from "../../../src/domain/kernel/Rule.ts"
import { wordsIn } from "../../../src/domain/outbox/MailWords.ts"
import { type YearlySummaryFacts, yearlySummaryMail } from "../../../src/domain/outbox/ReceiptMail.ts"
import {
  advanceSummary,
  beginSummary,
  readerRule,
  readSubject,
  subjectText,
  summaryRecord,
  yearDueOn,
  yearNamed,
  yearOf
} from "../../../src/domain/outbox/YearlySummary.ts"
import { forEvery } from "../../support/Property.ts"

const dayMillis = 86_400_000

const days = fc
  .integer({ min: Date.UTC(1960, 0, 1) / dayMillis, max: Date.UTC(2200, 0, 1) / dayMillis })
  .map((count) => CalendarDate.make(new Date(count * dayMillis).toISOString().slice(0, 10)))

const millis = (text: string): number => Date.parse(`${text}T00:00:00Z`)

describe("the year of a summary", () => {
  it("is the last from 1 July to 30 June that ended a week before, and has one name", () =>
    forEvery(days, (today) => {
      const { ends_on, label, starts_on } = yearDueOn(today)
      const year = Number(ends_on.slice(0, 4))
      assert.deepStrictEqual([starts_on, ends_on].map(String), [`${year - 1}-07-01`, `${year}-06-30`])
      assert.isAtLeast(millis(today) - millis(ends_on), 8 * dayMillis)
      assert.isBelow(millis(today) - millis(`${year + 1}-06-30`), 8 * dayMillis)
      assert.strictEqual(label, `${year - 1}-${ends_on.slice(2, 4)}`)
      assert.deepStrictEqual(yearNamed(label), Option.some(yearOf(ends_on)))
    }))

  it("is none of another name", () => {
    for (const name of ["2025", "2025-27", "2025-2026", "25-26", "2025-26 ", "0999-00", "9999-00", ""]) {
      assert.isTrue(Option.isNone(yearNamed(name)), name)
    }
  })

  it("is read from a mail's subject, with the donor and the day that it was asked for again", () =>
    forEvery(fc.tuple(days, fc.option(days)), ([day, again_on]) => {
      const donor_id = DonorId.make("dnr_01jqz6x8h4e5vb9m2k7ncw3t5d")
      const subject = { donor_id, year: yearOf(day), again_on }
      assert.deepStrictEqual(readSubject(subjectText(subject)), Option.some(subject))
      for (const text of ["", donor_id, `${donor_id} 2025`, `${donor_id} 2025-26 today`, `don_1 2025-26`]) {
        assert.isTrue(Option.isNone(readSubject(text)), text)
      }
    }))
})

it("the summaries of a year count the mails of all steps, and are complete with the last one", () => {
  const donor = DonorId.make("dnr_01jqz6x8h4e5vb9m2k7ncw3t5d")
  const steps = fc.array(fc.nat(3).map((count) => Array.from({ length: count }, () => donor)))
  // On 8 July in Sydney, while it is 7 July in UTC.
  const at = DateTime.makeUnsafe("2026-07-07T20:00:00Z")
  const id = OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5d")
  const begun = beginSummary({ id, timezone: "Australia/Sydney" }, at)
  forEvery(steps, (all) => {
    const under = all.reduce((before, donors) => advanceSummary(before, { donors, last: donor }, at), begun)
    const mail_count = all.flat().length
    const [starts_on, ends_on] = [CalendarDate.make("2025-07-01"), CalendarDate.make("2026-06-30")]
    const shown = { year: "2025-26", starts_on, ends_on, mail_count, begun_at: at, completed_at: null }
    assert.deepStrictEqual(summaryRecord(under), shown)
    const last = advanceSummary(under, { donors: [donor], last: null }, at)
    assert.deepInclude(last, { mail_count: mail_count + 1, completed_at: at, after_donor_id: under.after_donor_id })
  })
})

it("a summary goes to donors with an address who are in use and did not ask to be left alone", () => {
  const written = { email: "kim@example.org", archived_at: null, do_not_contact: false }
  const others = [
    written,
    { ...written, email: null },
    { ...written, archived_at: 0 },
    { ...written, do_not_contact: true }
  ]
  assert.deepStrictEqual(
    others.map((donor) => holds(readerRule, donor)),
    [true, false, false, false]
  )
})

const { amount: amountText } = wordsIn("en-AU")

const cents = fc.integer({ min: 1, max: 1_000_000 })

const facts: fc.Arbitrary<YearlySummaryFacts> = fc
  .record({
    gifts: fc.array(
      fc.record({ amount_cents: cents, back: fc.constantFrom(0, 0.5, 1), currency: fc.constantFrom("AUD", "NZD") }),
      { minLength: 1, maxLength: 5 }
    ),
    is_deductible: fc.boolean(),
    is_again: fc.boolean(),
    unlisted: fc.nat(2)
  })
  .map(({ gifts, is_again, is_deductible, unlisted }) => {
    const all = gifts.map(({ amount_cents, back, currency }) => ({
      id: DonationId.make("don_01jqz6x8h4e5vb9m2k7ncw3t5d"),
      donation_day: CalendarDate.make("2026-01-01"),
      amount_cents,
      refunded_amount_cents: Math.floor(amount_cents * back),
      currency
    }))
    const sums = [...new Set(all.map(({ currency }) => currency))].map((currency) => {
      const own = all.filter((gift) => gift.currency === currency)
      return {
        currency,
        gift_count: own.length,
        amount_cents: own.reduce((sum, each) => sum + each.amount_cents, 0),
        refunded_amount_cents: own.reduce((sum, each) => sum + each.refunded_amount_cents, 0)
      }
    })
    return {
      language: "en-AU",
      organisation: { name: "Sea\r\nRescue", abn: null, is_sandbox: false },
      settings: { fund_name: "Sea Fund", fund_abn: "53004085616", is_deductible },
      donor_name: "Ada",
      year: yearOf(CalendarDate.make("2026-01-01")),
      gifts: all.slice(unlisted),
      sums,
      is_again
    }
  })

describe("the mail of a summary", () => {
  it("claims as deductible what is left of each currency, and nothing where that is not set or nothing is left", () =>
    forEvery(facts, (given) => {
      const text = plainText(yearlySummaryMail(given))
      const left = given.sums.flatMap(({ amount_cents, currency, refunded_amount_cents: back }) =>
        amount_cents > back ? [amountText(amount_cents - back, currency)] : []
      )
      const [, claimed = null] = /^Gifts to Sea Fund are tax deductible: (.+)\.$/m.exec(text) ?? []
      assert.strictEqual(claimed, given.settings.is_deductible && left.length > 0 ? left.join(" and ") : null)
    }))

  it("lists each gift with its number, tells how many are not listed, and whether there was one before", () =>
    forEvery(facts, (given) => {
      const content = yearlySummaryMail(given)
      assert.strictEqual(content.subject, "Summary of your gifts to Sea Rescue, 2025-26")
      const text = plainText(content)
      assert.strictEqual(text.match(/^1 January 2026, don_\w+: /gm)?.length ?? 0, given.gifts.length)
      const [, more = "0"] = /^(\d+) more gifts?/m.exec(text) ?? []
      const all = given.sums.reduce((total, { gift_count }) => total + gift_count, 0)
      assert.strictEqual(Number(more) + given.gifts.length, all)
      assert.strictEqual(text.includes("takes the place of any that you had"), given.is_again)
    }))
})
