import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import { DeliveryId, EventId, idPrefixes } from "../../../src/domain/kernel/Ids.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import * as Delivery from "../../../src/domain/outbox/Delivery.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery } from "../../support/Property.ts"

const instant = fc.integer({ min: 0, max: 4e12 }).map((millis) => DateTime.makeUnsafe(millis))

const anyDelivery = arbitraryOf(Delivery.Delivery)

const newborn = fc.tuple(anyDelivery, instant).map(
  ([delivery, at]): Delivery.Delivery => ({
    ...delivery,
    status: "PENDING",
    attempt_count: 0,
    interruption_count: 0,
    next_attempt_at: at,
    completed_at: null
  })
)

const apply = (delivery: Delivery.Delivery, command: Delivery.Command): Delivery.Delivery =>
  Result.getOrThrow(decide(Delivery.machine, delivery, command)).state

const settle = (
  delivery: Delivery.Delivery,
  outcome: Pick<Delivery.Attempt, "response_status" | "error">,
  at: DateTime.Utc
): Delivery.Delivery => apply(delivery, Delivery.settlement(delivery, outcome, at))

const failure = fc.constantFrom(
  { response_status: 500, error: null },
  { response_status: 301, error: null },
  { response_status: 410, error: null },
  { response_status: null, error: "timeout" },
  { response_status: 503, error: "timeout" }
)
// The body is ignored, and so is what became of it.
const success = fc.record({
  response_status: fc.integer({ min: 200, max: 299 }),
  error: fc.constantFrom(null, "timeout", "connection_failed")
})
const interruption = { response_status: null, error: "interrupted" }

const secondsBetween = (from: DateTime.Utc, to: DateTime.Utc | null): number =>
  to === null ? assert.fail("no attempt is due") : (to.epochMilliseconds - from.epochMilliseconds) / 1000

describe("the retry schedule", () => {
  it("makes the first attempt at once", () =>
    forEvery(instant, (at) => assert.strictEqual(secondsBetween(at, Delivery.dueAfter(0, at)), 0)))

  it("is left by the first 2xx, at any attempt", () =>
    forEvery(newborn, fc.array(failure, { maxLength: 5 }), success, instant, (born, failures, received, at) => {
      const failed = failures.reduce((delivery, outcome) => settle(delivery, outcome, at), born)
      const delivery = settle(failed, received, at)
      assert.deepInclude(delivery, { status: "DELIVERED", attempt_count: failures.length + 1, next_attempt_at: null })
      assert.deepStrictEqual(delivery.completed_at, at)
    }))

  it("goes on through interruptions as if they had not been", () =>
    forEvery(
      newborn,
      fc.array(fc.boolean(), { maxLength: 10 }).filter((all) => all.filter((each) => each).length < 6),
      instant,
      (born, interruptions, at) => {
        const failures = { response_status: 500, error: null }
        let delivery = born
        let failed = 0
        for (const isInterruption of interruptions) {
          if (failed === 5 && !isInterruption) continue
          delivery = settle(delivery, isInterruption ? interruption : failures, at)
          if (!isInterruption) {
            failed += 1
            assert.strictEqual(
              secondsBetween(at, delivery.next_attempt_at),
              [0, 60, 300, 1_800, 10_800, 86_400][failed]
            )
          }
        }
        assert.deepInclude(delivery, {
          status: "PENDING",
          attempt_count: failed,
          interruption_count: interruptions.filter((each) => each).length
        })
      }
    ))

  it("makes the next attempt at once after the first interruption, then waits as after failures, and gives up after six", () =>
    forEvery(newborn, fc.array(failure, { maxLength: 5 }), instant, (born, failures, at) => {
      let delivery = failures.reduce((before, outcome) => settle(before, outcome, at), born)
      const waits: Array<number> = []
      for (let each = 1; each <= 6; each++) {
        delivery = settle(delivery, interruption, at)
        if (delivery.status === "PENDING") waits.push(secondsBetween(at, delivery.next_attempt_at))
      }
      assert.deepStrictEqual(waits, [0, 60, 300, 1_800, 10_800])
      assert.deepInclude(delivery, {
        status: "FAILED",
        attempt_count: failures.length,
        interruption_count: 6,
        next_attempt_at: null
      })
      assert.deepStrictEqual(delivery.completed_at, at)
    }))

  it("ends, however attempts fail and are interrupted", () => {
    const outcome = fc.oneof(failure, fc.constant(interruption))
    forEvery(newborn, fc.array(outcome, { minLength: 11, maxLength: 11 }), instant, (born, outcomes, at) => {
      const end = outcomes.reduce(
        (delivery, each) => (delivery.status === "PENDING" ? settle(delivery, each, at) : delivery),
        born
      )
      assert.strictEqual(end.status, "FAILED")
    })
  })

  it("never waits longer than what is said to be the longest", () => {
    const outcome = fc.oneof(failure, fc.constant(interruption))
    forEvery(newborn, fc.array(outcome, { maxLength: 9 }), instant, (born, outcomes, at) => {
      for (let delivery = born, rest = outcomes; delivery.status === "PENDING"; rest = rest.slice(1)) {
        const [next] = rest
        if (next === undefined) break
        delivery = settle(delivery, next, at)
        if (delivery.status === "PENDING") {
          assert.isAtMost(secondsBetween(at, delivery.next_attempt_at), Delivery.longestWaitSeconds(delivery))
        }
      }
    })
  })

  it("waits as long as is said to be the longest where nothing interrupts it, which is not at all before it is tried", () =>
    forEvery(newborn, fc.array(failure, { maxLength: 5 }), instant, (born, failures, at) => {
      assert.strictEqual(Delivery.longestWaitSeconds(born), 0)
      let delivery = born
      for (const each of failures) {
        delivery = settle(delivery, each, at)
        assert.strictEqual(secondsBetween(at, delivery.next_attempt_at), Delivery.longestWaitSeconds(delivery))
      }
    }))

  it("counts places of attempts through interruptions", () =>
    forEvery(
      newborn,
      fc.array(fc.oneof(failure, fc.constant(interruption)), { maxLength: 5 }),
      instant,
      (born, outcomes, at) => {
        const delivery = outcomes.reduce((before, outcome) => settle(before, outcome, at), born)
        assert.strictEqual(Delivery.nextNumber(delivery), outcomes.length + 1)
      }
    ))
})

