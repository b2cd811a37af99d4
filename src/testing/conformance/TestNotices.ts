import { DateTime, Duration, Effect, Option } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { TestNotice } from "../../domain/payments/TestNotice.ts"
import { TestBank } from "../../ports/payments/TestBank.ts"
import { assert } from "./Assert.ts"
import { isHinted } from "./DueRecords.ts"
import { at, freshId, freshIntegrationId, idsOf, longAgo, newOrganisation, recordOf } from "./Records.ts"
import { inTransaction, lawsOf, same, together } from "./Suite.ts"

const { law, must } = lawsOf(TestBank)

const noticeOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<TestNotice> = {}) {
  return recordOf(TestNotice, given, {
    id: yield* freshId("testNotice"),
    organisation_id,
    integration_id: yield* freshIntegrationId,
    type: "charge.succeeded",
    object: "charge",
    reference: "test_chg",
    sends: 0
  })
})

/** A notice that is sent so many seconds after the bank's present, until the check ends. */
const sentIn = Effect.fnUntraced(function* (organisation_id: OrganisationId, seconds: number) {
  const bank = yield* TestBank
  const send_at = DateTime.addDuration(yield* bank.now, Duration.seconds(seconds))
  const notice = yield* noticeOf(organisation_id, { send_at, sends: 1 })
  yield* bank.addNotices([notice])
  yield* Effect.addFinalizer(() => bank.setSends({ ...notice, send_at: null }))
  return notice
})

const claim = (limit = 100, lease = Duration.days(1)) => TestBank.use((bank) => bank.claimNotices(limit, lease))

const hinted = isHinted(TestBank)

/** The laws of what {@link TestBank} keeps of notices. No other may be sent from it. */
export const testNotices = [
  must(
    "of workers at the same moment one is handed a notice of the bank, the organisations in turn, and no other before the lease has ended",
    [
      "TestBank.claimNotices MUST give one to one worker only for as long as lease, by moving its send_at to the end of it."
    ],
    function* () {
      const bank = yield* TestBank
      const [first, second] = [yield* newOrganisation(), yield* newOrganisation()]
      const [a1, a2, b1] = [yield* sentIn(first.id, -30), yield* sentIn(first.id, -20), yield* sentIn(second.id, -10)]
      yield* sentIn(second.id, 3_600)
      const rivals = yield* together(4, claim(1, Duration.hours(1)))
      const handed = [...rivals.flat(), ...(yield* claim())]
      same(idsOf(handed).toSorted(), idsOf([a1, a2, b1]).toSorted())
      const now = yield* bank.now
      for (const notice of [a1, b1])
        yield* bank.setSends({ ...notice, send_at: DateTime.subtract(now, { seconds: 5 }) })
      same(idsOf(yield* claim(2, Duration.zero)).toSorted(), idsOf([a1, b1]).toSorted())
      same(idsOf(yield* claim()).toSorted(), idsOf([a1, b1]).toSorted())
      assert.isTrue(Duration.toMinutes(Option.getOrThrow(yield* bank.nextDue)) <= 60)
    }
  ),

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
      const integration_id = yield* freshIntegrationId
      const integration = { organisation_id, id: integration_id }
      const seconds = [3, 1, 2, 2, 5]
      const own = yield* Effect.forEach(seconds, (second) =>
        noticeOf(organisation_id, { integration_id, created_at: at(second) })
      )
      yield* store.addNotices([...own, yield* noticeOf(organisation_id)])
      const all = yield* store.noticesAfter(integration, { created_at: at(0), id: "" }, 100)
      const expected = own.toSorted(
        (a, b) => a.created_at.epochMilliseconds - b.created_at.epochMilliseconds || (a.id < b.id ? -1 : 1)
      )
      same(all, expected)
      for (const [index, last] of expected.entries()) {
        same(idsOf(yield* store.noticesAfter(integration, last, 2)), idsOf(expected.slice(index + 1, index + 3)))
      }
    }
  ),

  law("notices that are old and sent no more are deleted, at most so many", function* ({ store, id: organisation_id }) {
    const integration_id = yield* freshIntegrationId
    const old = yield* Effect.forEach([1, 2, 3], () =>
      noticeOf(organisation_id, { integration_id, created_at: longAgo })
    )
    const open = yield* noticeOf(organisation_id, {
      integration_id,
      created_at: longAgo,
      send_at: DateTime.add(yield* store.now, { days: 1 })
    })
    yield* store.addNotices([...old, open])
    same([yield* store.trimNotices(longAgo, 2), yield* store.trimNotices(longAgo, 2)], [2, 1])
    const before = DateTime.subtract(longAgo, { days: 1 })
    same(idsOf(yield* store.noticesAfter({ organisation_id, id: integration_id }, { created_at: before, id: "" }, 9)), [
      open.id
    ])
    yield* store.setSends({ ...open, send_at: null })
  })
]
