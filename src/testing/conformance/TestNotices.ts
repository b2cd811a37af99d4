import { DateTime, Duration, Effect } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { TestNotice } from "../../domain/payments/TestNotice.ts"
import { TestBank } from "../../ports/payments/TestBank.ts"
import { assert } from "./Assert.ts"
import { dueRecords, isHinted, millis } from "./DueRecords.ts"
import { at, freshId, idsOf, longAgo, recordOf } from "./Records.ts"
import { inTransaction, lawsOf, runsOf, same, type Thoroughness } from "./Suite.ts"

const { law, must } = lawsOf(TestBank)

const noticeOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<TestNotice> = {}) {
  return recordOf(TestNotice, given, {
    id: yield* freshId("testNotice"),
    organisation_id,
    integration_id: yield* freshId("integration"),
    type: "charge.succeeded",
    object: "charge",
    reference: "test_chg",
    sends: 0
  })
})

/** A notice that is sent so many seconds after the bank's present, until the check ends. */
const sentIn = Effect.fnUntraced(function* (organisation_id: OrganisationId, seconds: number | null) {
  const bank = yield* TestBank
  const send_at = seconds === null ? null : DateTime.addDuration(yield* bank.now, Duration.seconds(seconds))
  const notice = yield* noticeOf(organisation_id, { send_at, sends: 1 })
  yield* bank.addNotices([notice])
  yield* Effect.addFinalizer(() => bank.setSends([{ ...notice, send_at: null }]))
  return notice
})

const hinted = isHinted(TestBank)

/** The laws of what {@link TestBank} keeps of notices. No other may be sent from it. */
export const testNotices = (given: Thoroughness) => [
  ...dueRecords(
    {
      name: "notices of the bank",
      must: "TestBank.claimNotices MUST give one to one worker only for as long as lease, by moving its send_at to the end of it.",
      port: Effect.map(TestBank, ({ claimNotices, nextDue, nextDueOf }) => ({
        claim: claimNotices,
        nextDue,
        nextDueOf
      })),
      make: sentIn,
      moves: ["send_at"],
      remaining: Effect.fnUntraced(function* (notice: TestNotice) {
        const bank = yield* TestBank
        const integration = { organisation_id: notice.organisation_id, id: notice.integration_id }
        const [kept] = yield* bank.noticesAfter(integration, { created_at: longAgo, id: "" }, 1)
        return millis(kept?.send_at ?? null) - millis(yield* bank.now)
      })
    },
    runsOf(given)
  ),

  law("a notice of the bank is handed out as it is kept from then on", function* ({ store, id: organisation_id }) {
    const { integration_id } = yield* sentIn(organisation_id, -1)
    const told = yield* store.claimNotices(1, Duration.days(1))
    const integration = { organisation_id, id: integration_id }
    same(yield* store.noticesAfter(integration, { created_at: longAgo, id: "" }, 1), told)
  }),

  must(
    "notices of the bank are hinted once they have committed",
    ["TestBank.addNotices MUST raise the hint that wait waits for once that committed."],
    function* ({ store, id }) {
      yield* hinted
      const add = Effect.flatMap(noticeOf(id), (notice) => store.addNotices([notice]))
      yield* Effect.flip(inTransaction(Effect.andThen(add, Effect.fail("refused"))))
      assert.isFalse(yield* hinted)
      assert.isFalse(yield* inTransaction(Effect.andThen(add, hinted)))
      assert.isTrue(yield* hinted)
    }
  ),

  law(
    "an account's notices are read in order, page by page, and no other's",
    function* ({ store, id: organisation_id }) {
      const integration_id = yield* freshId("integration")
      const integration = { organisation_id, id: integration_id }
      const seconds = [3, 1, 2, 2, 5]
      const send_at = DateTime.add(yield* store.now, { days: 9 })
      const own = yield* Effect.forEach(seconds, (second) =>
        noticeOf(organisation_id, { integration_id, created_at: at(second), send_at })
      )
      yield* store.addNotices([...own, yield* noticeOf(organisation_id)])
      const all = yield* store.noticesAfter(integration, { created_at: at(0), id: "" }, 100)
      const expected = own.toSorted(
        (a, b) => a.created_at.epochMilliseconds - b.created_at.epochMilliseconds || (a.id < b.id ? -1 : 1)
      )
      same(all, expected)
      for (const [index, last] of expected.entries()) {
        same(yield* store.noticesAfter(integration, last, 2), expected.slice(index + 1, index + 3))
      }
      yield* store.setSends(own.map((each) => ({ ...each, send_at: null })))
    }
  ),

  law("notices that are old and sent no more are deleted, at most so many", function* ({ store, id: organisation_id }) {
    const integration_id = yield* freshId("integration")
    const [before, send_at] = [
      DateTime.subtract(longAgo, { milliseconds: 1 }),
      DateTime.add(yield* store.now, { days: 1 })
    ]
    const late = DateTime.add(longAgo, { milliseconds: 1 })
    const made = yield* Effect.forEach(
      [{ created_at: before }, {}, {}, {}, { send_at }, { created_at: late }],
      (each) => noticeOf(organisation_id, { integration_id, created_at: longAgo, ...each })
    )
    yield* store.addNotices(made)
    const trims = [
      [before, 9],
      [longAgo, 2],
      [longAgo, 9]
    ] as const
    same(yield* Effect.forEach(trims, ([until, limit]) => store.trimNotices(until, limit)), [1, 2, 1])
    const left = yield* store.noticesAfter({ organisation_id, id: integration_id }, { created_at: before, id: "" }, 9)
    same(idsOf(left), idsOf(made.slice(4)))
    yield* store.setSends(left.map((each) => ({ ...each, send_at: null })))
    yield* store.trimNotices(late, 9)
  })
]
