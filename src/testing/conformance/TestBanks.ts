import { DateTime, Duration, Effect, Option, Struct } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { listing, TestAccount, TestCharge } from "../../domain/payments/TestCharge.ts"
import { TestNotice } from "../../domain/payments/TestNotice.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { TestBank, type TestChargeQuery } from "../../ports/payments/TestBank.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { storedRecord } from "../Generators.ts"
import { dueBy, dueRecords, hintCheck } from "./DueRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, longAgo, newOrganisation, recordOf } from "./Records.ts"
import { byId, lawsOf, none, runsOf, same, type Thoroughness, together } from "./Suite.ts"
import { trimCheck } from "./Trims.ts"

const { law, must, property } = lawsOf(TestBank)

const drafted = fc
  .tuple(arbitraryOf(TestCharge).map(storedRecord), fc.nat(3).map(at))
  .map(([charge, created_at]): TestCharge => ({ ...charge, created_at, idempotency_key: null }))

const newCharge = Effect.fnUntraced(function* (given: Partial<TestCharge> = {}) {
  const { id: organisation_id } = yield* newOrganisation()
  return recordOf(TestCharge, given, {
    id: yield* freshId("request"),
    organisation_id,
    integration_id: yield* freshId("integration"),
    charge_id: yield* freshId("charge"),
    method: "card",
    amount_cents: 0,
    currency: "AUD",
    status: "created",
    refunds: [],
    disputes: [],
    transfers: [],
    movements: [],
    scheduled: []
  })
})

const kept = Effect.fnUntraced(function* (given: Partial<TestCharge> = {}) {
  const charge = yield* newCharge(given)
  return yield* (yield* TestBank).findOrInsert(charge, longAgo)
})

const answersOne = "TestBank.findOrInsert MUST answer one and the same charge to requests at the same moment."

const keys = [
  must("charges under one key are one, at one moment too, until it is old", [answersOne], function* ({ store: bank }) {
    const first = yield* newCharge({ idempotency_key: "key", created_at: at(10) })
    const { organisation_id } = first
    const make = Effect.fnUntraced(function* (seconds: number, since: DateTime.Utc) {
      const charge = { ...first, id: yield* freshId("request"), created_at: at(seconds) }
      return (yield* bank.findOrInsert(charge, since)).id
    })
    const made = yield* together(6, make(10, longAgo))
    const [one = ""] = made
    same(new Set(made).size, 1)
    same(yield* make(20, DateTime.subtract(at(10), { milliseconds: 1 })), one)
    const second = yield* make(30, at(10))
    same([second === one, yield* make(40, at(20))], [false, second])
    const all = yield* bank.ofCharge(organisation_id, first.charge_id)
    same(
      all.map(({ id, idempotency_key }) => [id, idempotency_key]),
      [
        [one, null],
        [second, "key"]
      ]
    )
    same((yield* kept({ idempotency_key: "key" })).idempotency_key, "key", "of another organisation")
  }),

  must(
    "a charge that is made again is the one that there is, under its key, another and none, and under its own when that is old",
    [answersOne],
    function* ({ store: bank }) {
      const charge = yield* kept({ idempotency_key: "key", created_at: at(10) })
      const again = (given: Partial<TestCharge>, since: DateTime.Utc) =>
        bank.findOrInsert({ ...charge, amount_cents: 1, created_at: at(20), ...given }, since)
      same(yield* again({}, longAgo), charge)
      same(yield* again({ idempotency_key: "other" }, longAgo), charge)
      same(yield* again({ idempotency_key: null }, longAgo), charge)
      const forgotten = { ...charge, idempotency_key: null }
      same(yield* again({}, at(10)), forgotten)
      same(yield* bank.ofCharge(charge.organisation_id, charge.charge_id), [forgotten])
    }
  ),

  must("a charge that several make at the same moment under keys of their own is one", [answersOne], function* () {
    const [bank, transaction] = [yield* TestBank, yield* Transaction]
    const charge = yield* newCharge()
    const made = yield* Effect.forEach(
      ["one", "two", "three", "four"],
      (idempotency_key) => transaction.run(bank.findOrInsert({ ...charge, idempotency_key }, longAgo)),
      { concurrency: "unbounded" }
    )
    const all = yield* bank.ofCharge(charge.organisation_id, charge.charge_id)
    for (const each of made) same(all, [each])
  })
]

