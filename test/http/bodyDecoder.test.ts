import { assert, describe, it } from "@effect/vitest"
import { Result, SchemaAST } from "effect"
import fc from "fast-check"
import { parseJson } from "../../src/adapters/http/pipeline/Json.ts"
import { decoder } from "../../src/app/kernel/decoding/Decoder.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { judges } from "../support/BodyOracle.ts"
import { type DeclaredOperation, fieldNamesOf, guardedOperations, soundBody } from "../support/Declaration.ts"
import { oddNames, value } from "../support/HostileValues.ts"
import { forEvery, forEveryWith } from "../support/Property.ts"
import { cases } from "../support/Rounds.ts"

const taking = guardedOperations.filter(({ payload }) => payload !== undefined)

const decoderOf = ({ payload, record }: DeclaredOperation) => {
  assert.isDefined(payload)
  return payload === undefined ? () => Result.succeed<unknown>(undefined) : decoder(payload, record)
}

const decoders = new Map(taking.map((operation) => [operation, decoderOf(operation)]))

const json = (given: unknown): unknown => JSON.parse(JSON.stringify(given) ?? "null")

/** A sound body with some fields put in, taken out and made up; now and then no object at all. */
const bodies = (operation: DeclaredOperation): fc.Arbitrary<unknown> => {
  const sound = Object(soundBody(operation))
  const own = fc.constantFrom("a", ...fieldNamesOf(operation))
  const names = fc.oneof(
    { weight: 8, arbitrary: own },
    { weight: 1, arbitrary: fc.constantFrom(...oddNames, ...operation.writes) }
  )
  const lists = fc.oneof(
    fc.array(value, { maxLength: 45 }),
    fc.array(fc.dictionary(fc.constantFrom("amount_cents", "id", "nope"), value), { maxLength: 3 })
  )
  const changes = fc.array(fc.tuple(names, fc.oneof(value, lists)), { maxLength: 3 })
  return fc.oneof(
    {
      weight: 9,
      arbitrary: fc.tuple(changes, fc.array(own, { maxLength: 1 })).map(([given, gone]) => {
        const body = { ...sound, ...Object.fromEntries(given) }
        return json(Object.fromEntries(Object.entries(body).filter(([name]) => !gone.includes(name))))
      })
    },
    { weight: 1, arbitrary: value.map(json) }
  )
}

/** A value of which every element that is read is counted. */
const counted = <A extends object>(target: A): { readonly given: A; readonly reads: () => number } => {
  let reads = 0
  const given = new Proxy(target, {
    get: (inner, key, receiver) => {
      if (typeof key === "string" && /^\d+$/.test(key)) reads += 1
      return Reflect.get(inner, key, receiver)
    }
  })
  return { given, reads: () => reads }
}

const lists = taking.flatMap((operation) =>
  operation.payload?.ast._tag === "Objects"
    ? operation.payload.ast.propertySignatures.flatMap(({ name, type }) => {
        const members = SchemaAST.isUnion(type) ? type.types : [type]
        return members.some(SchemaAST.isArrays) ? [{ operation, field: String(name) }] : []
      })
    : []
)

const refusalOf = (operation: DeclaredOperation, body: unknown) => {
  const decoded = decoders.get(operation)?.(body)
  assert.isTrue(decoded !== undefined && Result.isFailure(decoded))
  return decoded !== undefined && Result.isFailure(decoded) ? decoded.failure : undefined
}

/** Strings and lists of a body, with the checks that are asked of each, in their order. */
const boundable = (ast: SchemaAST.AST, path: string): ReadonlyArray<readonly [path: string, first: unknown]> => {
  const link = ast.encoding?.at(-1)
  if (link !== undefined) return boundable(link.to, path)
  const [first] = ast.checks ?? []
  const payload = first?._tag === "Filter" ? Object(first.annotations?.representation?.payload) : {}
  const bound = payload["maxLength"] ?? payload["maxCodePoints"]
  switch (ast._tag) {
    case "String":
      return [[path, bound]]
    case "Arrays":
      return [[path, bound], ...ast.rest.flatMap((each) => boundable(each, `${path}[]`))]
    case "Objects":
      return ast.propertySignatures.flatMap(({ name, type }) => boundable(type, `${path}.${String(name)}`))
    case "Union":
      return ast.types.flatMap((each) => boundable(each, path))
    default:
      return []
  }
}

/** A value without the white space around its texts. */
const trimmed = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each) => (typeof each === "string" ? each.trim() : each))

