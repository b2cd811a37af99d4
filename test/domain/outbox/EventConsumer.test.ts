import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import { ConsumerName, From, isForWorker, subjectOf, typesAfter } from "../../../src/domain/outbox/EventConsumer.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery } from "../../support/Property.ts"

const isName = Schema.is(ConsumerName)

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

describe("the name of a consumer", () => {
  it("is letters, digits, `.`, `_` and `-`, a letter or digit first", () => {
    const ascii = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
    for (const character of ascii) {
      assert.strictEqual(isName(character), letters.includes(character), JSON.stringify(character))
      assert.strictEqual(isName(`a${character}`), `${letters}._-`.includes(character), JSON.stringify(character))
    }
    assert.isFalse(isName(""))
  })

  it("has at most 100 characters", () => {
    assert.deepStrictEqual(
      [1, 2, 99, 100, 101].map((length) => isName("a".repeat(length))),
      [true, true, true, true, false]
    )
  })

  it("is what generators make of it", () =>
    forEvery(arbitraryOf(ConsumerName), (name) => assert.match(name, /^[A-Za-z0-9][\w.-]{0,99}$/)))
})

it("where a consumer begins is at the beginning, now, or at an instant", () => {
  const isFrom = Schema.is(From)
  for (const each of ["beginning", "now", DateTime.makeUnsafe(0)]) assert.isTrue(isFrom(each))
  for (const each of ["", "end", 0, null]) assert.isFalse(isFrom(each))
})

it("a consumer takes what is asked for, and keeps what whoever asks does not know", () => {
  const types = ["donor.created", "donor.updated", "pledge.made", "pledge.kept"]
  const some = fc.subarray(types)
  forEvery(fc.option(some), fc.option(some), some, (taken, asked, known) => {
    const after = typesAfter(taken, asked, [...known, ...(asked ?? [])])
    if (asked === null) assert.isNull(after)
    else {
      for (const type of types) {
        const isKept = taken?.includes(type) === true && !known.includes(type)
        assert.strictEqual(after?.filter((each) => each === type).length, asked.includes(type) || isKept ? 1 : 0, type)
      }
    }
  })
})

describe("the record that an event is about", () => {
  const rest = fc.dictionary(
    fc.string().filter((name) => name !== "id" && name !== "recommendation_set_payment_id"),
    fc.string()
  )
  const noText = fc.constantFrom<unknown>(undefined, null, 7, [], { id: "x" })

  it("is the id of its data, the payment of a distribution, or the event itself", () =>
    forEvery(rest, fc.string(), fc.string(), noText, (data, id, payment, none) => {
      const of = (fields: Readonly<Record<string, unknown>>) => subjectOf("evt_1", { ...data, ...fields })
      assert.strictEqual(of({ recommendation_set_payment_id: payment, id }), id)
      assert.strictEqual(of({ recommendation_set_payment_id: payment, id: none }), payment)
      assert.strictEqual(of({ recommendation_set_payment_id: none, id: none }), "evt_1")
      assert.strictEqual(of({}), "evt_1")
    }))
})

it("an event is for a worker that asked for its type, or for any where nobody asks for it", () => {
  const told = [null, ["a"], ["b"]].map((handled) =>
    [null, ["a", "b"], ["b"]].map((taken) => isForWorker("a", handled, taken))
  )
  assert.deepStrictEqual(told, [
    [true, true, true],
    [true, true, true],
    [false, false, true]
  ])
})
