import { DateTime, Duration, Effect, Option, Struct } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { TestNotice } from "../../domain/payments/TestNotice.ts"
import { TestBank } from "../../ports/payments/TestBank.ts"
import { dueBy, dueRecords, hintCheck } from "./DueRecords.ts"
import { at, freshId, longAgo, recordOf } from "./Records.ts"
import { lawsOf, runsOf, same, type Thoroughness } from "./Suite.ts"
import { trimCheck } from "./Trims.ts"

const { law } = lawsOf(TestBank)

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

/** A bank as the store of its notices. */
const noticeStore = Effect.map(TestBank, (bank) => ({
  ...Struct.pick(bank, ["nextDue", "nextDueOf", "now"]),
  claim: bank.claimNotices,
  update: (notice: TestNotice) => bank.setSends([notice])
}))

/** A stored notice that is sent so many seconds after the bank's present. */
const sentIn = dueBy(noticeStore, "send_at", (organisation_id: OrganisationId, given: Partial<TestNotice>) =>
  Effect.tap(noticeOf(organisation_id, { sends: 1, ...given }), (notice) =>
    TestBank.use((bank) => bank.addNotices([notice]))
  )
)

const foundNotice = Effect.fnUntraced(function* ({ id, integration_id, organisation_id }: TestNotice) {
  const { noticesAfter } = yield* TestBank
  const all = yield* noticesAfter({ organisation_id, id: integration_id }, { created_at: longAgo, id: "" }, 9)
  return Option.fromUndefinedOr(all.find((each) => each.id === id))
})

/** The laws of what {@link TestBank} keeps of notices. No other may be sent from it. */
export const testNotices = (given: Thoroughness) => [
  ...dueRecords(
    {
      name: "notices of the bank",
      must: "TestBank.claimNotices MUST give one to one worker only for as long as lease, by moving its send_at to the end of it.",
      port: noticeStore,
      make: sentIn,
      find: foundNotice,
      field: "send_at"
    },
    runsOf(given)
  ),

  law("a notice of the bank is handed out as it is kept from then on", function* ({ store, id: organisation_id }) {
    const { integration_id } = yield* sentIn(organisation_id, -1)
    const told = yield* store.claimNotices(1, Duration.days(1))
    const integration = { organisation_id, id: integration_id }
    same(yield* store.noticesAfter(integration, { created_at: longAgo, id: "" }, 1), told)
  }),

  hintCheck(
    "notices of the bank are hinted once they have committed",
    ["TestBank.addNotices MUST raise the hint that wait waits for once that committed."],
    TestBank,
    (organisation_id) =>
      Effect.succeed([
        TestBank.use((bank) => Effect.flatMap(noticeOf(organisation_id), (notice) => bank.addNotices([notice])))
      ])
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

  trimCheck({
    name: "notices of the bank",
    port: TestBank,
    trim: ({ trimNotices }, until, limit) => trimNotices(until, limit),
    isOldestFirst: false,
    make: (organisation_id, created_at) => sentIn(organisation_id, null, { created_at }),
    kept: (organisation_id, created_at) => Effect.all([sentIn(organisation_id, 86_400, { created_at })]),
    isThere: (notice) => Effect.map(foundNotice(notice), Option.isSome)
  })
]
