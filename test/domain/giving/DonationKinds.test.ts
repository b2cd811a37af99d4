import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { DonationType, InKindCategory, ManualPaymentMethod, Source } from "../../../src/domain/giving/DonationKinds.ts"

/** The contract's words, written a second time. service-spec, Donation; POST /donations. */
const contract = {
  sources: [
    Source,
    [
      "PAYMENT_PROCESSOR",
      "CRM_A",
      "CAMPAIGN_PLATFORM_B",
      "CRM_C",
      "GATEWAY",
      "CHECKOUT_LINK",
      "RECOMMENDATION_SET",
      "MANUAL",
      "CSV_IMPORT",
      "OTHER"
    ]
  ],
  types: [DonationType, ["MONETARY", "IN_KIND"]],
  "payment methods": [ManualPaymentMethod, ["cash", "cheque", "bank_transfer", "other"]],
  "in-kind categories": [InKindCategory, ["GOODS", "SERVICES", "DISCOUNT", "EXCESS_PAYMENT", "OTHER"]]
} as const

const all: ReadonlyArray<string> = [...Object.values(contract).flatMap(([, words]) => words), "", "card", "Cash"]

describe("the kinds of a gift", () => {
  it.each(Object.entries(contract))("are the contract's, and no others: %s", (_, [kind, words]) => {
    const is: (word: string) => boolean = Schema.is(kind)
    assert.deepStrictEqual([...new Set(all.filter(is))].toSorted(), [...words].toSorted())
  })
})
