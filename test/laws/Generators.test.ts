import { assert, describe, it } from "@effect/vitest"
import { DateTime, Predicate } from "effect"
import fc from "fast-check"
import * as Donor from "../../src/domain/giving/Donor.ts"
import { Almoner, type NewDonor } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import * as Generators from "../../src/testing/Generators.ts"
import { callerIn } from "../facade/Charity.ts"
import { forEveryAsync } from "../support/Property.ts"

/** Arbitraries of records, by the names under which the kit has them. */
const arbitraries = Object.entries(Generators).flatMap(([name, value]) =>
  value instanceof fc.Arbitrary ? [[name, value] as const] : []
)

const numRuns = 30

const millis = (value: unknown): number => (DateTime.isDateTime(value) ? DateTime.toEpochMillis(value) : Number.NaN)

describe("the records that the generators draw", () => {
  it.each(arbitraries)("are made before they are changed: %s", (_, arbitrary) => {
    for (const drawn of fc.sample<unknown>(arbitrary, { numRuns, seed: 1 })) {
      if (!Predicate.hasProperty(drawn, "created_at") || !Predicate.hasProperty(drawn, "updated_at")) continue
      assert.isAtLeast(millis(drawn.updated_at), millis(drawn.created_at))
    }
  })

  it("are gifts whose money goes with their status", () => {
    fc.assert(
      fc.property(
        Generators.donation,
        ({ amount_cents, failure_code, received_date, refunded_amount_cents, status }) => {
          const left = amount_cents - refunded_amount_cents
          assert.isTrue(
            {
              PENDING: left === amount_cents,
              FAILED: left === amount_cents,
              CONFIRMED: left > 0,
              REFUNDED: left === 0
            }[status]
          )
          assert.isAtLeast(refunded_amount_cents, 0)
          assert.strictEqual(failure_code !== null, status === "FAILED")
          assert.isTrue(received_date === null || !["PENDING", "FAILED"].includes(status))
        }
      )
    )
  })

  it("are donors whom the API takes as they are", async () => {
    await using almoner = await Almoner.open({ backend: memory() })
    const caller = await callerIn(almoner)
    await forEveryAsync(Generators.donor, async (drawn) => {
      const given = Object.entries(drawn).filter(([field]) => Object.hasOwn(Donor.NewDonor.fields, field))
      const input: NewDonor = JSON.parse(JSON.stringify(Object.fromEntries(given)))
      assert.deepInclude<object>(await almoner.donors.create(caller, input), input)
    })
  })
})
