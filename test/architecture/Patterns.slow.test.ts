import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/adapters/http/Api.ts"
import { readCheckout } from "./Checkout.ts"
import { builtPatterns, literals, madeOnLoading, type Pattern, patternsOf, slow, unheard } from "./Patterns.ts"

/** The suites of `almoner/testing` judge a host's services, whose texts nobody else writes. */
const sources = readCheckout().filter(
  ({ path }) => path.startsWith("src/") && path.endsWith(".ts") && !path.startsWith("src/testing/")
)

/** Reads what the project wrote itself, and looks ahead and back in ways that no proof covers. */
const ownTexts = new Set(["src/adapters/postgres/tenant/SqlTree.ts"])

const unproven = (patterns: ReadonlyArray<Pattern>) => slow(patterns, "automaton")

const file = (text: string) => ({ path: "src/domain/Probe.ts", text })

/** Every schema that a request is held to. */
const requestSchemas = () => {
  const found: Array<readonly [name: string, schema: Schema.Top]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const payloads = [...endpoint.payload.values()].flatMap(({ schemas }): ReadonlyArray<Schema.Top> => schemas)
      const declared = [endpoint.params, endpoint.query, endpoint.headers, ...payloads]
      for (const schema of declared) if (schema !== undefined) found.push([endpoint.identifier, schema])
    }
  })
  return found
}

// The checker answers by the pattern alone: each text is matched in time that grows with its length and no faster.
describe("every pattern over input is proved linear", () => {
  it("in the source", async () => {
    const all = sources.filter(({ path }) => !ownTexts.has(path)).flatMap(literals)
    assert.isAbove(all.length, 50)
    assert.deepStrictEqual(await unproven(all), [])
    const own = sources.filter(({ path }) => ownTexts.has(path)).flatMap(literals)
    assert.deepStrictEqual(await slow(own, "fuzz"), [])
  })

  it("where it is made of text, which is while its file is loaded", async () => {
    const all = sources.flatMap((source) => builtPatterns(source).map((each) => ({ ...each, path: source.path })))
    const heard = await madeOnLoading(new Set(all.map(({ path }) => path)))
    assert.isNotEmpty(heard)
    assert.deepStrictEqual(unheard(all, heard), [])
    assert.deepStrictEqual(await unproven(heard), [])
  })

  it("in what the API declares of requests", async () => {
    const all = requestSchemas().flatMap(([name, schema]) => patternsOf(name, schema.ast))
    assert.isAbove(all.length, 20)
    assert.deepStrictEqual(await unproven(all), [])
  })
})

describe("the proof", () => {
  const quadratic = String.raw`^https?:\/\/[^\s/?#]+[^\s]*$`

  it.each([quadratic, String.raw`\/+$`, String.raw`\s*\n`, "^(a+)+$", "(a|aa)*b", "^(?=(a*)*)b"])(
    "catches %s, as a literal, made of text, and in a schema",
    async (source) => {
      const literal = literals(file(`export const probe = (text: string) => /${source}/u.test(text)\n`))
      assert.lengthOf(await unproven(literal), 1)
      const schema = Schema.Struct({
        list: Schema.Array(Schema.NullOr(Schema.String.check(Schema.isPattern(new RegExp(source, "u")))))
      })
      assert.lengthOf(await unproven(patternsOf("probe", schema.ast)), 1)
      const text = builtPatterns(file(`export const probe = new RegExp(${JSON.stringify(source)})\n`))
      assert.deepStrictEqual(unheard(text, [{ where: "", source, flags: "" }]), [])
      assert.lengthOf(unheard(text, []), 1)
    }
  )

  it("does not let a pattern pass that is made for each caller", () => {
    const text = ["export const probe = (name: string) => new RegExp(`^", "{name}_[a-z]+$`)\n"].join("$")
    assert.lengthOf(unheard(builtPatterns(file(text)), [{ where: "", source: "^[a-z]+$", flags: "" }]), 1)
    assert.lengthOf(unheard(builtPatterns(file(text)), [{ where: "", source: "^don_[a-z]+$", flags: "" }]), 0)
  })
})
