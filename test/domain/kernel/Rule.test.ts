import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import fc from "fast-check"
import { scalarOf } from "../../../src/domain/kernel/Comparison.ts"
import { at, type Expiry, holds, holdsAt, meets, type Rule, ranOut, rulesOf } from "../../../src/domain/kernel/Rule.ts"
import { forEveryWith } from "../../support/Property.ts"

interface Parcel {
  readonly status: "PACKED" | "SENT" | "LOST"
  readonly weight: number
  readonly fragile: boolean
  readonly sent_at: DateTime.Utc | null
  readonly lost_at: DateTime.Utc | null
  readonly note: string | null
  readonly labels: ReadonlyArray<string>
}

const { every, has, hasPassed, is, isAtLeast, lacks, liesAhead, some, spans } = rulesOf<Parcel>()

const instant = (millis: number): DateTime.Utc => DateTime.makeUnsafe(millis)

const moments = fc.integer({ min: 0, max: 6 }).map(instant)

const parcels: fc.Arbitrary<Parcel> = fc.record({
  status: fc.constantFrom("PACKED", "SENT", "LOST"),
  weight: fc.integer({ min: 0, max: 4 }),
  fragile: fc.boolean(),
  sent_at: fc.option(moments),
  lost_at: fc.option(moments),
  note: fc.option(fc.constantFrom("", "x")),
  labels: fc.array(fc.constant("a"), { maxLength: 1 })
})

const always = (property: (parcel: Parcel, now: DateTime.Utc) => void): void =>
  forEveryWith({ numRuns: 300 }, parcels, moments, property)

describe("a rule", () => {
  it("of values holds for the records that have one of them", () => {
    always((parcel) => {
      assert.strictEqual(holds(is("status", "SENT"), parcel), parcel.status === "SENT")
      assert.strictEqual(holds(is("status", "SENT", "LOST"), parcel), parcel.status !== "PACKED")
      assert.strictEqual(holds(is("weight", 1, 3), parcel), parcel.weight % 2 === 1)
      assert.strictEqual(holds(is("fragile", true), parcel), parcel.fragile)
      assert.strictEqual(holds(is("fragile", false), parcel), !parcel.fragile)
      assert.strictEqual(holds(is("note", "x"), parcel), parcel.note === "x")
      assert.isFalse(holds(is("status"), parcel))
    })
  })

  it("compares texts, numbers, truths and instants, and nothing else", () => {
    assert.deepStrictEqual(["a", 1, false, instant(5), null, ["a"], {}].map(scalarOf), [
      "a",
      1,
      false,
      5,
      null,
      null,
      null
    ])
  })

  it("of a least number holds from it on", () => {
    always((parcel) => assert.strictEqual(holds(isAtLeast("weight", 2), parcel), parcel.weight > 1))
  })

  it("of a value that is there or not holds for nothing but null", () => {
    always((parcel) => {
      assert.strictEqual(holds(has("note"), parcel), typeof parcel.note === "string")
      assert.strictEqual(holds(lacks("note"), parcel), parcel.note === null)
      assert.isTrue(holds(has("labels"), parcel))
      assert.isFalse(holds(lacks("labels"), parcel))
    })
  })

  it("of an instant holds from it on, or before it, and never where there is none", () => {
    always((parcel, now) => {
      const [sent, moment] = [parcel.sent_at?.epochMilliseconds, now.epochMilliseconds]
      const isThere = sent !== undefined
      assert.strictEqual(holdsAt(hasPassed("sent_at"), parcel, now), isThere && moment >= sent)
      assert.strictEqual(holdsAt(liesAhead("sent_at"), parcel, now), isThere && moment < sent)
      const after = Duration.millis(2)
      assert.strictEqual(holdsAt(hasPassed("sent_at", after), parcel, now), isThere && moment >= sent + 2)
      assert.strictEqual(holdsAt(liesAhead("sent_at", after), parcel, now), isThere && moment < sent + 2)
    })
  })

  it("of two instants holds where the second comes so long after the first, and never where one is not there", () => {
    always((parcel, now) => {
      const [sent, lost] = [parcel.sent_at?.epochMilliseconds, parcel.lost_at?.epochMilliseconds]
      const isThere = sent !== undefined && lost !== undefined
      const span = spans("sent_at", "lost_at", Duration.millis(2))
      assert.strictEqual(holds(span, parcel), isThere && lost >= sent + 2)
      assert.strictEqual(
        holdsAt(every(span, has("note")), parcel, now),
        isThere && lost >= sent + 2 && parcel.note !== null
      )
    })
  })

  it("of several holds when all hold, or one of them", () => {
    const [a, b] = [is("status", "SENT"), has("note")]
    always((parcel) => {
      const [isA, isB] = [parcel.status === "SENT", parcel.note !== null]
      assert.strictEqual(holds(every(a, b), parcel), isA && isB)
      assert.strictEqual(holds(some(a, b), parcel), isA || isB)
      const [all, any]: ReadonlyArray<Rule<"note">> = [every(), some()]
      assert.isTrue(all !== undefined && holds(all, parcel))
      assert.isFalse(any === undefined || holds(any, parcel))
    })
  })

  it("that asks for the time reads at an instant as it holds then, inside others too", () => {
    const late = some(every(is("fragile", true), hasPassed("sent_at")), liesAhead("sent_at"))
    always((parcel, now) => {
      const [sent, moment] = [parcel.sent_at?.epochMilliseconds, now.epochMilliseconds]
      const expected = sent !== undefined && (moment < sent || parcel.fragile)
      assert.strictEqual(holdsAt(late, parcel, now), expected)
      const columns = new Map<string, unknown>(Object.entries(parcel))
      assert.strictEqual(
        meets(at(late, now), (column) => columns.get(column)),
        expected
      )
    })
  })

  it("says of what it is made", () => {
    assert.deepStrictEqual(every(is("weight", 1), is("fragile", true), is("note", "x"), is("status")), {
      _tag: "Every",
      rules: [
        { _tag: "Compared", column: "weight", type: "integer", operator: "in", values: [1] },
        { _tag: "Compared", column: "fragile", type: "boolean", operator: "in", values: [true] },
        { _tag: "Compared", column: "note", type: "text", operator: "in", values: ["x"] },
        { _tag: "Compared", column: "status", type: "text", operator: "in", values: [] }
      ]
    })
    assert.deepStrictEqual(isAtLeast("weight", 1), {
      _tag: "Compared",
      column: "weight",
      type: "integer",
      operator: "gte",
      values: [1]
    })
    assert.deepStrictEqual(at(hasPassed("sent_at", "1 second"), instant(5_000)), {
      _tag: "Compared",
      column: "sent_at",
      type: "timestamp",
      operator: "lte",
      values: [4_000]
    })
  })
})

it("an expiry ran out for records of its statuses alone, when its rule holds", () => {
  const expiry: Expiry<Parcel["status"], "sent_at"> = {
    from: ["PACKED", "SENT"],
    to: "LOST",
    when: hasPassed("sent_at")
  }
  always((parcel, now) => {
    const isOver = parcel.sent_at !== null && now.epochMilliseconds >= parcel.sent_at.epochMilliseconds
    assert.strictEqual(holdsAt(ranOut(expiry), parcel, now), parcel.status !== "LOST" && isOver)
  })
})
