import { assert, it } from "@effect/vitest"
import { refundRefusal } from "../../../src/domain/giving/SharedGift.ts"

it("a gift from a payment to a recommendation set is refunded by whoever took the money alone", () => {
  assert.match(refundRefusal({ source: "RECOMMENDATION_SET" })?.message ?? "", /recommending organisation/)
  for (const source of ["MANUAL", "CHECKOUT", "IMPORT"]) {
    assert.isNull(refundRefusal({ source } as Parameters<typeof refundRefusal>[0]), source)
  }
})
