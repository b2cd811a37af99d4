import { DateTime, Effect, Option, Random } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import { eventTypes } from "../../domain/outbox/Event.ts"
import type { From } from "../../domain/outbox/EventConsumer.ts"
import { EventConsumerStore } from "../../ports/outbox/EventConsumerStore.ts"
import { assert } from "./Assert.ts"
import { at } from "./Records.ts"
import { assertRefused, lawsOf, same } from "./Suite.ts"

/** A name that no consumer has. */
export const freshName = Effect.map(Random.nextIntBetween(0, 1e15), (n) => `consumer-${n}`)

/** A consumer that is gone when the check ends. */
export const consumerFrom = Effect.fnUntraced(function* (from: From, event_types: ReadonlyArray<string> | null = null) {
  const store = yield* EventConsumerStore
  const name = yield* freshName
  const registered = Effect.orDie(store.register({ name, event_types, known_types: eventTypes, from }))
  yield* Effect.acquireRelease(registered, () => store.remove(name))
  return name
})

const { law } = lawsOf(EventConsumerStore)

/** The laws of what is kept of consumers, and how many. */
export const consumerRegistrations = [
  law("a consumer is told as it was registered: again, alone and among all", function* ({ store }) {
    for (const [event_types, from] of [
      [null, "now"],
      [["donor.created", "donor.updated"], at(3)]
    ] as const) {
      const before = yield* store.now
      const name = yield* consumerFrom(from, event_types)
      const registered = yield* store.register({ name, event_types, known_types: eventTypes, from: "now" })
      const { created_at, position, updated_at } = registered
      same(registered, { name, event_types, since: from === "now" ? null : from, position, created_at, updated_at })
      assert.isTrue(DateTime.between(created_at, { minimum: before, maximum: yield* store.now }))
      const found = Option.getOrThrow(yield* store.find(name))
      same(found, { name, event_types, behind: found.behind, waiting: 0, parked: 0, created_at, updated_at })
      same(
        (yield* store.list).find((each) => each.name === name),
        found
      )
    }
  }),

  law(
    "a process that does not know a type of a consumer leaves it to it, and takes back those that it knows",
    function* ({ store }) {
      const [older, newer] = [
        ["donor.created", "donor.updated"],
        [...eventTypes, "x.pledge"]
      ]
      const name = yield* consumerFrom("now", ["donor.created"])
      const typesFor = Effect.fnUntraced(function* (
        types: ReadonlyArray<string> | null,
        known_types: ReadonlyArray<string>
      ) {
        const { event_types } = yield* store.register({ name, event_types: types, known_types, from: "now" })
        same(Option.getOrThrow(yield* store.find(name)).event_types, event_types)
        return event_types?.toSorted() ?? null
      })
      same(yield* typesFor(["donor.updated", "x.pledge"], newer), ["donor.updated", "x.pledge"])
      same(yield* typesFor(["donor.created"], older), ["donor.created", "x.pledge"])
      same(yield* typesFor(["donor.created"], newer), ["donor.created"])
      same(yield* typesFor(null, older), null)
    }
  ),

  law("there are as many consumers as the limit says, and a known one is none more", function* ({ store }) {
    const others = (yield* store.list).length
    const names = yield* Effect.forEach(Array.from({ length: Limits.consumers - others }), () => consumerFrom("now"))
    const one = { name: yield* freshName, event_types: null, known_types: eventTypes, from: "now" as const }
    yield* assertRefused(store.register(one), { _tag: "LimitReached" })
    yield* store.register({ ...one, name: names[0] ?? "" })
    same(
      (yield* store.list).map(({ name }) => name).filter((name) => names.includes(name)),
      names.toSorted()
    )
  })
]
