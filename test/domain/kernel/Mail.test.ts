import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Result, Schema } from "effect"
import fc from "fast-check"
import { MailId, OrganisationId, UserId } from "../../../src/domain/kernel/Ids.ts"
import { parse } from "../../../src/domain/kernel/Listing.ts"
import * as Mail from "../../../src/domain/kernel/Mail.ts"
import * as Rule from "../../../src/domain/kernel/Rule.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { instant } from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const minute = 60_000
const hour = 60 * minute

const given = fc.record({
  id: arbitraryOf(MailId),
  organisation_id: arbitraryOf(OrganisationId),
  template: fc.constantFrom(...Mail.Template.literals),
  subject_id: fc.string(),
  recipient_id: fc.option(arbitraryOf(UserId))
})

const created = fc.tuple(given, instant).map(([fields, at]) => Mail.create(fields, at))

/** For how long a mail is tried: a code is of no use later, and nobody waits for it. pages, section 2. */
const triedMillis = ({ template }: Mail.Mail): number => (template === "card_code" ? 15 * minute : 72 * hour)

const attempts = fc.oneof(fc.nat(12), fc.nat(100_000))

const millisOf = (attempt_count: number): number => Duration.toMillis(Mail.delayAfter(attempt_count))

const isMail = Schema.is(Mail.Mail)

describe("lanes", () => {
  /** The lane of a mail, by who waits for it: most are owed to their readers. pages, section 2: Mails. */
  const expected = (template: Mail.Template): Mail.Lane => {
    if (template === "card_code") return "asked"
    if (template === "introduction") return "written"
    return template === "yearly_summary" ? "yearly" : "owed"
  }

  it("are four, of which what people write to each other alone draws on budgets", () => {
    assert.deepStrictEqual([...new Set(Mail.Template.literals.map(expected))].sort(), [...Mail.Lane.literals].sort())
    for (const lane of Mail.Lane.literals) assert.strictEqual(Mail.hasBudgets(lane), lane === "written", lane)
  })

  it("let nobody have a receipt or a summary twice, and have a correction as often as something changes", () => {
    for (const template of Mail.Template.literals) {
      assert.strictEqual(Mail.laneOf({ template }), expected(template), template)
      const isOnce = template === "receipt" || template.endsWith("_summary")
      assert.strictEqual(Mail.singleTemplates.includes(template), isOnce, template)
    }
  })

  it("send what was asked for within fifteen minutes or never, and everything else however late", () =>
    forEvery(created, fc.integer({ min: -1, max: 1 }), (mail, offset) => {
      const now = DateTime.add(mail.created_at, { milliseconds: 15 * minute + offset })
      assert.strictEqual(Mail.isLate(mail, now), mail.template === "card_code" && offset >= 0)
    }))
})

describe("a mail", () => {
  it("is due at once, before any attempt", () =>
    forEvery(given, instant, (fields, at) => {
      const mail = Mail.create(fields, at)
      assert.deepStrictEqual(mail, {
        ...fields,
        status: "PENDING",
        attempt_count: 0,
        delayed_by: null,
        next_attempt_at: at,
        created_at: at,
        completed_at: null
      })
      assert.isTrue(isMail(mail))
    }))

  it("counts an attempt when it begins, and is another worker's when its lease ends", () => {
    forEvery(created, attempts, instant, (mail, attempt_count, lease_until) => {
      const before = { ...mail, attempt_count }
      const after = Mail.beginAttempt(before, lease_until)
      assert.deepStrictEqual(after, { ...before, attempt_count: attempt_count + 1, next_attempt_at: lease_until })
      assert.isTrue(isMail(after))
    })
    assert.strictEqual(Mail.leaseSeconds, 2 * 60)
  })

  it("is due no more once it has ended, however it ended, and is kept for thirty days", () => {
    const status = fc.constantFrom("SENT" as const, "DROPPED" as const, "FAILED" as const)
    forEvery(created, status, instant, (mail, end, at) => {
      const ended = Mail.endMail(mail, end, at)
      assert.deepStrictEqual(ended, { ...mail, status: end, next_attempt_at: null, completed_at: at })
      assert.isTrue(isMail(ended))
    })
    assert.strictEqual(Mail.keptDays, 30)
  })
})

