import { DateTime, Duration, Effect, Exit, Fiber, Option, Random, Result } from "effect"
import fc from "fast-check"
import { eventCore } from "../../domain/giving/Donor.ts"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import { decide } from "../../domain/kernel/Machine.ts"
import * as ConsumedEvent from "../../domain/outbox/ConsumedEvent.ts"
import * as Event from "../../domain/outbox/Event.ts"
import { EventConsumerStore, type LeasedEvent } from "../../ports/outbox/EventConsumerStore.ts"
import { Outbox } from "../../ports/outbox/Outbox.ts"
import { assert } from "./Assert.ts"
import { consumerFrom, consumerRegistrations, freshName } from "./ConsumerRegistrations.ts"
import { lockCheck } from "./RecordLocks.ts"
import { at, donorOf, eventRecordOf, freshId, newOrganisation } from "./Records.ts"
import { inTransaction, lawsOf, noLimit, none, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

const leaseMillis = 60_000

const types = ["donor.created", "donor.updated"] as const

export const eventAbout = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  donor_id: DonorId,
  given: { readonly type?: (typeof types)[number]; readonly occurred_at?: DateTime.Utc } = {}
) {
  const core = eventCore({ ...(yield* donorOf(organisation_id)), id: donor_id })
  const made = Event.make({
    id: yield* freshId("event"),
    organisation_id,
    type: "donor.created",
    occurred_at: given.occurred_at ?? at(0),
    dedupe_key: donor_id,
    data: core
  })
  const event: Event.Event = { ...made, type: given.type ?? "donor.created" }
  return event
})

/** The events that the consumer takes of one organisation, without handling them. */
export const takenOf = Effect.fnUntraced(function* (name: string, organisation_id: OrganisationId) {
  const store = yield* EventConsumerStore
  yield* store.take(name, noLimit)
  const items = yield* store.waiting(name, { limit: noLimit, failed: false })
  return items.filter((item) => item.organisation_id === organisation_id)
})

const idsOfHeld = (all: ReadonlyArray<LeasedEvent>) => all.map(({ item }) => item.event_id)

const idsOf = (items: ReadonlyArray<{ readonly event_id: string }>) => items.map(({ event_id }) => event_id)

const claimOf = Effect.fnUntraced(function* (name: string, limit = 100, lease_millis = leaseMillis) {
  const lease_id = `lease-${yield* Random.nextIntBetween(0, 1e15)}`
  return yield* (yield* EventConsumerStore).claim({ name, lease_id, lease_millis, limit })
})

/** The one event that is due, claimed. */
const heldOf = Effect.fnUntraced(function* (name: string, lease_millis?: number) {
  const [held] = yield* claimOf(name, 1, lease_millis)
  return held ?? (yield* Effect.die("nothing was claimed"))
})

const decideEvent = ({ item, lease_id }: LeasedEvent, command: ConsumedEvent.Command): LeasedEvent => ({
  item: Result.getOrThrow(decide(ConsumedEvent.machine, item, command)).state,
  lease_id
})

/** A consumer that has taken one event. */
const oneTaken = Effect.gen(function* () {
  const [outbox, store] = [yield* Outbox, yield* EventConsumerStore]
  const { id } = yield* newOrganisation()
  const name = yield* consumerFrom("now")
  const event = yield* eventAbout(id, yield* freshId("donor"))
  yield* outbox.append([event])
  yield* store.take(name, noLimit)
  return { name, event }
})

const { law, must, property } = lawsOf(EventConsumerStore)

const begins = [
  must(
    "a consumer begins at the beginning, with what follows, or at an instant, and a known one goes on where it is",
    ["EventConsumerStore.register MUST begin where from says"],
    function* ({ id }) {
      const [outbox, store] = [yield* Outbox, yield* EventConsumerStore]
      const [donor_id, other_id] = [yield* freshId("donor"), yield* freshId("donor")]
      const early = yield* eventAbout(id, donor_id, { occurred_at: DateTime.subtract(at(3), { milliseconds: 1 }) })
      const late = yield* eventAbout(id, other_id, { occurred_at: at(3) })
      yield* outbox.append([early, late])
      const all = yield* consumerFrom("beginning")
      const following = yield* consumerFrom("now")
      const since = yield* consumerFrom(at(3))
      const next = yield* eventAbout(id, donor_id, { occurred_at: at(4), type: "donor.updated" })
      yield* outbox.append([next])
      same(idsOf(yield* takenOf(all, id)), [early.id, late.id, next.id])
      same(idsOf(yield* takenOf(following, id)), [next.id])
      same(idsOf(yield* takenOf(since, id)), [late.id, next.id])

      yield* store.register({
        name: following,
        event_types: ["donor.created"],
        known_types: Event.eventTypes,
        from: "beginning"
      })
      const [updated, created] = [
        yield* eventAbout(id, donor_id, { type: "donor.updated" }),
        yield* eventAbout(id, other_id)
      ]
      yield* outbox.append([updated, created])
      same(idsOf(yield* takenOf(following, id)), [next.id, created.id])
      none(yield* store.find(yield* freshName))
      assert.isTrue(yield* store.remove(following))
      assert.isFalse(yield* store.remove(following))
      none(yield* store.find(following))
      assert.strictEqual(yield* store.take(following, noLimit), 0)
    }
  )
]

