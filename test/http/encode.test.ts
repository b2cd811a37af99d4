import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import fc from "fast-check"
import { Api } from "../../src/adapters/http/Api.ts"
import { answerText } from "../../src/adapters/http/pipeline/Json.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { arbitraryOf } from "../../src/testing/Arbitraries.ts"
import { forEvery, forEveryWith } from "../support/Property.ts"

const answers: Array<readonly [operation: string, schema: Schema.Codec<unknown, unknown>]> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, successes }) => {
    for (const [status, [schema]] of successes) {
      answers.push([`${group.identifier}.${endpoint.identifier} ${status}`, schema as Schema.Codec<unknown, unknown>])
    }
  }
})

describe("the text of answers", () => {
  it.each(answers)("is what the schema writes: %s", (_, schema) => {
    const interpreted = Schema.encodeUnknownSync(schema)
    const write = answerText(schema)
    forEveryWith({ numRuns: 20 }, arbitraryOf(schema), (value) => {
      assert.strictEqual(write(value), JSON.stringify(interpreted(value)))
    })
  })

  it("of a page of large records ends earlier, after one at least, and says that there is more", () => {
    const Page = Schema.Struct({ data: Schema.Array(Schema.String), has_more: Schema.Boolean, beside: Schema.Int })
    const write = answerText(Page)
    const sizes = fc.array(fc.integer({ min: 1, max: Limits.pageCharacters + 10 }), { maxLength: 8 })
    forEvery(sizes, fc.boolean(), (lengths, has_more) => {
      const data = lengths.map((length) => "a".repeat(length))
      const page = JSON.parse(write({ data, has_more, beside: 1 }))
      const whole = page.data.length === data.length
      assert.deepStrictEqual(page, { data: data.slice(0, page.data.length), has_more: has_more || !whole, beside: 1 })
      const written = JSON.stringify(page.data).length
      if (page.data.length > 1) assert.isAtMost(written, Limits.pageCharacters + data.length + 1)
      if (!whole) {
        assert.isNotEmpty(page.data)
        assert.isAbove(written + (data[page.data.length]?.length ?? 0), Limits.pageCharacters - data.length - 2)
      }
    })
  })
})
