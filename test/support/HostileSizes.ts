import { SchemaAST } from "effect"
import fc from "fast-check"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { operatorsOf } from "../../src/domain/kernel/Listing.ts"
import type { DeclaredOperation } from "./Declaration.ts"
import type { RequestParts } from "./Service.ts"

/** The contract's refusal of a request that is too large in some way. */
export interface Refusal {
  readonly code: "invalid_request" | "validation_failed"
  readonly param?: string
}

/** A body that is too large in some way, made of one that the operation takes. */
export interface SizedBody {
  readonly spoil: (sound: unknown) => RequestParts
  readonly refused: Refusal
}

/** A query that is too large in some way. */
export interface SizedQuery {
  readonly query: string
  readonly refused: Refusal
}

const headers = { "content-type": "application/json" }
const malformed: Refusal = { code: "invalid_request" }
const invalid = (param: string): Refusal => ({ code: "validation_failed", param })

/** The fields of a body one of whose types is meant. */
const fieldsOf = ({ payload }: DeclaredOperation, isMeant: (ast: SchemaAST.AST) => boolean): ReadonlyArray<string> =>
  payload !== undefined && SchemaAST.isObjects(payload.ast)
    ? payload.ast.propertySignatures.flatMap(({ name, type }) => {
        const encoded = SchemaAST.toEncoded(type)
        return (SchemaAST.isUnion(encoded) ? encoded.types : [encoded]).some(isMeant) ? [String(name)] : []
      })
    : []

const isText = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isString(ast) || (SchemaAST.isLiteral(ast) && typeof ast.literal === "string")

const sizes = fc.constantFrom(Limits.textCharacters + 1, 160_000, 1_000_000)

/** Texts that a careless pattern takes long for; `length` is counted as JSON writes them. */
const longText = fc
  .tuple(sizes, fc.constantFrom("a", "https://a", "a@a.", "-", "\ud800", "\u0000", " ", "\t\n", "1", "/"))
  .map(([length, piece]) => `https://${piece.repeat(length / (JSON.stringify(piece).length - 2))}/ `)
  .filter((text) => text.length > Limits.textCharacters)

const ofFields = <A>(
  names: ReadonlyArray<string>,
  values: fc.Arbitrary<A>,
  bodyOf: (sound: unknown, name: string, given: A) => RequestParts
): ReadonlyArray<fc.Arbitrary<SizedBody>> =>
  names.length === 0
    ? []
    : [
        fc.tuple(fc.constantFrom(...names), values).map(([name, given]) => ({
          spoil: (sound: unknown) => bodyOf(sound, name, given),
          refused: invalid(name)
        }))
      ]

/** A list of as many elements as a body may have, with a field in each. */
const longList = fc.constantFrom("[]", "{}", "1", "null", '"donor.created"', '{"amount_cents":1}').map(
  (element) =>
    `[${Array(Limits.bodyValues / 2 - 100)
      .fill(element)
      .join(",")}]`
)

const withList = (sound: unknown, name: string, list: string): RequestParts => {
  const body = JSON.stringify({ ...Object(sound), [name]: 0 })
  return { body: body.replace(`${JSON.stringify(name)}:0`, `${JSON.stringify(name)}:${list}`), headers }
}

const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join(",")

const shapes = fc.constantFrom(
  "[".repeat(500_000) + "]".repeat(500_000),
  `${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`,
  `{"a":${"[".repeat(Limits.bodyDepth)}${"]".repeat(Limits.bodyDepth)}}`,
  `{${many(70_000, (index) => `"name${index}":1`)}}`,
  `{${many(70_000, (index) => `"${index * 61_417}":1`)}}`,
  `{${many(60_000, () => '"__proto__":{}')}}`,
  `[${"[],".repeat(300_000)}[]]`,
  `{"a":[${many(60_000, (index) => `{"k${index}":1}`)}]}`,
  `{"${"k".repeat(1_000_000)}":1}`,
  `{"a":${"9".repeat(1_000_000)}}`,
  " ".repeat(Limits.bodyBytes + 1)
)

/** Bodies for an operation that are too large in some way, each with its answer. */
export const sizedBodies = (operation: DeclaredOperation): fc.Arbitrary<SizedBody> =>
  fc.oneof(
    ...ofFields(fieldsOf(operation, isText), longText, (sound, name, given) => ({
      json: { ...Object(sound), [name]: given }
    })),
    ...ofFields(fieldsOf(operation, SchemaAST.isArrays), longList, withList),
    shapes.map((body) => ({ spoil: () => ({ body, headers }), refused: malformed }))
  )

const repeated = (name: string, separator: string): fc.Arbitrary<string> =>
  fc.tuple(fc.integer({ min: Limits.filterValues, max: 5_000 }), fc.constantFrom("", "a", "1")).map(
    ([count, value]) =>
      `${name}=${Array(count + 1)
        .fill(value)
        .join(separator)}`
  )

/** Queries for a list that are too large in some way, each with its answer. */
export const sizedQueries = ({ list }: DeclaredOperation): fc.Arbitrary<SizedQuery> => {
  const floods = fc
    .constantFrom("a&".repeat(7_000), "limit=1&".repeat(1_500), "limit[eq]=1&".repeat(900), "=&".repeat(6_000))
    .map((query) => ({ query, refused: malformed }))
  if (list === undefined) return floods
  const taking = Object.entries(list.filters).flatMap(([name, dimension]) =>
    operatorsOf(dimension).includes("in") ? [`${name}[in]`, `${name}[not_in]`] : []
  )
  const values = taking.map((name) => repeated(name, ",").map((query) => ({ query, refused: invalid(name) })))
  const search = repeated("search", "+").map((query) => ({
    query: `${query}+${"b".repeat(200)}`,
    refused: invalid("search")
  }))
  return fc.oneof(floods, ...values, ...(list.words === undefined ? [] : [search]))
}
