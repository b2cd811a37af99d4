import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as StatementMapping from "../../../src/domain/access/StatementMapping.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery } from "../../support/Property.ts"

it("the mapping of what is given is one itself, and being given changes nothing more", () =>
  forEvery(arbitraryOf(StatementMapping.NewStatementMapping), (given) => {
    const whole = StatementMapping.mappingOf(given, null)
    assert.isTrue(Schema.is(StatementMapping.StatementMapping)(whole))
    assert.deepStrictEqual(StatementMapping.mappingOf({}, whole), whole)
  }))

it("what a mapping is given by is its bank, or a field that says where what stands", () => {
  const { givenOf } = StatementMapping
  assert.strictEqual(givenOf({ bank: "nab", day_column: "Day" }), "bank")
  assert.strictEqual(givenOf({ bank: null, pass_over: true, amounts: "cents" }), "amounts")
  assert.isUndefined(givenOf({ pass_over: true, day_column: null }))
})

it("a text may be of one column, and not of none", () => {
  const takes = Schema.is(StatementMapping.NewStatementMapping)
  const taken = [[], ["Details"], ["Payee", "Details"]].map((text_columns) => takes({ text_columns }))
  assert.deepStrictEqual(taken, [false, true, true])
})
