import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import fc from "fast-check"
import * as Donor from "../../src/domain/giving/Donor.ts"
import { Almoner, type NewDonor } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"
import * as Generators from "../../src/testing/Generators.ts"
import { callerIn } from "../facade/Charity.ts"
import { forEveryAsync } from "../support/Property.ts"
import { faultsOf, knownKinds } from "./RecordOracle.ts"

/** Arbitraries of records, by the names under which the kit has them. */
const arbitraries = Object.entries(Generators).flatMap(([name, value]) =>
  value instanceof fc.Arbitrary ? [[name, value] as const] : []
)

const numRuns = 30

describe("the records that the generators draw", () => {
  it.each(arbitraries)("are such as commands lead to: %s", (name, arbitrary) => {
    for (const drawn of fc.sample<unknown>(arbitrary, { numRuns, seed: 1 })) {
      if (Predicate.isObject(drawn)) assert.deepStrictEqual(faultsOf(name, { ...drawn }), [], JSON.stringify(drawn))
    }
  })

  it("are all that is known of records", () => {
    const names = new Set(arbitraries.map(([name]) => name))
    assert.deepStrictEqual(
      knownKinds.filter((kind) => !names.has(kind)),
      []
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
