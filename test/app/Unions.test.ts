import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { decoder } from "../../src/app/kernel/decoding/Decoder.ts"
import * as Ids from "../../src/domain/kernel/Ids.ts"
import { Id } from "../../src/domain/sharing/TransferAttempt.ts"
import { forEvery } from "../support/Property.ts"

const kinds = {
  donor: Ids.DonorId,
  charge: Ids.ChargeId,
  transferAttempt: Ids.TransferAttemptId,
  reversal: Ids.ReversalId
} as const

const names = Object.keys(kinds) as ReadonlyArray<keyof typeof kinds>

const refusalOf = (schema: Schema.Codec<unknown, unknown>, id: unknown) => {
  const result = decoder(Schema.Struct({ id: schema }))({ id })
  return Result.isFailure(result) ? result.failure : assert.fail("it was taken")
}

describe("a value that several rules would let through", () => {
  it("is told all of them, in their order", () => {
    const given = fc.tuple(fc.shuffledSubarray([...names], { minLength: 1 }), fc.string(), fc.boolean())
    forEvery(given, ([some, id, mayBeNull]) => {
      const union = Schema.Union(some.map((name) => kinds[name]))
      const refused = refusalOf(mayBeNull ? Schema.NullOr(union) : union, id)
      const told = some.map((name) => `an identifier that begins with ${Ids.idPrefixes[name]}_`).join(", or ")
      assert.deepInclude({ ...refused }, { _tag: "InvalidInput", param: "id" })
      assert.strictEqual(refused.message, `id must be ${told}.`)
    })
  })

  it("is told its type where no rule takes that", () => {
    for (const [id, type] of [
      [7, "number"],
      [null, "null"],
      [[], "array"]
    ] as const) {
      assert.match(refusalOf(Id, id).message, new RegExp(`^id must be a string, not .*${type}\\.$`, "u"))
    }
  })
})
