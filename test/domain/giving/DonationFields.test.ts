import { assert, describe, it } from "@effect/vitest"
import { bare } from "../../../src/domain/giving/DonationFields.ts"

describe("a gift of which nothing else is known", () => {
  it("is money that was given once and stays", () => {
    assert.deepInclude(bare, { donation_type: "MONETARY", refunded_amount_cents: 0, is_recurring: false })
  })
})
