import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/adapters/http/Api.ts"
import { encoder } from "../../src/adapters/http/pipeline/Json.ts"
import { arbitraryOf } from "../../src/testing/Arbitraries.ts"
import { forEveryWith } from "../support/Property.ts"

const answers: Array<readonly [operation: string, schema: Schema.Codec<unknown, unknown>]> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, successes }) => {
    for (const [status, [schema]] of successes) {
      answers.push([`${group.identifier}.${endpoint.identifier} ${status}`, schema as Schema.Codec<unknown, unknown>])
    }
  }
})

describe("the encoder of answers", () => {
  it.each(answers)("writes what the schema writes: %s", (_, schema) => {
    const interpreted = Schema.encodeUnknownSync(schema)
    const encode = encoder(schema)
    forEveryWith({ numRuns: 20 }, arbitraryOf(schema), (value) => {
      assert.strictEqual(JSON.stringify(encode(value)), JSON.stringify(interpreted(value)))
    })
  })
})