const takes = (runs: number) => [
  property(
    "every committed event of the consumer's types is taken once, in the order of each subject, and no other",
    [
      "EventConsumerStore.take MUST take each event of its types once, whatever the order in which the transactions that wrote them committed and however long others go on, and",
      "EventConsumerStore.take MUST give the later of two events of one subject the greater position"
    ],
    runs,
    fc.array(
      fc.record({
        events: fc.array(fc.record({ type: fc.constantFrom(...types), subject: fc.nat(2) }), { maxLength: 4 }),
        commits: fc.boolean(),
        room: fc.nat(6)
      }),
      { maxLength: 6 }
    ),
    function* (units, { store, id }) {
      const outbox = yield* Outbox
      const donors = [yield* freshId("donor"), yield* freshId("donor"), yield* freshId("donor")] as const
      const name = yield* consumerFrom("now", ["donor.updated"])
      const expected: Array<Event.Event> = []
      for (const { commits, events, room } of units) {
        const made = yield* Effect.forEach(events, ({ subject, type }) =>
          eventAbout(id, donors[subject] ?? donors[0], { type })
        )
        const unit = Effect.andThen(outbox.append(made), commits ? Effect.void : Effect.die("rolled back"))
        yield* Effect.exit(inTransaction(unit))
        if (commits) expected.push(...made.filter(({ type }) => type === "donor.updated"))
        yield* store.take(name, room)
        assert.isTrue((yield* store.waiting(name, { limit: noLimit, failed: false })).length <= expected.length)
      }
      const items = (yield* takenOf(name, id)).toSorted((a, b) => a.position - b.position)
      same(idsOf(items).toSorted(), expected.map((event) => event.id).toSorted())
      for (const donor_id of donors) {
        const own = items.filter(({ subject_id }) => subject_id === donor_id)
        same(
          idsOf(own),
          expected.filter(({ body }) => JSON.parse(body).data.id === donor_id).map((event) => event.id)
        )
      }
      for (const item of items) {
        same(item, ConsumedEvent.newConsumedEvent(item, item.created_at))
        assert.isTrue(DateTime.isLessThanOrEqualTo(item.created_at, yield* store.now))
      }
      same((yield* store.find(name)).pipe(Option.map(({ behind }) => behind)), Option.some(0))
    }
  ),

  law(
    "no more is taken than there is room for, and the rest afterwards, nor more told than is asked for",
    function* ({ id }) {
      const [outbox, store] = [yield* Outbox, yield* EventConsumerStore]
      const name = yield* consumerFrom("now")
      const events = Effect.flatMap(freshId("donor"), (donor_id) => eventAbout(id, donor_id, { type: "donor.updated" }))
      yield* outbox.append(yield* Effect.forEach([1, 2, 3, 4, 5], () => events))
      assert.strictEqual(yield* store.take(name, 2), 2)
      assert.strictEqual(yield* store.take(name, 2), 0)
      const counts = Option.getOrThrow(yield* store.find(name))
      same([counts.waiting, counts.parked, counts.behind], [2, 0, 3])
      assert.strictEqual(yield* store.take(name, 5), 3)
      for (const limit of [2, 3]) {
        assert.lengthOf(yield* store.waiting(name, { limit, failed: false }), limit)
        assert.lengthOf(yield* claimOf(name, limit, 0), limit)
        assert.lengthOf(yield* store.expired(name, { limit, over_millis: 0 }), limit)
      }
    }
  )
]

