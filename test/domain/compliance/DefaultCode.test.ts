import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { effectiveCodeOf } from "../../../src/domain/compliance/DefaultCode.ts"
import { OrganisationId, RecipientAccountLinkId, RevenueCodeId } from "../../../src/domain/kernel/Ids.ts"

const suffix = (digit: number) => `01h0000000000000000000000${digit}`
const organisation_id = OrganisationId.make(`org_${suffix(0)}`)
const codes = [0, 1, 2].map((digit) => RevenueCodeId.make(`rev_${suffix(digit)}`))
const links = [0, 1].map((digit) => RecipientAccountLinkId.make(`roal_${suffix(digit)}`))
const [own = assert.fail(), ofLink = assert.fail(), ofAny = assert.fail()] = codes
const [link = assert.fail(), other = assert.fail()] = links

const defaultCode = (recipient_account_link_id: RecipientAccountLinkId | null, revenue_code_id: RevenueCodeId) => ({
  organisation_id,
  recipient_account_link_id,
  revenue_code_id,
  created_at: DateTime.makeUnsafe(0)
})

describe("the code that a gift counts by", () => {
  it("is its own; of a recommendation set's gift without one that of its link, or else the organisation's", () => {
    const both = [defaultCode(null, ofAny), defaultCode(link, ofLink)]
    const gift = {
      organisation_id,
      recipient_account_link_id: link,
      revenue_code_id: null,
      source: "RECOMMENDATION_SET"
    }
    for (const [change, defaults, code] of [
      [{ revenue_code_id: own }, both, own],
      [{}, both, ofLink],
      [{ recipient_account_link_id: other }, both, ofAny],
      [{ recipient_account_link_id: null }, both, ofAny],
      [{}, both.slice(0, 1), ofAny],
      [{}, [], null],
      [{ recipient_account_link_id: other }, both.slice(1), null],
      [{ source: "MANUAL" }, both, null]
    ] as const) {
      assert.strictEqual(effectiveCodeOf({ ...gift, ...change } as never, defaults), code, JSON.stringify(change))
    }
  })
})
