import { DateTime, Duration, Effect, Option } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { listing, Notice } from "../../domain/payments/Notice.ts"
import { NoticeStore } from "../../ports/payments/NoticeStore.ts"
import { atBounds } from "../Bounds.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { dueBy, dueRecords, hintCheck, isHinted } from "./DueRecords.ts"
import { lists } from "./Lists.ts"
import { lockCheck } from "./RecordLocks.ts"
import { at, freshId, idsOf, newOrganisation, queryOf, recordOf } from "./Records.ts"
import { lawsOf, none, runsOf, same, suite, type Thoroughness } from "./Suite.ts"
import { trimCheck } from "./Trims.ts"

const { law, must, property } = lawsOf(NoticeStore)

const aDay = Duration.days(1)

const any = atBounds(Notice, Generators.notice)

const draft = fc
  .tuple(Generators.notice, fc.nat(3).map(at))
  .map(([notice, created_at]): Notice => ({ ...notice, created_at, apply_at: null }))

/** A notice that is not stored yet, and that nobody applies. */
const noticeOf = Effect.fnUntraced(function* (given: Partial<Notice> = {}) {
  return recordOf(Notice, given, {
    id: yield* freshId("notice"),
    processor: "test",
    event_id: yield* freshId("request"),
    type: "charge.succeeded",
    object: "charge",
    status: "RECEIVED",
    attempts: 0,
    sent_at: at(0)
  })
})

const kept = Effect.fnUntraced(function* (given: Partial<Notice> = {}) {
  const notice = yield* noticeOf(given)
  yield* (yield* NoticeStore).add(notice)
  return notice
})

/** A stored notice that is due so many seconds after the store's present. */
const dueIn = dueBy(NoticeStore, "apply_at", (organisation_id: OrganisationId | null, given: Partial<Notice>) =>
  kept({ organisation_id, ...given })
)

const claim = (limit = 100, lease = aDay) => NoticeStore.use((store) => store.claim(limit, lease))

const records = (given: Thoroughness) => [
  property(
    "a notice is read back as it was kept, and after each update, by its own organisation only",
    [],
    runsOf(given),
    fc.tuple(any, any),
    function* ([first, second], { store, id: organisation_id, other }) {
      const own = { id: yield* freshId("notice"), event_id: yield* freshId("request"), apply_at: null }
      const [before, after] = [first, second].map((each): Notice => ({ ...each, ...own, organisation_id }))
      if (before === undefined || after === undefined) return
      assert.isTrue(yield* store.add(before))
      same(yield* store.find(organisation_id, own.id), Option.some(before))
      yield* store.update(after)
      same(yield* store.find(organisation_id, own.id), Option.some(after))
      same(yield* store.hold(own.id), Option.some(after))
      none(yield* store.find(other, own.id))
    }
  ),

  law("a notice of no organisation is listed apart, until it has one", function* ({ store, id: organisation_id }) {
    const type = yield* freshId("request")
    const [notice, ...others] = yield* Effect.forEach([3, 1, 2], (second) => kept({ type, created_at: at(second) }))
    if (notice === undefined) return
    const conditions = [{ column: "type", type: "text", operator: "eq", values: [type] }] as const
    for (const [limit, descending] of [
      [2, true],
      [3, false],
      [1, true]
    ] as const) {
      const { data, has_more } = yield* store.unclaimed(
        queryOf({ limit, conditions, sort: { column: "created_at", descending } })
      )
      const all = [notice, ...others.toReversed()]
      same([data, has_more], [(descending ? all : all.toReversed()).slice(0, limit), limit < 3])
    }
    const none = { ...conditions[0], values: ["nothing"] }
    same((yield* store.unclaimed(queryOf({ conditions: [none] }))).data, [])
    const query = queryOf({ limit: 100 })
    const listed = Effect.all({
      unclaimed: Effect.map(store.unclaimed(query), ({ data }) => idsOf(data).includes(notice.id)),
      theirs: Effect.map(store.list(organisation_id, query), ({ data }) => idsOf(data))
    })
    same(yield* store.hold(notice.id), Option.some(notice))
    same(yield* listed, { unclaimed: true, theirs: [] })
    yield* store.update({ ...notice, organisation_id })
    same(yield* listed, { unclaimed: false, theirs: [notice.id] })
    same(yield* store.find(organisation_id, notice.id), Option.some({ ...notice, organisation_id }))
  }),

  ...lists<Notice, Notice, NoticeStore>(
    {
      name: "notices",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, drafted) {
        const own = { id: yield* freshId("notice"), event_id: yield* freshId("request") }
        const notice: Notice = { ...drafted, ...own, organisation_id }
        yield* (yield* NoticeStore).add(notice)
        return notice
      }),
      list: (organisation_id, query) => NoticeStore.use((store) => store.list(organisation_id, query)),
      columns: (notice) => notice
    },
    runsOf(given)
  ),

  lockCheck<Notice, NoticeStore>({
    name: "a notice",
    must: "NoticeStore.hold MUST hold the row against every change until the surrounding transaction ends.",
    make: kept(),
    findForUpdate: ({ id }) => NoticeStore.use((store) => store.hold(id)),
    update: (notice) => NoticeStore.use((store) => store.update(notice)),
    count: ({ attempts }) => attempts,
    counted: (notice, attempts) => ({ ...notice, attempts })
  })
]

