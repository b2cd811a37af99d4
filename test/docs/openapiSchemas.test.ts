import { assert, describe, it } from "@effect/vitest"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { Schema } from "effect"
import fc from "fast-check"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { componentOf, follow, type OperationSpec, verbs } from "../../src/adapters/http/reference/Spec.ts"
import { CodeText } from "../../src/domain/giving/RevenueCode.ts"
import { Email } from "../../src/domain/kernel/Text.ts"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import { schemaNameOf } from "../../src/domain/outbox/EventEnvelope.ts"
import { forEveryWith } from "../support/Property.ts"

const document = openApi({ apiBaseUrl: "https://api.example.org", version: "1.2.3" })
const { schemas } = document.components
const json = "application/json"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Every schema of the document with its place, the examples left out. */
const schemasIn = (
  value: unknown,
  place: string
): ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> => {
  if (Array.isArray(value)) return value.flatMap((each, index) => schemasIn(each, `${place}/${index}`))
  if (!isRecord(value)) return []
  const inner = Object.entries(value).filter(([key]) => key !== "example")
  return [[place, value], ...inner.flatMap(([key, each]) => schemasIn(each, `${place}/${key}`))]
}

const everySchema = schemasIn(document, "")

const operations: ReadonlyArray<OperationSpec> = [
  ...Object.values(document.paths),
  ...Object.values(document.webhooks)
].flatMap((item) => verbs.flatMap((verb) => item[verb] ?? []))

/** As generated clients do: patterns are compiled without the flag `u`. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: false })
ajv.addSchema(document, "api")

const compiled = new Map<string, ValidateFunction>()

const validatorOf = ($ref: string): ValidateFunction => {
  const validate = compiled.get($ref) ?? ajv.compile({ $ref: `api${$ref}` })
  compiled.set($ref, validate)
  return validate
}

/** The complaints of a named schema about a value. */
const complaintsOf = (schema: unknown, value: unknown): ReadonlyArray<string> => {
  const validate = validatorOf(String(Object(schema).$ref))
  validate(JSON.parse(JSON.stringify(value)))
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** Characters on which patterns with and without the flag could differ, and those that patterns speak of. */
const letters = 'aZ09_-/:.@ \t\n\r\u0000\u001f\u007f\u0085\u00a0\u2028\u2029\ufeff\uffffżéß()<>[]\\"?#+'
const character = fc.constantFrom(...letters, "😀", "\u{10ffff}", "\ud83d", "\ude00", "https://", "dnr_", "example.org")
const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(""))

describe("the patterns of the OpenAPI document", () => {
  const patterns = new Set(everySchema.flatMap(([, { pattern }]) => (typeof pattern === "string" ? [pattern] : [])))

  it("mean the same without the flag u and with it", () => {
    assert.isAbove(patterns.size, 20)
    for (const pattern of patterns) {
      const [bare, unicode] = [new RegExp(pattern), new RegExp(pattern, "u")]
      forEveryWith({ numRuns: 300 }, text, (any) => {
        fc.pre(any.isWellFormed())
        assert.strictEqual(bare.test(any), unicode.test(any), `/${pattern}/ of ${JSON.stringify(any)}`)
      })
    }
  })

  it("would differ with a class of Unicode's properties", () => {
    assert.isFalse(/^[^p{Cc}]+$/.test("example"))
    assert.isTrue(/^[^\p{Cc}]+$/u.test("example"))
  })

  it("say of addresses and codes what the classes of Unicode say", () => {
    const label = String.raw`[^\s\p{Cc}@<>(),;:"[\]\\.]+`
    const address = new RegExp(String.raw`^\s*[^\s\p{Cc}@<>(),;:"[\]\\]+@${label}(\.${label})+\s*$`, "u")
    const [isEmail, isCode] = [Schema.is(Email), Schema.is(CodeText)]
    const addresses = fc.tuple(text, text, text).map(([a, b, c]) => `${a}@${b}.${c}`)
    forEveryWith({ numRuns: 3_000 }, fc.oneof(text, addresses), (any) => {
      fc.pre(any.isWellFormed() && !any.includes("\u0000"))
      assert.strictEqual(isEmail(any), address.test(any), JSON.stringify(any))
      assert.strictEqual(isCode(any), !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(any), JSON.stringify(any))
    })
  })

  it("take every example that is printed", () => {
    let count = 0
    for (const { operationId, requestBody, responses } of operations) {
      const answers = Object.values(responses).map((answer) => follow(answer, document.components.responses))
      for (const media of [requestBody, ...answers].map((part) => part?.content?.[json])) {
        if (media?.example === undefined) continue
        count += 1
        assert.deepStrictEqual(complaintsOf(media.schema, media.example), [], operationId)
      }
    }
    assert.isAbove(count, 300)
  })
})

