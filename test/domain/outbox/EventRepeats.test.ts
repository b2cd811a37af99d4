import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import * as Donation from "../../../src/domain/giving/Donation.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import { firstOfEach } from "../../../src/domain/outbox/EventRepeats.ts"
import { donations } from "../../../src/testing/subjects/Donations.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

interface Emitted {
  readonly type: string
  readonly dedupe_key: string | null
}

const keyOf = ({ dedupe_key, type }: Emitted): string => `${type} ${dedupe_key}`

/** Notices of a processor about one donation, each delivered one to three times, all in any order. */
const notices = fc
  .array(fc.tuple(donations.commands, fc.integer({ min: 1, max: 3 })), { maxLength: 8 })
  .map((sent) => sent.flatMap(([command, times]) => Array.from({ length: times }, () => command)))
  .chain((sent) => fc.shuffledSubarray(sent, { minLength: sent.length, maxLength: sent.length }))

const emittedBy = (start: Donation.Donation, commands: ReadonlyArray<Donation.Command>): ReadonlyArray<Emitted> => {
  const emitted: Array<Emitted> = [{ type: "donation.created", dedupe_key: start.id }]
  let state = start
  for (const command of commands) {
    const decision = decide(Donation.machine, state, command)
    if (Result.isFailure(decision)) continue
    state = decision.success.state
    emitted.push(...decision.success.events.map(({ type }) => ({ type, dedupe_key: start.id })))
  }
  return emitted
}

const submitted = donations.states.filter(({ status }) => status === "PENDING")

const emittedEvents = fc.array(
  fc.record({ type: fc.constantFrom("a", "b", "c"), dedupe_key: fc.option(fc.constantFrom("1", "2")) })
)

describe("machine and outbox", () => {
  it("deliver each event type at most once per donation, however notices are reordered and repeated", () =>
    forEveryWith({ numRuns: 500 }, submitted, notices, (start, commands) => {
      const emitted = emittedBy(start, commands)
      const delivered = firstOfEach(emitted).map(({ type }) => type)
      assert.strictEqual(new Set(delivered).size, delivered.length)
      assert.deepStrictEqual(new Set(delivered), new Set(emitted.map(({ type }) => type)))
      assert.isFalse(delivered.includes("donation.succeeded") && delivered.includes("donation.failed"))
    }))

  it("repeating every notice of a history delivers nothing more", () =>
    forEvery(submitted, fc.array(donations.commands, { maxLength: 8 }), (start, commands) => {
      const once = firstOfEach(emittedBy(start, commands))
      const again = firstOfEach([...emittedBy(start, commands), ...emittedBy(start, commands)])
      assert.deepStrictEqual(again, once)
    }))
})

describe("firstOfEach", () => {
  it("keeps the first of each type and key, all without a key, and their order", () =>
    forEvery(emittedEvents, (events) => {
      const expected = events.filter(
        (event, index) =>
          event.dedupe_key === null || events.findIndex((each) => keyOf(each) === keyOf(event)) === index
      )
      const kept = firstOfEach(events)
      assert.deepStrictEqual(kept, expected)
      for (const [index, event] of kept.entries()) assert.strictEqual(event, expected[index])
    }))

  it("never takes back what was kept before", () =>
    forEvery(emittedEvents, emittedEvents, (earlier, later) => {
      const kept = firstOfEach(earlier)
      assert.deepStrictEqual(firstOfEach([...earlier, ...later]).slice(0, kept.length), kept)
      assert.deepStrictEqual(firstOfEach([...kept, ...later]), firstOfEach([...earlier, ...later]))
    }))
})