it("the list of mails takes every status that a mail can have, and that of one that cannot be read", () => {
  const statuses = ["PENDING", "SENT", "DROPPED", "FAILED", "UNREADABLE"]
  forEvery(fc.constantFrom(...statuses, "", "LOST", "pending", "DELIVERED"), (status) => {
    const read = parse(Mail.listing, [["status", status]])
    assert.strictEqual(Result.isSuccess(read), statuses.includes(status))
  })
})

describe("a mail that a budget delays", () => {
  it("is as it was before the attempt, says which budget and until when, and says so no more when it is begun", () => {
    const by = fc.constantFrom(...Mail.Budget.literals)
    forEvery(created, fc.nat(9), by, instant, instant, (fresh, attempt_count, budget, lease_until, until) => {
      const before = { ...fresh, attempt_count }
      const waiting = Mail.delayMail(Mail.beginAttempt(before, lease_until), budget, until)
      assert.deepStrictEqual(waiting, { ...before, delayed_by: budget, next_attempt_at: until })
      assert.isTrue(isMail(waiting))
      assert.isNull(Mail.beginAttempt(waiting, lease_until).delayed_by)
    })
    assert.deepStrictEqual(Mail.budgetSizes, { organisation_budget: 200, address_budget: 10 })
  })

  it("counts for a day from when it was begun, and then gives its place up", () =>
    forEvery(instant, fc.integer({ min: -2, max: 2 }), (begun, offset) => {
      const room = Mail.roomAt(begun)
      assert.strictEqual(room.epochMilliseconds - begun.epochMilliseconds, 24 * hour)
      const now = DateTime.addDuration(room, Duration.millis(offset))
      assert.strictEqual(Rule.holdsAt(Mail.budgetRule, { begun_at: begun }, now), offset < 0)
      assert.isFalse(Rule.holdsAt(Mail.budgetRule, { begun_at: null }, now))
    }))

  it("lies no further ahead than its lease, its wait, or, while it is new, than now", () => {
    assert.strictEqual(Mail.aheadAtMostSeconds(0, false), 0)
    forEvery(attempts, (attempt_count) => {
      assert.strictEqual(Mail.aheadAtMostSeconds(attempt_count, true), Mail.leaseSeconds)
      const wait = millisOf(attempt_count + 1) / 1_000
      assert.strictEqual(Mail.aheadAtMostSeconds(attempt_count + 1, false), wait)
    })
  })
})

describe("a mail that cannot be sent", () => {
  it("waits a minute first, then twice as long each time, six hours at most", () => {
    assert.strictEqual(millisOf(1), minute)
    forEvery(attempts, (before) => {
      const attempt_count = before + 1
      assert.strictEqual(millisOf(attempt_count + 1), Math.min(2 * millisOf(attempt_count), 6 * hour))
    })
  })

  it("is given up when the next attempt would be later than 72 hours after it was made, a code after 15 minutes", () =>
    forEvery(created, attempts, fc.integer({ min: -2, max: 2 }), (fresh, attempt_count, offset) => {
      const mail = { ...fresh, attempt_count }
      const last = mail.created_at.epochMilliseconds + triedMillis(mail)
      const at = DateTime.makeUnsafe(last - millisOf(attempt_count) + offset)
      const next_attempt_at = DateTime.makeUnsafe(last + offset)
      assert.deepStrictEqual(
        Mail.failAttempt(mail, at),
        offset > 0 ? Mail.endMail(mail, "FAILED", at) : { ...mail, next_attempt_at }
      )
    }))

  it("is tried until less than its next wait is left of that time", () =>
    forEvery(created, fc.nat(minute), (fresh, takesMillis) => {
      let mail = fresh
      let tried = mail.created_at
      while (mail.next_attempt_at !== null) {
        tried = DateTime.addDuration(mail.next_attempt_at, Duration.millis(takesMillis))
        mail = Mail.failAttempt(Mail.beginAttempt(mail, DateTime.add(tried, { seconds: Mail.leaseSeconds })), tried)
      }
      assert.strictEqual(mail.status, "FAILED")
      const spent = tried.epochMilliseconds - mail.created_at.epochMilliseconds
      assert.isAtMost(spent, triedMillis(mail) + takesMillis)
      assert.isAbove(spent + millisOf(mail.attempt_count), triedMillis(mail))
    }))
})