const repetitions = [
  must(
    "an event is kept once for each integration, also at the same moment",
    ["NoticeStore.add MUST be kept once for each integration, also at the same moment,"],
    function* ({ store, id: organisation_id }) {
      const [integration_id, second] = [yield* freshId("integration"), yield* freshId("integration")]
      const event_id = yield* freshId("request")
      const made = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () =>
        noticeOf({ organisation_id, integration_id, event_id })
      )
      const news = yield* Effect.forEach(made, store.add, { concurrency: "unbounded" })
      same(news.filter((isNew) => isNew).length, 1)
      const { data } = yield* store.list(organisation_id, queryOf({ limit: 100 }))
      same(data.length, 1)
      assert.isTrue(yield* store.add(yield* noticeOf({ organisation_id, integration_id: second, event_id })))
      assert.isTrue(yield* store.add(yield* noticeOf({ organisation_id, integration_id, event_id: `${event_id}2` })))
    }
  ),

  must(
    "an event is kept once at the address of a processor's own account, and then for no integration of it",
    ["NoticeStore.add MUST be kept once for each integration, also at the same moment,"],
    function* ({ store }) {
      const event_id = yield* freshId("request")
      const integration_id = yield* freshId("integration")
      const made = yield* Effect.forEach([1, 2, 3, 4], () => noticeOf({ event_id }))
      const news = yield* Effect.forEach(made, store.add, { concurrency: "unbounded" })
      same(news.filter((isNew) => isNew).length, 1)
      assert.isFalse(yield* store.add(yield* noticeOf({ event_id, integration_id })))
      assert.isTrue(yield* store.add(yield* noticeOf({ event_id, integration_id, processor: "other" })))
      assert.isTrue(yield* store.add(yield* noticeOf({ event_id, processor: "other" })))
    }
  ),

  hintCheck(
    "what is to be applied is hinted once its change has committed",
    [
      "NoticeStore.add MUST raise the hint that wait waits for once that committed.",
      "NoticeStore.update MUST raise the hint once that committed."
    ],
    NoticeStore,
    Effect.fnUntraced(function* (organisation_id) {
      const store = yield* NoticeStore
      const notice = yield* dueIn(organisation_id, 0)
      const add = Effect.flatMap(noticeOf({ apply_at: notice.apply_at, organisation_id }), (more) =>
        Effect.andThen(store.add(more), store.update({ ...more, apply_at: null }))
      )
      return [add, store.update(notice)]
    })
  ),

  law("a notice that came before or is not to be applied is not hinted at", function* ({ store }) {
    const notice = yield* dueIn(null, 0)
    assert.isTrue(yield* isHinted(NoticeStore))
    yield* store.add({ ...notice, id: yield* freshId("notice") })
    assert.isFalse(yield* isHinted(NoticeStore))
    yield* store.update({ ...notice, apply_at: null })
    assert.isFalse(yield* isHinted(NoticeStore))
  })
]

