import { DateTime, Duration, Effect, Result } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import { parse } from "../../domain/kernel/Listing.ts"
import * as Mail from "../../domain/kernel/Mail.ts"
import { type Admission, type ClaimedMail, MailOutbox } from "../../ports/kernel/MailOutbox.ts"
import { assert } from "./Assert.ts"
import { millis } from "./DueRecords.ts"
import { addMail, ago, aWhile, claim, claimFirst, findMail, ids, isHeldFor, keepMail, mailIn } from "./MailRecords.ts"
import { freshId } from "./Records.ts"
import { lawsOf, same } from "./Suite.ts"

const { law, must } = lawsOf(MailOutbox)

const budget = Mail.budgetSizes.address_budget

/** Admits claimed mails, all at the same moment. */
const admitAll = Effect.fnUntraced(function* (
  claimed: ReadonlyArray<ClaimedMail>,
  address_hashes: ReadonlyArray<string>
) {
  const outbox = yield* MailOutbox
  return yield* Effect.forEach(claimed, (each) => outbox.admit(each, { address_hashes, lease: aWhile }), {
    concurrency: "unbounded"
  })
})

const tagsOf = (admissions: ReadonlyArray<Admission>): ReadonlyArray<string> =>
  admissions.map(({ _tag }) => _tag).toSorted()

const repeated = (tag: string, times: number): ReadonlyArray<string> => Array.from({ length: times }, () => tag)

/** Claims so many mails, admits them under these hashes, and ends them. */
const fill = Effect.fnUntraced(function* (count: number, address_hashes: ReadonlyArray<string>) {
  const outbox = yield* MailOutbox
  for (let index = 0; index < count; index++) yield* addMail(1)
  const claimed = yield* claim()
  same(tagsOf(yield* admitAll(claimed, address_hashes)), repeated("Admitted", count))
  const now = yield* outbox.now
  for (const each of claimed) yield* outbox.settle({ ...each, mail: Mail.endMail(each.mail, "SENT", now) })
})

