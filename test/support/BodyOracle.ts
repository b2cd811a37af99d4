import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js"
import { Array as Arr } from "effect"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { type DeclaredOperation, guardedOperations } from "./Declaration.ts"

/** The published document's verdict on a body: it fits, it breaks a rule, or it is malformed. */
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

/** The names of a record's fields at a place of it. */
type NamesAt = (place: string) => ReadonlyArray<string>

const followed = (schema: unknown): Record<string, unknown> => {
  const { $ref, anyOf } = Object(schema)
  if ($ref !== undefined) return followed(Object(document.components.schemas)[String($ref).split("/").at(-1) ?? ""])
  return Array.isArray(anyOf) ? followed(anyOf.find(({ type }) => type !== "null")) : Object(schema)
}

const namesIn = (record: unknown, place: string): ReadonlyArray<string> => {
  const at = place
    .split("/")
    .slice(1)
    .reduce<unknown>((schema, key) => {
      const { items, properties } = followed(schema)
      return /^\d+$/.test(key) ? items : Object(properties)[key]
    }, record)
  return Object.keys(Object(followed(at)["properties"]))
}

const isUnknownName = ({ instancePath, keyword, params }: ErrorObject, namesAt: NamesAt): boolean =>
  keyword === "additionalProperties" && !namesAt(instancePath).includes(params["additionalProperty"])

const verdictOf = (errors: ReadonlyArray<ErrorObject>, namesAt: NamesAt): Verdict => {
  const overlong = errors.filter(({ keyword }) => keyword === "maxItems").map(({ instancePath }) => `${instancePath}/`)
  const seen = errors.filter(({ instancePath }) => !overlong.some((list) => instancePath.startsWith(list)))
  const places = Object.values(Arr.groupBy(seen, ({ instancePath }) => instancePath))
  const malformed =
    seen.some((error) => error.keyword === "required" || isUnknownName(error, namesAt)) ||
    places.some((at) => isWrongType(at))
  return malformed ? "malformed" : errors.length > 0 ? "invalid" : "fits"
}

const specOf = ({ method, path }: DeclaredOperation) =>
  Object(document.paths)[`/api/v1${path.replaceAll(/:(\w+)/g, "{$1}")}`][method.toLowerCase()]

const schemaOf = (operation: DeclaredOperation): string =>
  String(specOf(operation).requestBody.content["application/json"].schema.$ref)

const answerOf = (operation: DeclaredOperation): unknown => {
  const { responses } = specOf(operation)
  return (responses["201"] ?? responses["200"]).content["application/json"].schema
}

/** Operations that take a body of fields, and the judge of each. */
export const judges: ReadonlyMap<DeclaredOperation, (body: unknown) => Verdict> = new Map(
  guardedOperations
    .filter(({ payload }) => payload !== undefined)
    .map((operation) => {
      const validate = validator.compile({ $ref: `api${schemaOf(operation)}` })
      const answer = answerOf(operation)
      const namesAt: NamesAt = (place) => (place === "" ? operation.writes : namesIn(answer, place))
      return [
        operation,
        (body: unknown) => (validate(body) ? "fits" : verdictOf(validate.errors ?? [], namesAt))
      ] as const
    })
)
