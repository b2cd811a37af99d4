import { assert, describe, it } from "@effect/vitest"
import { type JsonSchema, Schema } from "effect"
import { nameOf } from "../../src/adapters/cli/Operation.ts"
import { operations } from "../../src/adapters/cli/Operations.ts"

/** The names of all properties that the records of a list may have, whatever their schema is made of. */
const fieldsOf = (output: Schema.ConstraintCodec<unknown, unknown>): ReadonlyArray<string> => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Schema.toCodecJson(output))
  const resolved = (shape: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
    const name = /[^/]+$/.exec(`${shape["$ref"] ?? ""}`)?.[0]
    return name === undefined ? shape : resolved(definitions[name] ?? {})
  }
  const within = (shape: unknown, name: string): ReadonlyArray<unknown> =>
    Object.entries(resolved(Object(shape))).flatMap(([key, value]) => {
      if (key === name) return [value]
      return /^(?:allOf|anyOf|oneOf)$/.test(key) && Array.isArray(value)
        ? value.flatMap((each) => within(each, name))
        : []
    })
  return within(schema, "properties")
    .flatMap((properties) => within(Object(properties).data, "items"))
    .flatMap((item) => within(item, "properties"))
    .flatMap((properties) => Object.keys(Object(properties)))
}

const lists = operations.flatMap((operation) =>
  operation.columns !== undefined && operation.name.startsWith("list")
    ? [{ command: nameOf(operation), columns: operation.columns, output: operation.output }]
    : []
)

describe("the table that a list is printed as", () => {
  it.each(lists)("has columns of its records: $command", ({ columns, output }) => {
    // A column of records within a record names both: `candidates.donor_name`.
    assert.includeMembers(
      [...fieldsOf(output)],
      columns.map((column) => column.split(".")[0])
    )
  })
})
