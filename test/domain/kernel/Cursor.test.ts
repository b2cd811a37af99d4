import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { listing as disclosures } from "../../../src/domain/compliance/Disclosure.ts"
import { listing } from "../../../src/domain/giving/Donor.ts"
import { cursorConditions, movedCursor, unknownCursor } from "../../../src/domain/kernel/Cursor.ts"
import { parse } from "../../../src/domain/kernel/Listing.ts"
import { fieldsOf } from "../../support/Answer.ts"

const query = (text: string) => Result.getOrThrow(parse(listing, new URLSearchParams(text)))

const window = "updated_at[gte]=2026-01-01&updated_at[lt]=2026-01-02"

describe("a cursor", () => {
  it("must meet the request's own updated_at in that order, in both directions, and no other filter", () => {
    for (const sort of ["updated_at", "-updated_at"]) {
      const asked = query(`sort=${sort}&${window}&donor_type=TRUST&created_at[lt]=2026-01-01`)
      assert.deepStrictEqual(fieldsOf(cursorConditions(asked), "column", "operator"), [
        ["updated_at", "gte"],
        ["updated_at", "lt"]
      ])
    }
  })

  it("must meet the request's own due_at where disclosures are in the order of their due dates", () => {
    const asked = (text: string) => Result.getOrThrow(parse(disclosures, new URLSearchParams(text)))
    const due = "due_at[lte]=2027-03-21&status=PENDING"
    assert.deepStrictEqual(fieldsOf(cursorConditions(asked(`sort=due_at&${due}`)), "column", "operator"), [
      ["due_at", "lte"]
    ])
    assert.deepStrictEqual(cursorConditions(asked(due)), [])
    assert.include(movedCursor(asked(`sort=due_at&${due}`)).message, "send due_at[gte] with the due_at")
  })

  it("must meet nothing in another order, nor where there is no such filter", () => {
    for (const text of [
      window,
      `sort=created_at&${window}`,
      `sort=last_name&${window}`,
      "sort=updated_at&donor_type=TRUST"
    ]) {
      assert.deepStrictEqual(cursorConditions(query(text)), [])
    }
  })

  it("that is none is refused by name, and one that moved with the bound to go on from", () => {
    assert.strictEqual(unknownCursor().param, "starting_after")
    for (const [sort, bound] of [
      ["updated_at", "updated_at[gte]"],
      ["-updated_at", "updated_at[lte]"]
    ]) {
      const { message, param } = movedCursor(query(`sort=${sort}`))
      assert.strictEqual(param, "starting_after")
      assert.include(message, `send ${bound} with`)
    }
  })
})