describe("the schemas of the OpenAPI document", () => {
  it("have a name for every enum of several values, one for the same values", () => {
    const enums = everySchema.filter(([, { enum: values }]) => Array.isArray(values) && values.length > 1)
    assert.isAbove(enums.length, 30)
    const inline = enums.map(([place]) => place).filter((place) => !/^\/components\/schemas\/\w+$/.test(place))
    assert.deepStrictEqual(inline, [])
    const values = enums.map(([, schema]) => JSON.stringify(schema["enum"]))
    assert.strictEqual(new Set(values).size, values.length)
  })

  it("have one name each", () => {
    assert.deepStrictEqual(
      Object.keys(schemas).filter((name) => /_\d+$/.test(name)),
      []
    )
  })

  it("say a type in every branch", () => {
    const branches = everySchema.flatMap(([place, { anyOf, oneOf }]) =>
      [anyOf, oneOf].flatMap((all) => (Array.isArray(all) ? all.map((each) => [place, each] as const) : []))
    )
    assert.isAbove(branches.length, 200)
    for (const [place, branch] of branches) {
      const { $ref, type } = Object(branch)
      assert.isDefined($ref ?? type, place)
    }
  })

  it("say that dates and instants are such, wherever they stand", () => {
    const named = (place: string): string => place.split("/").at(-1) ?? ""
    const fields = everySchema.filter(([place]) => /\/properties\/\w+$/.test(place))
    const dates = fields.filter(([place]) => /_on$|NewDonation\/properties\/donation_date$/.test(place))
    assert.isAbove(dates.length, 2)
    for (const [place, schema] of dates) assert.include(JSON.stringify(schema), '"format":"date"', place)
    const instants = fields.filter(([place]) => /_at$/.test(named(place)) && !/FilterEcho|DonorPage/.test(place))
    assert.isAbove(instants.length, 100)
    for (const [place, schema] of instants) assert.include(JSON.stringify(schema), '"format":"date-time"', place)
  })

  it("filter by dates that are text in every spelling", () => {
    const parameters = operations.flatMap((operation) =>
      operation.parameters.map((each) => follow(each, document.components.parameters))
    )
    const dates = parameters.filter(({ name }) =>
      /^(\w+_at|donation_date|received_date)(\[(gte?|lte?|eq)\])?$/.test(name)
    )
    assert.isAbove(dates.length, 50)
    for (const { name, schema } of dates) {
      assert.deepStrictEqual(
        schema["anyOf"],
        [
          { type: "string", format: "date-time" },
          { type: "string", format: "date" }
        ],
        name
      )
    }
  })
})

describe("the events of the OpenAPI document", () => {
  const { discriminator, oneOf } = Object(schemas["WebhookEvent"])

  it("are one union, told apart by type", () => {
    assert.strictEqual(discriminator.propertyName, "type")
    assert.deepStrictEqual(Object.keys(discriminator.mapping), [...eventTypes])
    assert.deepStrictEqual(
      oneOf.map(componentOf),
      eventTypes.map((type) => schemaNameOf(type))
    )
    for (const type of eventTypes) {
      const member = schemas[componentOf({ $ref: discriminator.mapping[type] }) ?? ""]
      assert.deepStrictEqual(Object(member?.["properties"]).type.enum, [type])
    }
  })

  it("are read as they are delivered, with an id and a time", () => {
    const id = "evt_01jqz6x8h4e5vb9m2k7ncw3t5d"
    for (const type of eventTypes) {
      const delivered = Object(document.webhooks[type]?.post?.requestBody?.content[json]?.example)
      const read = { ...delivered, id, created_at: delivered.occurred_at }
      const $ref = "#/components/schemas/Event"
      assert.deepStrictEqual(complaintsOf({ $ref }, read), [], type)
      assert.isNotEmpty(complaintsOf({ $ref }, delivered), type)
      assert.isNotEmpty(complaintsOf({ $ref }, { ...read, data: {} }), type)
      assert.isNotEmpty(complaintsOf({ $ref }, { ...read, type: "donor.vanished" }), type)
    }
  })
})