describe("a delivery", () => {
  it("begins untried, due when it is said to be, whether an event is addressed or replayed", () =>
    forEvery(anyDelivery, anyDelivery, instant, instant, (given, other, created_at, due) => {
      const { endpoint_id, event_id, event_type, id, organisation_id } = given
      const untried = {
        endpoint_id,
        event_id,
        event_type,
        organisation_id,
        status: "PENDING",
        attempt_count: 0,
        interruption_count: 0,
        next_attempt_at: due,
        created_at,
        updated_at: created_at,
        completed_at: null
      }
      const fresh = { id, endpoint_id, event_id, event_type, organisation_id, created_at, due }
      assert.deepStrictEqual({ ...Delivery.newDelivery(fresh) }, { ...untried, id, replay_of: null })
      const again = Delivery.replayOf(given, { id: other.id, created_at, due })
      assert.deepStrictEqual({ ...again }, { ...untried, id: other.id, replay_of: id })
      assert.strictEqual(Delivery.nextNumber(again), 1)
    }))

  it("may be one that nobody has tried yet, and shows nobody whose it is", () => {
    forEvery(newborn, (born) => assert.isTrue(Schema.is(Delivery.Delivery)(born)))
    for (const shown of [Delivery.DeliveryRecord, Delivery.DeliveryDetail]) {
      assert.notProperty(shown.fields, "organisation_id")
    }
  })
})

it("an answer is received exactly when its status is 2xx", () => {
  for (let status = 100; status < 600; status++) {
    assert.strictEqual(Delivery.isReceived(status), Math.floor(status / 100) === 2)
  }
  assert.isFalse(Delivery.isReceived(null))
})

describe("the ids of an event's deliveries", () => {
  const ordinals = Array.from({ length: 20 }, (_, index) => index + 1)

  it("are valid, distinct, and the event's own but for the prefix and the last digit", () =>
    forEvery(arbitraryOf(EventId), (event_id) => {
      const ids = ordinals.map((ordinal) => Delivery.idFor(event_id, ordinal))
      assert.isTrue(ids.every(Schema.is(DeliveryId)))
      assert.strictEqual(new Set(ids).size, ordinals.length)
      for (const id of ids) {
        assert.strictEqual(id.slice(0, -1), event_id.slice(0, -1).replace(idPrefixes.event, idPrefixes.delivery))
      }
    }))

  it("are never those of an event that differs before its last digit", () =>
    forEvery(arbitraryOf(EventId), arbitraryOf(EventId), (one, other) => {
      fc.pre(one.slice(0, -1) !== other.slice(0, -1))
      const ids = new Set(ordinals.map((ordinal) => Delivery.idFor(one, ordinal)))
      assert.isFalse(ordinals.some((ordinal) => ids.has(Delivery.idFor(other, ordinal))))
    }))
})