describe("a body", () => {
  it("is judged as the published document says, whatever it is", () => {
    const met = new Set<string>()
    for (const [operation, judge] of judges) {
      const decode = decoders.get(operation)
      assert.isDefined(decode)
      forEveryWith({ numRuns: cases(300) }, bodies(operation), (body) => {
        const decoded = decode?.(body)
        if (decoded === undefined) return
        const verdict = judge(body)
        const tag = Result.isSuccess(decoded) ? "fits" : decoded.failure._tag
        met.add(`${verdict} ${tag}`)
        // Rules that JSON Schema has no words for are broken by what fits.
        const expected = { malformed: ["MalformedInput"], invalid: ["InvalidInput"], fits: ["fits", "InvalidInput"] }
        // White space around a name counts in JSON Schema, and is trimmed here.
        const isPadded = verdict === "invalid" && judge(trimmed(body)) === "fits"
        assert.include(
          expected[isPadded ? "fits" : verdict],
          tag,
          `${operation.name} ${JSON.stringify(body).slice(0, 500)}`
        )
      })
    }
    assert.includeMembers([...met], ["malformed MalformedInput", "invalid InvalidInput", "fits fits"])
  })

  it("has no text and no list that is asked anything before its length", () => {
    const all = taking.flatMap(({ name, payload }) => (payload === undefined ? [] : boundable(payload.ast, name)))
    assert.isAbove(all.length, 50)
    assert.deepStrictEqual(
      all.filter(([, first]) => typeof first !== "number"),
      []
    )
  })

  it("with a list that is too long is refused at the list, of which nothing is read", () => {
    assert.isAtLeast(lists.length, 8)
    for (const { field, operation } of lists) {
      for (const element of [[], {}, 1, null, "donor.created"]) {
        const { given, reads } = counted(Array.from({ length: 1_000 }, () => element))
        const refusal = refusalOf(operation, { ...Object(soundBody(operation)), [field]: given })
        assert.deepInclude(refusal, { _tag: "InvalidInput", param: field })
        assert.strictEqual(reads(), 0)
      }
    }
  })

  it("with a list that is too long and something malformed is refused for what is malformed", () => {
    for (const { field, operation } of lists) {
      const long = Array.from({ length: 1_000 }, () => 1)
      const refusal = refusalOf(operation, { ...Object(soundBody(operation)), [field]: long, nope: 1 })
      assert.deepInclude(refusal, { _tag: "MalformedInput" })
    }
  })

  it("is read up to the first malformed element", () => {
    const operation = taking.find(({ name }) => name === "recommendation-sets.create")
    assert.isDefined(operation)
    if (operation === undefined) return
    const { given, reads } = counted(Array.from({ length: Limits.setAllocations }, () => ({ nope: 1 })))
    const refusal = refusalOf(operation, { name: "x", allocations: given })
    assert.deepInclude(refusal, {
      _tag: "MalformedInput",
      message:
        "allocations[0].nope is not a field of this operation. It takes recipient_org_account_link_id, amount_cents."
    })
    assert.strictEqual(reads(), 1)
  })

  it("with any number of unknown names is refused for the first, and none of their values is read", () => {
    for (const operation of taking) {
      const names = Array.from({ length: 20_000 }, (_, index) => `unknown${index}`)
      let reads = 0
      const given = new Proxy(Object.fromEntries(names.map((name) => [name, 1])), {
        get: (inner, key, receiver) => {
          reads += 1
          return Reflect.get(inner, key, receiver)
        }
      })
      const refusal = refusalOf(operation, given)
      assert.strictEqual(refusal?._tag, "MalformedInput")
      assert.match(refusal?.message ?? "", /^unknown0 is not a field of this operation\. It takes /)
      assert.strictEqual(reads, 0)
    }
  })
})

describe("JSON", () => {
  const parsed = (text: string) => parseJson(new TextEncoder().encode(text))

  it("nests as deep as the limit says, and no deeper", () =>
    forEvery(fc.array(fc.boolean(), { minLength: 1, maxLength: 80 }), fc.string(), (levels, text) => {
      const open = levels.map((isList) => (isList ? "[" : `{${JSON.stringify(text)}:`)).join("")
      const close = levels.map((isList) => (isList ? "]" : "}")).toReversed()
      const read = parsed(`${open}${JSON.stringify(text)}${close.join("")}`)
      assert.strictEqual(Result.isSuccess(read), levels.length <= Limits.bodyDepth)
    }))

  it("has as many fields and items as the limit says, and no more, whatever stands in texts", () => {
    const sizeOf = (given: unknown): number => {
      if (typeof given !== "object" || given === null) return 0
      const inner = Object.values(given)
      return Math.max(1, inner.length) + inner.reduce((sum: number, each) => sum + sizeOf(each), 0)
    }
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.constantFrom("[],", '{"a":1,', "\\", '"'),
        tie("list"),
        tie("object")
      ),
      list: fc.array(tie("tree"), { maxLength: 6 }),
      object: fc.dictionary(fc.string(), tie("tree"), { maxKeys: 6 })
    }))
    return forEvery(tree, fc.integer({ min: -3, max: 3 }), fc.boolean(), (inner, over, isList) => {
      const left = Limits.bodyValues + over - sizeOf([inner])
      const filler = Array.from({ length: left }, (_, index) => index)
      const given = isList ? [inner, ...filler] : { inner, ...Object.fromEntries(filler.map((n) => [`f${n}`, n])) }
      assert.strictEqual(sizeOf(given), Limits.bodyValues + over)
      assert.strictEqual(Result.isSuccess(parsed(JSON.stringify(given, null, 1))), over <= 0)
    })
  })

  it("is wide without being deep, and holds brackets in texts", () => {
    const text = '[{"\\"[": "'.concat("[{".repeat(1_000), '\\\\"},', "[],{},".repeat(1_000), "1]")
    assert.isTrue(Result.isSuccess(parsed(text)))
  })
})