const claims = (given: Thoroughness) => [
  ...dueRecords(
    {
      name: "notices",
      must: "NoticeStore.claim MUST give one to one worker only for as long as lease, by moving its apply_at to the end of it.",
      port: NoticeStore,
      make: dueIn,
      find: ({ id }) => NoticeStore.use((store) => store.hold(id)),
      field: "apply_at"
    },
    runsOf(given)
  ),

  law("what is due is handed out, the longest due first, the organisations and those of none in turn", function* () {
    const [first, second] = [yield* newOrganisation(), yield* newOrganisation()]
    const due = (organisation_id: OrganisationId | null, seconds: number) => dueIn(organisation_id, seconds)
    const [a1, a2, b1, n1, n2] = [
      yield* due(first.id, -50),
      yield* due(first.id, -40),
      yield* due(second.id, -30),
      yield* due(null, -20),
      yield* due(null, -10)
    ]
    yield* due(first.id, 3_600)
    same(idsOf(yield* claim(4)), idsOf([a1, b1, n1, a2]))
    same(idsOf(yield* claim()), idsOf([n2]))
    same(idsOf(yield* claim()), [])
  }),

  must(
    "what became of notices is written of those that are as they were handed out, and hinted where one is applied again",
    [
      "NoticeStore.conclude MUST leave one as it is that is not as it was handed out any more: somebody else did something to it, or was handed it out after the lease. Where one is to be applied again,",
      "NoticeStore.conclude MUST raise the hint once that committed."
    ],
    function* ({ store, id }) {
      for (const organisation_id of [id, null]) {
        yield* Effect.forEach([4, 3, 2, 1], (second) => dueIn(organisation_id, -second))
        const claimed = yield* claim()
        const [mine, changed, later, leased] = claimed
        assert.strictEqual(claimed.length, 4)
        if (mine === undefined || changed === undefined || later === undefined || leased === undefined) return
        yield* store.update({ ...changed, attempts: changed.attempts + 1 })
        // Another lease, which cannot end in the same millisecond as the first.
        yield* store.update({ ...leased, apply_at: DateTime.addDuration(yield* store.now, Duration.days(2)) })
        const applied = (before: Notice) => ({
          before,
          after: { ...before, organisation_id: id, status: "APPLIED" as const, apply_at: null, ended_at: at(1) }
        })
        yield* store.conclude([mine, changed, leased].map(applied))
        same(yield* store.hold(mine.id), Option.some(applied(mine).after))
        const others = [yield* store.hold(changed.id), yield* store.hold(leased.id)]
        same(
          others.map(Option.map(({ organisation_id: whose, status }) => [whose, status])),
          others.map(() => Option.some([organisation_id, "RECEIVED"]))
        )
        // Earlier changes have raised it, too, and between processes it may arrive late.
        yield* Effect.repeat(isHinted(NoticeStore), { while: (hinted) => hinted })
        const again = { ...later, attempts: 1, apply_at: DateTime.addDuration(yield* store.now, aDay) }
        yield* store.conclude([{ before: later, after: again }])
        assert.isTrue(Option.isSome(yield* Effect.timeoutOption(store.wait, "5 seconds")), "nothing was hinted")
        same(yield* store.hold(later.id), Option.some(again))
      }
    }
  ),

  trimCheck({
    name: "notices",
    port: NoticeStore,
    trim: ({ trim }, until, limit) => trim(until, limit),
    isOldestFirst: false,
    make: (organisation_id, created_at) => kept({ organisation_id, created_at }),
    kept: (organisation_id, created_at) => Effect.all([dueIn(organisation_id, 777_600, { created_at })]),
    isThere: ({ id }) => NoticeStore.use((store) => Effect.map(store.hold(id), Option.isSome))
  })
]

/** The laws of {@link NoticeStore}. No other notice may be due in it. */
export const notices = (given: Thoroughness = {}) => suite([...records(given), ...repetitions, ...claims(given)])
