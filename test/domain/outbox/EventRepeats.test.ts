import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { firstOfEach } from "../../../src/domain/outbox/EventRepeats.ts"
import { forEvery } from "../../support/Property.ts"

interface Emitted {
  readonly type: string
  readonly dedupe_key: string | null
}

const keyOf = ({ dedupe_key, type }: Emitted): string => `${type} ${dedupe_key}`

const emittedEvents = fc.array(
  fc.record({ type: fc.constantFrom("a", "b", "c"), dedupe_key: fc.option(fc.constantFrom("1", "2")) })
)

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