const claims = (runs: number) => [
  property(
    "what is handed out is the first of its subject, and to one worker only",
    [
      "EventConsumerStore.claim MUST hand out no event while an earlier one of its subject is neither handled nor skipped, and",
      "EventConsumerStore.claim MUST give it to one worker only, until settle or the lease's end is recorded"
    ],
    runs,
    fc.record({
      subjects: fc.array(fc.nat(2), { minLength: 1, maxLength: 8 }),
      outcomes: fc.array(fc.constantFrom("handled", "failed", "parked"), { minLength: 8, maxLength: 8 }),
      limit: fc.integer({ min: 1, max: 4 })
    }),
    function* ({ limit, outcomes, subjects }, { store, id }) {
      const outbox = yield* Outbox
      const donors = [yield* freshId("donor"), yield* freshId("donor"), yield* freshId("donor")] as const
      const name = yield* consumerFrom("now")
      const events = yield* Effect.forEach(subjects, (subject) =>
        eventAbout(id, donors[subject] ?? donors[0], { type: "donor.updated" })
      )
      yield* outbox.append(events)
      yield* store.take(name, noLimit)
      const open = new Map(events.map((event, index) => [event.id as string, subjects[index]]))
      const firsts = () => {
        const seen = new Set<number | undefined>()
        return [...open].filter(([, subject]) => !seen.has(subject) && seen.add(subject)).map(([key]) => key)
      }
      const stuck = new Set<string>()
      for (let round = 0; round < 12; round++) {
        const free = firsts().filter((key) => !stuck.has(key))
        const rivals = yield* Effect.all([claimOf(name, limit), claimOf(name, limit)], { concurrency: 2 })
        const claimed = rivals.flat()
        assert.strictEqual(new Set(claimed.map(({ item }) => item.event_id)).size, claimed.length)
        assert.isTrue(
          claimed.every(({ item }) => free.includes(item.event_id)),
          "one that was not its turn"
        )
        assert.isTrue(claimed.length >= Math.min(limit, free.length), "one was forgotten")
        for (const held of claimed) {
          const event = events.find((each) => each.id === held.item.event_id)
          if (event !== undefined) same(held.event, Option.some(eventRecordOf(event)))
          const now = yield* store.now
          const how = outcomes[events.findIndex((each) => each.id === held.item.event_id)]
          const command: ConsumedEvent.Command =
            how === "handled"
              ? { _tag: "Handle", at: now }
              : ConsumedEvent.failure({ ...held.item, attempt_count: how === "parked" ? 5 : 0 }, "no", now)
          const before = { ...held, item: { ...held.item, attempt_count: how === "parked" ? 5 : 0 } }
          yield* store.settle(name, [decideEvent(before, command)])
          if (how === "handled") open.delete(held.item.event_id)
          else stuck.add(held.item.event_id)
        }
      }
      same(idsOf(yield* store.waiting(name, { limit: noLimit, failed: false })).toSorted(), [...open.keys()].toSorted())
      same(idsOf(yield* store.waiting(name, { limit: noLimit, failed: true })).toSorted(), [...stuck].toSorted())
    }
  ),

  must(
    "a worker is handed the types of its handler, and those that its consumer takes no more",
    ["EventConsumerStore.claim MUST leave types that the consumer takes, and the worker has not, to other workers"],
    function* ({ store, id }) {
      const name = yield* consumerFrom("now", ["donor.created", "donor.updated"])
      for (let count = 0; count < 2; count++) {
        const event = eventAbout(id, yield* freshId("donor"), { type: "donor.updated" })
        yield* (yield* Outbox).append([yield* event])
      }
      yield* store.take(name, noLimit)
      const claimed = (types: ReadonlyArray<string> | null) =>
        store.claim({ name, types, lease_id: `lease-of-${types}`, lease_millis: leaseMillis, limit: 1 })
      same(yield* claimed(["donor.created"]), [])
      assert.lengthOf(yield* claimed(["donor.updated"]), 1)
      yield* store.register({ name, event_types: ["donor.created"], known_types: Event.eventTypes, from: "now" })
      assert.lengthOf(yield* claimed(["donor.created"]), 1)
    }
  ),

  must(
    "an outcome is recorded by who holds the event, and by nobody else",
    ["EventConsumerStore.settle MUST leave alone what is no longer held under the lease given"],
    function* ({ store }) {
      const { name } = yield* oneTaken
      const lost = yield* heldOf(name, 0)
      same(yield* claimOf(name), [])
      const [over] = yield* store.expired(name, { limit: 10, over_millis: 0 })
      same(over, { item: lost.item, lease_id: lost.lease_id })
      const now = yield* store.now
      yield* store.settle(name, [decideEvent(lost, ConsumedEvent.interruption(lost.item, now))])
      const held = yield* heldOf(name)
      assert.strictEqual(held.item.interruption_count, 1)
      same([...(yield* store.settle(name, [decideEvent(lost, { _tag: "Handle", at: now })]))], [])
      same([...(yield* store.settle(name, [decideEvent(held, { _tag: "Handle", at: now })]))], [held.item.position])
      same(yield* store.waiting(name, { limit: 9, failed: false }), [])
    }
  ),

  law(
    "a lease lasts as long as was asked for, also anew, and all end when the store is opened anew",
    function* (setting) {
      const { store } = setting
      const expired = (name: string, over_millis: number) =>
        Effect.map(store.expired(name, { limit: 10, over_millis }), idsOfHeld)
      const lasts = Effect.fnUntraced(function* (name: string, millis: number) {
        same(yield* expired(name, 0), [])
        const left = Option.map(yield* store.untilDue(name), Duration.toMillis)
        // Either call may have rounded the store's time to milliseconds.
        assert.isTrue(
          Option.exists(left, (each) => each <= millis + 1 && each > millis - 60_000),
          `${millis}`
        )
      })
      for (const millis of [120_000, 300_000]) {
        const { event, name } = yield* oneTaken
        // A lease that ended a while ago.
        const { lease_id } = yield* heldOf(name, -45_000)
        same([yield* expired(name, 40_000), yield* expired(name, 60_000)], [[event.id], []])
        yield* store.renew(name, [lease_id], millis)
        yield* lasts(name, millis)
        yield* store.releaseAll
        same(yield* expired(name, 0), [event.id])
        const { name: next } = yield* oneTaken
        yield* heldOf(next, millis)
        yield* lasts(next, millis)
      }
    }
  ),

  law("an outcome that is recorded in a transaction is undone with it", function* () {
    const store = yield* EventConsumerStore
    const { name } = yield* oneTaken
    const held = yield* heldOf(name)
    const handled = store.settle(name, [decideEvent(held, { _tag: "Handle", at: yield* store.now })])
    const exit = yield* Effect.exit(inTransaction(Effect.andThen(handled, Effect.fail("no"))))
    assert.isTrue(Exit.isFailure(exit))
    same(idsOf(yield* store.waiting(name, { limit: 9, failed: false })), [held.item.event_id])
    yield* inTransaction(handled)
    same(yield* store.waiting(name, { limit: 9, failed: false }), [])
  })
]

