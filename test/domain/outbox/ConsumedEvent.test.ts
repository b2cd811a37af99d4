import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import { EventId, OrganisationId } from "../../../src/domain/kernel/Ids.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import * as Rule from "../../../src/domain/kernel/Rule.ts"
import * as ConsumedEvent from "../../../src/domain/outbox/ConsumedEvent.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { consumedEvents } from "../../../src/testing/subjects/Deliveries.ts"
import { forEvery } from "../../support/Property.ts"

const instant = fc.integer({ min: 0, max: 4e12 }).map((millis) => DateTime.makeUnsafe(millis))

const given = fc.record({
  consumer: fc.constant("ledger"),
  position: fc.nat(),
  organisation_id: arbitraryOf(OrganisationId),
  event_id: arbitraryOf(EventId),
  event_type: fc.constant("donation.created"),
  subject_id: fc.string()
})

const moved = (event: ConsumedEvent.ConsumedEvent, command: ConsumedEvent.Command): ConsumedEvent.ConsumedEvent =>
  Result.getOrThrow(decide(ConsumedEvent.machine, event, command)).state

const secondsBetween = (from: DateTime.Utc, to: DateTime.Utc | null): number =>
  to === null ? assert.fail("no attempt is due") : (to.epochMilliseconds - from.epochMilliseconds) / 1000

const schedule = [60, 5 * 60, 30 * 60, 3 * 3600, 24 * 3600]

describe("an event that a consumer takes", () => {
  it("is due at once, and nobody has tried it", () =>
    forEvery(given, instant, (event, at) => {
      assert.deepStrictEqual(ConsumedEvent.newConsumedEvent(event, at), {
        ...event,
        status: "PENDING",
        attempt_count: 0,
        interruption_count: 0,
        next_attempt_at: at,
        error: null,
        created_at: at,
        updated_at: at,
        parked_at: null
      })
    }))

  it("is tried six times, on the schedule of deliveries, and parked after the sixth", () =>
    forEvery(given, instant, fc.array(fc.nat(9e9), { minLength: 6, maxLength: 6 }), (event, born, lateness) => {
      let taken = ConsumedEvent.newConsumedEvent(event, born)
      const waits: Array<number> = []
      for (const [index, late] of lateness.entries()) {
        const at = DateTime.addDuration(taken.next_attempt_at ?? assert.fail("it is due"), late)
        taken = moved(taken, ConsumedEvent.failure(taken, `failure ${index}`, at))
        assert.strictEqual(taken.error, `failure ${index}`)
        if (index < 5) waits.push(secondsBetween(at, taken.next_attempt_at))
        else assert.deepStrictEqual(taken.parked_at, at)
      }
      assert.deepStrictEqual(waits, schedule)
      assert.deepInclude(taken, { status: "PARKED", attempt_count: 6, next_attempt_at: null })
    }))

  it("is parked after six interruptions, which count apart: the first is made good at once", () =>
    forEvery(given, instant, (event, at) => {
      let taken = ConsumedEvent.newConsumedEvent(event, at)
      const waits: Array<number> = []
      for (let count = 1; count <= 6; count += 1) {
        taken = moved(taken, ConsumedEvent.interruption(taken, at))
        assert.deepInclude(taken, { attempt_count: 0, interruption_count: count })
        if (count < 6) waits.push(secondsBetween(at, taken.next_attempt_at))
      }
      assert.deepStrictEqual(waits, [0, ...schedule.slice(0, 4)])
      assert.deepInclude(taken, { status: "PARKED", next_attempt_at: null })
      assert.deepStrictEqual(taken.parked_at, at)
    }))

  it("tells a failure in at most 1,000 characters, and cuts none in two", () =>
    forEvery(given, instant, fc.constantFrom("x", "é", "😀"), fc.nat(2_000), (event, at, character, length) => {
      const taken = ConsumedEvent.newConsumedEvent(event, at)
      const { error } = moved(taken, ConsumedEvent.failure(taken, character.repeat(length), at))
      assert.strictEqual(error, character.repeat(Math.min(length, 1_000)))
    }))

  it("is over once it was handled or skipped", () =>
    forEvery(consumedEvents.states, (event) => {
      const takesNothing = ["HANDLED", "SKIPPED"].includes(event.status)
      assert.strictEqual(ConsumedEvent.isOver(event), takesNothing)
    }))

  it("is found by what operators look for: what waits, what is parked, what has failed", () =>
    forEvery(consumedEvents.states, (each) => {
      const { status } = each
      assert.strictEqual(Rule.holds(ConsumedEvent.waits, each), status === "PENDING")
      assert.strictEqual(Rule.holds(ConsumedEvent.isParked, each), status === "PARKED")
      for (const attempt_count of [0, 1, 2]) {
        for (const interruption_count of [0, 1, 2]) {
          const tried = attempt_count + interruption_count > 0
          const hasFailed = Rule.holds(ConsumedEvent.hasFailed, { ...each, attempt_count, interruption_count })
          assert.strictEqual(hasFailed, tried || status === "PARKED")
        }
      }
    }))
})
