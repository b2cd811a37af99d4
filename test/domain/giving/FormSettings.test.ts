import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { brokenRule, NewDonationForm, type Settings, settingsOf } from "../../../src/domain/giving/FormSettings.ts"
import { forEveryWith } from "../../support/Property.ts"

const usual = settingsOf({ name: "Appeal" })

describe("suggested amounts", () => {
  it("are 25, 50, 100 and 250 when nothing is said", () => {
    assert.deepStrictEqual(usual.suggested_amounts_cents, [2_500, 5_000, 10_000, 25_000])
  })

  it("are the usual ones from the minimum to the maximum, or a limit where there are none", () => {
    const near = fc
      .tuple(fc.constantFrom(1_000, ...usual.suggested_amounts_cents), fc.integer({ min: -1, max: 1 }))
      .map(([amount, cents]) => amount + cents)
    forEveryWith({ numRuns: 300 }, fc.option(near), fc.option(near), (one, other) => {
      const swapped = one !== null && other !== null && one > other
      const [minimum_amount_cents, maximum_amount_cents] = swapped ? [other, one] : [one, other]
      const inside = usual.suggested_amounts_cents.filter(
        (amount) => amount >= (minimum_amount_cents ?? 1) && amount <= (maximum_amount_cents ?? amount)
      )
      const settings = settingsOf({ name: "Appeal", minimum_amount_cents, maximum_amount_cents })
      const limit = minimum_amount_cents ?? maximum_amount_cents ?? 0
      assert.deepStrictEqual(settings.suggested_amounts_cents, inside.length > 0 ? inside : [limit])
    })
  })
})

describe("a broken rule", () => {
  it("of ascending amounts blames the first one that some amount before it reaches", () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 })
    const ascending = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 })
    forEveryWith(
      { examples: [[[1]], [[1, 2]], [[1, 1]]] },
      fc.oneof(
        amounts,
        ascending.map((all) => all.toSorted((a, b) => a - b))
      ),
      (all) => {
        const culprit = all.findIndex((amount, index) => all.slice(0, index).some((before) => before >= amount))
        const param = brokenRule({ ...usual, suggested_amounts_cents: all })?.param
        assert.strictEqual(param, culprit === -1 ? undefined : `suggested_amounts_cents[${culprit}]`)
      }
    )
  })

  const rules: ReadonlyArray<readonly [what: string, broken: Partial<Settings>, fields: ReadonlyArray<string>]> = [
    ["a name", { name: " " }, ["name"]],
    ["a name that is seen", { name: "\u200b\u2066" }, ["name"]],
    ["a title", { title: "\t" }, ["title"]],
    [
      "minimum ≤ maximum",
      { minimum_amount_cents: 5, maximum_amount_cents: 4 },
      ["minimum_amount_cents", "maximum_amount_cents"]
    ],
    [
      "minimum ≤ default",
      { minimum_amount_cents: 5, default_amount_cents: 4 },
      ["default_amount_cents", "minimum_amount_cents"]
    ],
    [
      "default ≤ maximum",
      { default_amount_cents: 5, maximum_amount_cents: 4 },
      ["default_amount_cents", "maximum_amount_cents"]
    ],
    ["an amount to suggest", { suggested_amounts_cents: [] }, ["suggested_amounts_cents"]],
    ["a frequency", { recurring_frequencies: [] }, ["recurring_frequencies", "allow_recurring"]]
  ]

  it.each(rules)("of %s blames the likeliest field, or the one that the request wrote", (_, broken, fields) => {
    const settings = { ...usual, ...broken }
    assert.strictEqual(brokenRule(settings)?.param, fields[0])
    assert.strictEqual(brokenRule(settings, ["description"])?.param, fields[0])
    for (const field of fields) assert.strictEqual(brokenRule(settings, ["description", field])?.param, field)
  })
})

it("a form is made as a draft or as an active one, and no other", () => {
  const isNew = Schema.is(NewDonationForm)
  for (const status of ["DRAFT", "ACTIVE", null]) assert.isTrue(isNew({ name: "Appeal", status }), String(status))
  assert.isTrue(isNew({ name: "Appeal" }))
  for (const status of ["PAUSED", "ARCHIVED", "", "draft"]) assert.isFalse(isNew({ name: "Appeal", status }), status)
})