const budgets = [
  must(
    "of the mails to one address, of any organisations, as many are begun as its budget holds; the others wait a day",
    ["MailOutbox.admit MUST be exact, however many ask at the same moment."],
    function* ({ store: outbox }) {
      const hash = yield* freshId("request")
      yield* fill(budget - 3, [hash])
      for (let index = 0; index < 8; index++) yield* addMail(1)
      const claimed = yield* claim()
      const begun = yield* outbox.now
      const admissions = yield* admitAll(claimed, [hash])
      same(tagsOf(admissions), [...repeated("Admitted", 3), ...repeated("Delayed", 5)])
      for (const [index, admission] of admissions.entries()) {
        const each = claimed[index]
        if (each === undefined || admission._tag !== "Delayed") continue
        assert.strictEqual(admission.by, "address_budget")
        assert.isAtMost(millis(admission.until), millis(begun) + Limits.mailBudgetHours * 3_600_000)
        assert.isAtLeast(millis(admission.until), millis(begun) + (Limits.mailBudgetHours - 1) * 3_600_000)
        same(yield* findMail(each.mail), Mail.delayMail(each.mail, admission.by, admission.until))
      }
      same(ids(yield* claim()), [])
      const other = yield* addMail(1)
      const [free] = yield* claim()
      assert.strictEqual(free?.mail.id, other.id)
      same(tagsOf(yield* admitAll(free === undefined ? [] : [free], [yield* freshId("request")])), ["Admitted"])
    }
  ),

  law("of an organisation's mails as many are begun as its budget holds", function* ({ store: outbox, id }) {
    const size = Mail.budgetSizes.organisation_budget
    const mails = yield* Effect.forEach(Array.from({ length: size + 2 }), () =>
      Effect.flatMap(ago(1), (due) => mailIn(id, due))
    )
    yield* Effect.forEach(mails, keepMail, { discard: true })
    const claimed = yield* claim(1_000)
    const admissions = yield* Effect.forEach(claimed, (each) =>
      outbox.admit(each, { address_hashes: [each.mail.id], lease: aWhile })
    )
    same(tagsOf(admissions), [...repeated("Admitted", size), ...repeated("Delayed", 2)])
    const waiting = Result.getOrThrow(parse(Mail.listing, [["delayed_by", "organisation_budget"]]))
    const delays = (yield* outbox.list(id, waiting)).data.map(({ delayed_by }) => delayed_by)
    same(delays, ["organisation_budget", "organisation_budget"])
    yield* addMail(1)
    assert.lengthOf(yield* claim(), 1)
  }),

  must(
    "a mail that is owed is begun although the budget is used up, and counts toward none",
    ["MailOutbox.admit MUST draw on none, and count toward none"],
    function* ({ id }) {
      const hash = yield* freshId("request")
      yield* fill(budget - 1, [hash])
      for (const [template, tag] of [
        ["disclosure_duties", "Admitted"],
        ["introduction", "Admitted"],
        ["disclosure_duties", "Admitted"],
        ["introduction", "Delayed"]
      ] as const) {
        yield* keepMail({ ...(yield* mailIn(id, yield* ago(1))), template })
        same(tagsOf(yield* admitAll(yield* claim(100, aWhile, Mail.laneOf({ template })), [hash])), [tag])
      }
    }
  ),

  must(
    "a budget is the same under every key of the ring",
    ["MailOutbox.admit MUST be compared with what was counted under any."],
    function* () {
      const [older, newer] = [yield* freshId("request"), yield* freshId("request")]
      yield* fill(budget - 1, [older])
      yield* fill(1, [newer, older])
      for (const [hashes, tag] of [
        [[newer, older], "Delayed"],
        [[older, newer], "Delayed"],
        [[newer], "Admitted"]
      ] as const) {
        yield* addMail(1)
        same(tagsOf(yield* admitAll(yield* claim(), hashes)), [tag])
      }
    }
  ),

  law("a mail that counts is tried again, and one whose lease is over is not begun", function* ({ store: outbox }) {
    const hash = yield* freshId("request")
    yield* addMail(1)
    const first = yield* claimFirst()
    for (const lease of [Duration.hours(1), aWhile]) {
      const before = yield* outbox.now
      same(yield* outbox.admit(first, { address_hashes: [hash], lease }), { _tag: "Admitted" })
      isHeldFor(yield* findMail(first.mail), lease, before, yield* outbox.now)
    }
    yield* fill(budget - 1, [hash])
    yield* outbox.settle({ ...first, mail: { ...first.mail, next_attempt_at: yield* outbox.now } })
    same(tagsOf(yield* admitAll([first], [hash])), ["Lost"])
    same(tagsOf(yield* admitAll(yield* claim(), [hash])), ["Admitted"])
    yield* addMail(1)
    same(tagsOf(yield* admitAll(yield* claim(), [hash])), ["Delayed"])
    yield* addMail(1)
    const [expired] = yield* claim(1, Duration.zero)
    same(tagsOf(yield* admitAll(expired === undefined ? [] : [expired], [hash])), ["Lost"])
  })
]

const mending = [
  must(
    "what lies further ahead than anything can is brought to the furthest that can be, and the rest stays",
    [
      "MailOutbox.mend MUST become the furthest that can be, so that nothing comes early and nothing waits for the old time to come round."
    ],
    function* ({ store: outbox, id }) {
      const now = yield* outbox.now
      const later = (mail: Mail.Mail, seconds: number, attempt_count: number) =>
        keepMail({ ...mail, attempt_count, next_attempt_at: DateTime.addDuration(now, Duration.seconds(seconds)) })
      const far = yield* later(yield* mailIn(id, now), 1_000_000, 2)
      const near = yield* later(yield* mailIn(id, now), 90, 2)
      yield* outbox.mend
      assert.isAtLeast(millis((yield* findMail(far)).next_attempt_at), millis(now) + 120_000)
      assert.isAtMost(millis((yield* findMail(far)).next_attempt_at), millis(now) + 180_000)
      same(yield* findMail(near), near)
      const [held] = yield* Effect.andThen(addMail(1), claim(1, Duration.days(9)))
      yield* outbox.mend
      if (held === undefined) return assert.isTrue(false, "nothing was claimed")
      const until = millis((yield* findMail(held.mail)).next_attempt_at)
      assert.isAtLeast(until, millis(now) + Mail.leaseSeconds * 1_000)
      assert.isAtMost(until, millis(now) + (Mail.leaseSeconds + 60) * 1_000)
    }
  )
]

/** The laws of {@link MailOutbox} about budgets, and about clocks that were set back. */
export const mailBudgets = [...budgets, ...mending]
