import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import { ChargeId, IntegrationId } from "../../../src/domain/kernel/Ids.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import {
  type AwaitedGift,
  candidatesFor,
  donorWordsIn,
  GiftCandidate
} from "../../../src/domain/payments/GiftCandidate.ts"
import { forEvery } from "../../support/Property.ts"

const integration_id = IntegrationId.make("intg_01jqz6x8h4e5vb9m2k7ncw3t5d")
const created_at = DateTime.makeUnsafe("2026-01-10T00:00:00Z")

const giftOf = (n: number, given: Partial<AwaitedGift> = {}): AwaitedGift => ({
  charge_id: ChargeId.make(`chg_01jqz6x8h4e5vb9m2k7ncw${String(n).padStart(4, "0")}`),
  integration_id,
  amount_cents: 50_00,
  currency: "AUD",
  received_cents: 0,
  status: "WAITING",
  reference: null,
  donor_id: null,
  first_name: null,
  last_name: null,
  organisation_name: null,
  created_at,
  ...given
})

describe("the gifts that are offered for a payment", () => {
  const known = [
    { reference: "NCW3T5D8", last_name: "Lee" },
    { reference: "7NCW3T5A", last_name: "Okafor" },
    { reference: "5CW3T5DF", last_name: "Nguyen" },
    { reference: "5QZ6X8HY", last_name: "Haddad" }
  ]
  const drawn = known.map((own) =>
    fc.record({
      own: fc.constantFrom(own, { ...own, reference: null }),
      isReferred: fc.boolean(),
      isNamed: fc.boolean(),
      amount_cents: fc.constantFrom(40_00, 50_00, 60_00),
      received_cents: fc.constantFrom(0, 10_00),
      seconds: fc.constantFrom(0, 1)
    })
  )

  it("are those that share its reference, name or open amount, in that order, the newest first, each with all it shares", () =>
    forEvery(fc.tuple(...drawn), fc.constantFrom(40_00, 50_00), (gifts, amount_cents) => {
      const text = gifts.flatMap(({ isNamed, isReferred, own }, n) => [
        ...(isReferred ? [known[n]?.reference] : []),
        ...(isNamed ? [own.last_name.toUpperCase()] : [])
      ])
      const all = gifts.map(({ own, seconds, ...gift }, n) => {
        const { amount_cents, received_cents } = gift
        return giftOf(n, { ...own, amount_cents, received_cents, created_at: DateTime.add(created_at, { seconds }) })
      })
      const expected = gifts
        .map(({ isNamed, isReferred, own, seconds, ...gift }, n) => {
          const isOpen = gift.amount_cents === amount_cents + gift.received_cents
          const shared = [isReferred && own.reference !== null, isNamed, isOpen]
          const reasons = (["reference", "name", "amount"] as const).filter((_, at) => shared[at])
          const rank = shared.map((is) => (is ? 0 : 1)).join("")
          return { donor_name: own.last_name, reasons, place: `${rank} ${1 - seconds} ${n}` }
        })
        .filter(({ reasons }) => reasons.length > 0)
        .toSorted((one, other) => (one.place < other.place ? -1 : 1))
      const found = candidatesFor({ amount_cents, text: text.join(" / ") }, all)
      assert.isTrue(found.every(Schema.is(GiftCandidate)))
      assert.deepStrictEqual(
        found.map(({ donor_name, reasons }) => ({ donor_name, reasons })),
        expected.map(({ place: _, ...each }) => each)
      )
    }))

  it("are the best of many", () => {
    const many = Array.from({ length: 3 * Limits.giftCandidates }, (_, n) =>
      giftOf(n, { last_name: n < 25 ? "Lee" : "Kim" })
    )
    const found = candidatesFor({ amount_cents: 1, text: "KIM LEE" }, [...many, giftOf(99, { reference: "NCW3T5D8" })])
    assert.lengthOf(found, Limits.giftCandidates)
    const best = candidatesFor({ amount_cents: 50_00, text: "KIM NCW3T5D8" }, [
      ...many,
      giftOf(99, { reference: "NCW3T5D8" })
    ])
    assert.deepStrictEqual(
      best.map(({ charge_id }) => Number(charge_id.slice(-4))),
      [99, 25, 26, 27, 28, 29, 0, 1, 2, 3]
    )
  })

  it.each([
    [{ first_name: "Kim", last_name: "Lee" }, "TRANSFER LEE", "Kim Lee"],
    [{ first_name: "Kim", last_name: "Lee" }, "TRANSFER KIM", null],
    [{ first_name: "Kim" }, "TRANSFER KIM", "Kim"],
    [{ first_name: "Zoë", last_name: "Müller" }, "Z MUELLER", "Zoë Müller"],
    [{ first_name: "Noor", last_name: "van den Berg" }, "VAN DEN BERG N", "Noor van den Berg"],
    [{ first_name: "小明", last_name: "王" }, "转账 王小明", "小明 王"],
    [{ last_name: "Lee", organisation_name: "Acme Ltd" }, "ACME LTD", "Lee"],
    [{ organisation_name: "Acme Ltd" }, "FROM ACME LTD 12", "Acme Ltd"],
    [{ organisation_name: "Acme Ltd" }, "FROM ACME", null],
    [{}, "null undefined", null]
  ])("are known by who gives them: %j in %s", (payer, text, name) => {
    const found = candidatesFor({ amount_cents: 1, text }, [giftOf(1, payer)])
    assert.deepStrictEqual(
      found.map(({ donor_name, reasons }) => [donor_name, ...reasons]),
      name === null ? [] : [[name, "name"]]
    )
  })

  it("may have no name at all, where the amount is what the payment is", () =>
    assert.isNull(candidatesFor({ amount_cents: 50_00, text: "DEPOSIT" }, [giftOf(1)])[0]?.donor_name))
})

describe("the words by which donors are looked up", () => {
  it("are those of the text but letters and digits alone, which are words only where one character is a name", () =>
    assert.deepStrictEqual(donorWordsIn("A Kim 5 O'Brien & 王 é Ng"), ["kim", "obrien", "王", "ng"]))

  it("are few, and the first of the text", () => {
    const words = Array.from({ length: 200 }, (_, n) => `word${n}`)
    const found = donorWordsIn(words.join(" "))
    assert.isBelow(found.length, 100)
    assert.deepStrictEqual(found, words.slice(0, found.length))
    assert.isAbove(found.length, 50)
  })
})