const accounts = (given: Thoroughness) => [
  property(
    "an account is as it was set last, for its organisation only",
    [],
    runsOf(given),
    fc.array(arbitraryOf(TestAccount), { maxLength: 3 }),
    function* (settings, { store: bank, id: organisation_id, other }) {
      const integration_id = yield* freshId("integration")
      none(yield* bank.account(organisation_id, integration_id))
      for (const setting of settings) {
        const account = { ...setting, organisation_id, integration_id }
        yield* bank.setAccount(account)
        same(yield* bank.account(organisation_id, integration_id), Option.some(account))
        none(yield* bank.account(other, integration_id))
      }
    }
  )
]

const acts = [
  law("charges that the bank does something with are found when it is due, then no more", function* ({ store: bank }) {
    const now = yield* bank.now
    const acting = (seconds: number): TestCharge["scheduled"] => [
      { at: DateTime.add(now, { seconds: seconds + 9_000 }), act: { _tag: "LearnFee" } },
      { at: DateTime.add(now, { seconds }), act: { _tag: "Succeed" } }
    ]
    const due = yield* kept({ scheduled: acting(-60) })
    const [later, changed] = [yield* kept({ scheduled: acting(3_600) }), yield* kept({ scheduled: acting(3_600) })]
    yield* bank.update({ ...changed, scheduled: acting(-30) })
    const told = [due, changed].map(Struct.pick(["organisation_id", "id"]))
    same(yield* bank.due(1), told.slice(0, 1))
    same(yield* bank.due(9), told)
    for (const each of [due, changed, later]) yield* bank.update({ ...each, scheduled: [] })
    same(yield* bank.due(9), [])
  })
]

const statements = [
  law("an account's charges are read page by page, by when they were made and changed", function* (setting) {
    const { store: bank, other } = setting
    const at = (milliseconds: number) => DateTime.add(longAgo, { milliseconds })
    const first = yield* kept({ created_at: at(1), updated_at: at(5) })
    const { integration_id, organisation_id } = first
    const more = (given: Partial<TestCharge>) => kept({ organisation_id, integration_id, ...given })
    const second = yield* more({ created_at: at(2), updated_at: at(2) })
    const third = yield* more({
      created_at: at(3),
      updated_at: at(3),
      scheduled: [{ at: at(9), act: { _tag: "LearnFee" } }]
    })
    const elsewhere = yield* more({ integration_id: yield* freshId("integration") })
    const read = Effect.fnUntraced(function* (when: TestChargeQuery) {
      const found: Array<TestCharge> = []
      for (let after: string | null = null; ; ) {
        const page: ReadonlyArray<TestCharge> = yield* bank.ofAccount(organisation_id, integration_id, when, after, 2)
        found.push(...page)
        after = page.at(-1)?.id ?? null
        if (after === null) return found
      }
    })
    same(yield* read({}), byId([first, second, third]))
    same(yield* read({ since: at(2) }), byId([second, third]))
    same(yield* read({ before: at(3) }), byId([first, second]))
    same(yield* read({ changed: at(3) }), byId([first, third]))
    same(yield* read({ changed: at(6) }), [third])
    same(yield* read({ changed: at(5), before: at(4) }), byId([first, third]))
    const page = (organisation: OrganisationId, limit: number) =>
      bank.ofAccount(organisation, integration_id, {}, null, limit)
    same(yield* page(other, 2), [])
    same(yield* bank.ofAccount(organisation_id, elsewhere.integration_id, {}, null, 2), [elsewhere])
    for (const limit of [1, 2]) same(yield* page(organisation_id, limit), byId([first, second, third]).slice(0, limit))
    yield* bank.update({ ...third, scheduled: [] })
  })
]

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
const testNotices = (given: Thoroughness) => [
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
    Effect.fnUntraced(function* (organisation_id) {
      const { addNotices } = yield* TestBank
      const add = Effect.flatMap(noticeOf(organisation_id), (notice) => addNotices([notice]))
      yield* add
      return [add]
    })
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

/** The laws of {@link TestBank}. */
export const testBanks = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "test charges",
    port: Effect.map(TestBank, (bank) => ({
      ...bank,
      insert: (charge: TestCharge) => Effect.map(bank.findOrInsert(charge, longAgo), (kept) => same(kept, charge))
    })),
    arbitrary: drafted,
    schema: TestCharge,
    fresh: freshId("request"),
    parents: () => Effect.map(freshId("charge"), (charge_id) => ({ charge_id })),
    idle: { scheduled: [] },
    answers: Effect.fnUntraced(function* (charge, other) {
      const { ofCharge } = yield* TestBank
      same(yield* ofCharge(charge.organisation_id, charge.charge_id), [charge])
      same(yield* ofCharge(other, charge.charge_id), [])
    }),
    list: { spec: listing }
  })(() => [...keys, ...accounts(given), ...acts, ...testNotices(given), ...statements])
