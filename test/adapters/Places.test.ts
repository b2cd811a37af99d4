import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Slots } from "../../src/adapters/webhooks/Slots.ts"
import { forEvery } from "../support/Property.ts"

interface Seen {
  readonly organisation: string
  state: "waiting" | "held" | "gone"
  readonly giveBack: () => void
}

const steps = fc.array(
  fc.oneof(
    fc.record({ take: fc.constantFrom("a", "b", "c", "d", "e") }),
    fc.record({ giveBack: fc.nat(200), repeated: fc.boolean() })
  ),
  { maxLength: 120 }
)

const count = (seen: ReadonlyArray<Seen>, state: Seen["state"], organisation?: string) =>
  seen.filter((each) => each.state === state && (organisation ?? each.organisation) === each.organisation).length

/** Runs a script on places, and tells of each place that is given, as it is given. */
const play = (
  places: Slots,
  script: ReadonlyArray<{ take: string } | { giveBack: number; repeated: boolean }>,
  given: (seen: ReadonlyArray<Seen>, to: Seen) => void,
  settled: (seen: ReadonlyArray<Seen>) => void
) => {
  const seen: Array<Seen> = []
  for (const step of script) {
    if ("take" in step) {
      let giveBack: () => void = () => undefined
      const mine: Seen = { organisation: step.take, state: "waiting", giveBack: () => giveBack() }
      seen.push(mine)
      giveBack = places.take(step.take, () => {
        given(seen, mine)
        mine.state = "held"
      })
    } else {
      const chosen = seen[step.giveBack % Math.max(1, seen.length)]
      if (chosen === undefined) continue
      chosen.state = "gone"
      chosen.giveBack()
      if (step.repeated) chosen.giveBack()
    }
    settled(seen)
  }
}

const sizes = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 9 }))

describe("places", () => {
  it("are never more than the share of an organisation and the total, and none is left free while one may have it", () =>
    forEvery(sizes, steps, ([share, total], script) =>
      play(
        new Slots(share, total),
        script,
        () => undefined,
        (seen) => {
          assert.isAtMost(count(seen, "held"), total)
          for (const organisation of ["a", "b", "c", "d", "e"]) {
            const held = count(seen, "held", organisation)
            assert.isAtMost(held, share)
            const mayHaveOne = held < share && count(seen, "held") < total
            assert.isTrue(count(seen, "waiting", organisation) === 0 || !mayHaveOne, `${organisation} waits`)
          }
        }
      )
    ))

  it("go to the organisation that holds the fewest, and within it to the one that came first", () =>
    forEvery(sizes, steps, ([share, total], script) =>
      play(
        new Slots(share, total),
        script,
        (seen, to) => {
          const waiting = seen.filter(({ state }) => state === "waiting")
          const held = count(seen, "held", to.organisation)
          for (const { organisation } of waiting) {
            assert.isAtLeast(Math.min(share, count(seen, "held", organisation)), held)
          }
          const first = waiting.find(({ organisation }) => organisation === to.organisation)
          assert.strictEqual(first, to)
        },
        () => undefined
      )
    ))

  it("are all free again when all were given back", () =>
    forEvery(sizes, steps, ([share, total], script) => {
      const places = new Slots(share, total)
      let all: ReadonlyArray<Seen> = []
      play(
        places,
        script,
        () => undefined,
        (seen) => {
          all = seen
        }
      )
      for (const each of all) {
        each.state = "gone"
        each.giveBack()
      }
      let started = 0
      for (let place = 0; place < total; place++) places.take(`new ${place}`, () => started++)
      assert.strictEqual(started, total)
    }))
})
