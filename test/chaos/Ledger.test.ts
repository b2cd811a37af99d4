import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Arrival, Ledger } from "../../chaos/Ledger.mjs"
import { forEvery } from "../support/Property.ts"

const type = "donation.created"

const ledgerOf = (subjects: ReadonlyArray<string>, arrivals: ReadonlyArray<Arrival>): Ledger => {
  const ledger = new Ledger()
  for (const subject of subjects) ledger.committed({ at: 0, endpoints: ["one", "two"], subject, types: [type] })
  for (const arrival of arrivals) ledger.arrived(arrival)
  return ledger
}

const subjects = ["a", "b", "c"]

const arrival = (fields: Partial<Arrival>): Arrival => ({
  at: 100,
  endpoint: "one",
  id: "dlv_1",
  isAccepted: true,
  subject: "a",
  type,
  ...fields
})

const arrivals = fc
  .array(
    fc.record({
      at: fc.nat(100_000),
      endpoint: fc.constantFrom("one", "two"),
      id: fc.constantFrom("dlv_1", "dlv_2"),
      isAccepted: fc.boolean(),
      subject: fc.constantFrom(...subjects),
      type: fc.constant(type)
    }),
    { maxLength: 30 }
  )
  .map((all) => all.toSorted((one, other) => one.at - other.at))

describe("the ledger of the faults", () => {
  it("calls lost what no endpoint accepted", () =>
    forEvery(arrivals, (all) => {
      const accepted = new Set(
        all.filter(({ isAccepted }) => isAccepted).map(({ endpoint, subject }) => `${endpoint}/${subject}`)
      )
      const { arrived, expected, lost } = ledgerOf(subjects, all).count()
      assert.strictEqual(expected, 6)
      assert.strictEqual(arrived, accepted.size)
      assert.strictEqual(lost, 6 - accepted.size)
    }))

  it("counts every request after an accepted one, as a double without a loss", () =>
    forEvery(arrivals, (all) => {
      const after = all.filter(({ at, endpoint, subject }, index) =>
        all
          .slice(0, index)
          .some(
            (other) => other.isAccepted && other.endpoint === endpoint && other.subject === subject && other.at <= at
          )
      )
      const { doubled, repeated } = ledgerOf(subjects, all).count()
      assert.strictEqual(repeated, 0)
      assert.strictEqual(doubled, after.length)
    }))

  it("explains by losses only what has the same id and was under way, and never changes the sum", () => {
    forEvery(arrivals, fc.array(fc.nat(100_000), { maxLength: 3 }), (all, losses) => {
      const ledger = ledgerOf(subjects, all)
      const [without, withLosses] = [ledger.count(), ledger.count(losses)]
      assert.strictEqual(withLosses.doubled + withLosses.repeated, without.doubled)
    })
    const twice = (fields: Partial<Arrival>) =>
      ledgerOf(["a"], [arrival({ at: 50_000 }), arrival({ at: 70_000, ...fields })])
    assert.strictEqual(twice({}).count([55_000]).repeated, 1)
    assert.strictEqual(twice({}).count([65_000]).repeated, 0)
    assert.strictEqual(twice({}).count([45_000]).repeated, 0)
    assert.strictEqual(twice({ id: "dlv_2" }).count([55_000]).repeated, 0)
  })

  it("explains by each wake one repetition at most, of the same id and right after it", () => {
    const again = (...late: ReadonlyArray<Partial<Arrival>>) =>
      ledgerOf(["a"], [arrival({ at: 50_000 }), ...late.map((fields) => arrival({ at: 55_500, ...fields }))])
    assert.deepInclude(again({}).count([], [55_000]), { doubled: 0, repeated: 1 })
    assert.deepInclude(again({}).count([], [55_600]), { doubled: 1, repeated: 0 })
    assert.deepInclude(again({}).count([], [54_000]), { doubled: 1, repeated: 0 })
    assert.deepInclude(again({ id: "dlv_2" }).count([], [55_000]), { doubled: 1, repeated: 0 })
    assert.deepInclude(again({}, {}).count([], [55_000]), { doubled: 1, repeated: 1 })
    assert.deepInclude(again({}, {}).count([], [55_000, 55_001]), { doubled: 0, repeated: 2 })
    assert.deepInclude(again({}, {}).count([54_000], [55_000]), { doubled: 0, repeated: 2 })
  })

  it("is recovered after the last late arrival, and never while one is missing", () => {
    const both = [arrival({ at: 500 }), arrival({ at: 9_000, endpoint: "two" })]
    assert.strictEqual(ledgerOf(["a"], both).recovery(4_000), 5)
    assert.strictEqual(ledgerOf(["a"], both).recovery(9_000), 0)
    assert.isNull(ledgerOf(["a"], [arrival({})]).recovery(0))
  })

  it("does not hold requests that a loss cut short against a delivery", () => {
    const ledger = ledgerOf(
      ["a"],
      [1_000, 20_000, 40_000].map((at) => arrival({ at, isAccepted: false }))
    )
    assert.strictEqual(ledger.requests("dlv_1"), 3)
    assert.strictEqual(ledger.requests("dlv_1", [21_000]), 2)
    assert.strictEqual(ledger.requests("dlv_2"), 0)
  })
})