const operators = [
  lockCheck({
    name: "a consumer's event",
    must: "EventConsumerStore.findForUpdate MUST hold it against other transactions until this one ends.",
    make: Effect.gen(function* () {
      const { name } = yield* oneTaken
      const [item] = yield* (yield* EventConsumerStore).waiting(name, { limit: 1, failed: false })
      return item ?? (yield* Effect.die(new Error("nothing was taken")))
    }),
    findForUpdate: ({ consumer, event_id }) =>
      EventConsumerStore.use((store) => store.findForUpdate(consumer, event_id)),
    update: (item) => EventConsumerStore.use((store) => store.update(item)),
    count: ({ error }) => Number(error ?? "0"),
    counted: (item, count) => ({ ...item, error: String(count) })
  }),

  law("what is tried anew is due at once and held by nobody, and what is skipped is gone", function* ({ store }) {
    const { event, name } = yield* oneTaken
    const held = yield* heldOf(name)
    // Past by every clock: a store may put an instant that is ahead of its own back to that.
    const now = DateTime.subtract(yield* store.now, { milliseconds: 10 })
    const parked = decideEvent(
      { ...held, item: { ...held.item, attempt_count: 5 } },
      { _tag: "Park", at: now, error: "x" }
    )
    yield* store.settle(name, [parked])
    same(yield* store.waiting(name, { limit: 9, failed: true }), [parked.item])
    same(
      Option.map(yield* store.find(name), (record) => [record.waiting, record.parked]),
      Option.some([0, 1])
    )
    same(yield* store.untilDue(name), Option.none())
    const resumed = decideEvent(parked, { _tag: "Resume", at: now })
    yield* store.update(resumed.item)
    const [again] = yield* claimOf(name)
    same(again?.item, resumed.item)
    yield* store.update(decideEvent(resumed, { _tag: "Skip", at: now }).item)
    same([...(yield* store.settle(name, again === undefined ? [] : [again]))], [])
    none(yield* store.findForUpdate(name, event.id))
  }),

  law("a hint comes with a commit that wrote events", function* ({ id }) {
    const [outbox, store] = [yield* Outbox, yield* EventConsumerStore]
    const event = yield* eventAbout(id, yield* freshId("donor"))
    const waiting = yield* Effect.forkChild(yield* store.hint, { startImmediately: true })
    assert.isTrue(waiting.pollUnsafe() === undefined, "nothing was committed yet")
    yield* outbox.append([event])
    yield* Fiber.join(waiting)
  })
]

/** The laws of `EventConsumerStore`. */
export const eventConsumers = (given: Thoroughness = {}) =>
  suite([...begins, ...consumerRegistrations, ...takes(runsOf(given)), ...claims(runsOf(given)), ...operators])
