import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { amountRefusal } from "../../../src/domain/giving/CheckoutAmount.ts"
import { differsFromRecord, missingDetail, submittedOf, TypedDonor } from "../../../src/domain/giving/CheckoutDonor.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const bound = fc.option(fc.integer({ min: 1, max: 40 }))

const form = fc
  .record({
    suggested_amounts_cents: fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
    allow_custom_amount: fc.boolean(),
    minimum_amount_cents: bound,
    maximum_amount_cents: bound
  })
  .map((given) => ({ ...given, suggested_amounts_cents: given.suggested_amounts_cents.toSorted((a, b) => a - b) }))

it("an amount is one that the form suggests, or another one within its bounds where it allows that", () =>
  forEvery(form, fc.integer({ min: 1, max: 41 }), (settings, amount) => {
    const low = settings.minimum_amount_cents ?? 0
    const high = settings.maximum_amount_cents ?? 1_000
    const isWithin = low <= amount && amount <= high
    const isSuggested = new Set(settings.suggested_amounts_cents).has(amount)
    const isTaken = isSuggested || (settings.allow_custom_amount && isWithin)
    const refusal = amountRefusal(amount, settings)
    assert.strictEqual(refusal === null, isTaken)
    assert.strictEqual(refusal?.param ?? "amount_cents", "amount_cents")
  }))

const typed = arbitraryOf(TypedDonor)

const padded = (text: string) => `  ${text}\t`

const texts = (given: object): ReadonlyArray<string> =>
  Object.values(given).flatMap((value) => (typeof value === "string" && value.trim() !== "" ? [value.trim()] : []))

describe("the details that a donor typed", () => {
  it("are kept trimmed, and are none where nothing was typed", () =>
    forEvery(typed, (given) => {
      const submitted = submittedOf(given)
      assert.sameMembers([...texts(submitted ?? {})], [...texts(given)])
      assert.strictEqual(submitted === null, texts(given).length === 0)
    }))

  it("do not differ from a record that has them, whatever it has besides, the case of an e-mail address and blanks", () =>
    forEvery(typed, Generators.donor, (given, donor) => {
      const submitted = submittedOf(given)
      const known = Object.entries(submitted ?? {}).filter(([, value]) => value !== null)
      const recorded = {
        ...donor,
        ...Object.fromEntries(
          known.map(([field, value]) => [
            field,
            field === "email"
              ? padded(String(value).toLowerCase())
              : field === "donor_type"
                ? value
                : padded(value ?? "")
          ])
        )
      }
      assert.strictEqual(differsFromRecord(submitted, recorded), known.length === 0 ? null : false)
    }))

  it("differ from a record in which one of them is another or none", () => {
    const fields = ["first_name", "email", "phone", "suburb", "occupation"] as const
    forEvery(Generators.donor, fc.constantFrom(...fields), fc.boolean(), (donor, field, isNone) => {
      const submitted = submittedOf({ [field]: "ada@example.org" })
      assert.isTrue(differsFromRecord(submitted, { ...donor, [field]: isNone ? null : "bea@example.org" }))
    })
  })
})

describe("a form that needs details", () => {
  const visibility = fc.constantFrom("NONE" as const, "OPTIONAL" as const, "REQUIRED" as const)
  const address = ["address_line1", "suburb", "state", "postcode"]

  it("names the first that is missing, and takes what has them all", () => {
    const given = fc.subarray(["email", "phone", ...address])
    forEvery(
      given,
      visibility,
      visibility,
      fc.constantFrom(null, "AU", "Australia", "NZ"),
      (names, phone, home, country) => {
        const detail = { ...Object.fromEntries(names.map((name) => [name, "x"])), country }
        const abroad = country === "NZ"
        const needed = [
          "email",
          ...(phone === "REQUIRED" ? ["phone"] : []),
          ...(home === "REQUIRED" ? (abroad ? address.slice(0, 2) : address) : [])
        ]
        const missing = needed.find((name) => !names.includes(name))
        const refusal = missingDetail(detail, { phone_visibility: phone, address_visibility: home })
        assert.strictEqual(refusal?.param, missing === undefined ? undefined : `donor.${missing}`)
      }
    )
  })

  it("counts blanks as nothing", () => {
    const refusal = missingDetail({ email: " " }, { phone_visibility: "NONE", address_visibility: "NONE" })
    assert.strictEqual(refusal?.param, "donor.email")
  })
})
