import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js"
import { Array as Arr } from "effect"
import { openApi } from "../../src/adapters/http/OpenApi.ts"
import { type Declared, guarded } from "./Declaration.ts"

/** What the published document says of a body: it fits, it breaks a rule, or it cannot be read. */
export type Verdict = "fits" | "invalid" | "malformed"

const document = openApi({ apiBaseUrl: "https://api.example.org", version: "1.0.0" })

const validator = new Ajv2020({ allErrors: true, verbose: true, strict: false, validateFormats: false })
validator.addSchema(document, "api")

/** Of a union every member complains of the type where the type fits none of them. */
const isWrongType = (at: ReadonlyArray<ErrorObject>): boolean => {
  const union = at.find(({ keyword }) => keyword === "anyOf")
  const members = Array.isArray(union?.schema) ? union.schema.length : 1
  return at.filter(({ keyword }) => keyword === "type").length >= members
}

const isUnknownName = ({ instancePath, keyword, params }: ErrorObject, readOnly: ReadonlyArray<string>): boolean =>
  keyword === "additionalProperties" && !(instancePath === "" && readOnly.includes(params["additionalProperty"]))

const verdictOf = (errors: ReadonlyArray<ErrorObject>, readOnly: ReadonlyArray<string>): Verdict => {
  const overlong = errors.filter(({ keyword }) => keyword === "maxItems").map(({ instancePath }) => `${instancePath}/`)
  const seen = errors.filter(({ instancePath }) => !overlong.some((list) => instancePath.startsWith(list)))
  const places = Object.values(Arr.groupBy(seen, ({ instancePath }) => instancePath))
  const malformed =
    seen.some((error) => error.keyword === "required" || isUnknownName(error, readOnly)) ||
    places.some((at) => isWrongType(at))
  return malformed ? "malformed" : errors.length > 0 ? "invalid" : "fits"
}

const schemaOf = ({ method, path }: Declared): string => {
  const spec = Object(document.paths)[`/api/v1${path.replaceAll(/:(\w+)/g, "{$1}")}`][method.toLowerCase()]
  return String(spec.requestBody.content["application/json"].schema.$ref)
}

/** Operations that take a body of fields, and the judge of each. */
export const judges: ReadonlyMap<Declared, (body: unknown) => Verdict> = new Map(
  guarded
    .filter(({ payload }) => payload !== undefined)
    .map((operation) => {
      const validate = validator.compile({ $ref: `api${schemaOf(operation)}` })
      return [
        operation,
        (body: unknown) => (validate(body) ? "fits" : verdictOf(validate.errors ?? [], operation.writes))
      ] as const
    })
)
