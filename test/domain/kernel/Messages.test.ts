import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { IdempotencyConflict } from "../../../src/domain/access/Idempotency.ts"
import * as DonationForm from "../../../src/domain/giving/DonationForm.ts"
import * as Listing from "../../../src/domain/kernel/Listing.ts"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import * as Event from "../../../src/domain/outbox/Event.ts"
import { donationForms } from "../../../src/testing/subjects/DonationForms.ts"
import { forEveryWith } from "../../support/Property.ts"

describe("what is told", () => {
  it("by a form has no address until somebody knows it", () =>
    forEveryWith({ numRuns: 60 }, donationForms.states, donationForms.commands, (form, command) => {
      const decided = decide(DonationForm.machine, form, command)
      if (Result.isFailure(decided)) return
      for (const { data } of decided.success.events) assert.notProperty(data, "hosted_page_url")
    }))

  it("is listed by the time at which it was told, from either end", () => {
    const sort = (text: string) => Result.getOrThrow(Listing.parse(Event.listing, [["sort", text]])).sort
    assert.deepStrictEqual(sort("created_at"), { column: "created_at", descending: false })
    assert.deepStrictEqual(sort("-created_at"), { column: "created_at", descending: true })
  })

  it("of a key that was used has one of three reasons", () => {
    const takes = Schema.is(IdempotencyConflict.fields.reason)
    for (const reason of ["in_flight", "body_differs", "answer_not_kept"]) assert.isTrue(takes(reason), reason)
    assert.isFalse(takes("other"))
  })
})
