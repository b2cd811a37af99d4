import { assert, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { eventTypes } from "../../../src/domain/outbox/Event.ts"
import { isPrintedAnnotation, jsonSchemaOf, schemaNameOf } from "../../../src/domain/outbox/EventEnvelope.ts"

/** Every object within a value, and the key that leads to it. */
function* objectsIn(
  value: unknown,
  key = ""
): Generator<readonly [key: string, object: Readonly<Record<string, unknown>>]> {
  if (Array.isArray(value)) for (const each of value) yield* objectsIn(each, key)
  else if (Predicate.isObject(value)) {
    const object: Readonly<Record<string, unknown>> = { ...value }
    yield [key, object]
    for (const [name, each] of Object.entries(object)) yield* objectsIn(each, name)
  }
}

it("the name of an event's schema is the type's words in capitals, so that the type can be read off it", () => {
  assert.strictEqual(schemaNameOf("donor.created"), "DonorCreatedEvent")
  for (const type of eventTypes) {
    const name = schemaNameOf(type)
    assert.match(name, /^(?:[A-Z][a-z]+)+Event$/)
    const words = name.slice(0, -"Event".length).match(/[A-Z][a-z]+/g) ?? []
    assert.strictEqual(words.join("_").toLowerCase(), type.replace(".", "_"))
  }
})

describe("an event's JSON Schema", () => {
  it("says its dialect and its type, and defines whatever it refers to", () => {
    for (const type of eventTypes) {
      const { $defs, ...schema } = jsonSchemaOf(type)
      assert.deepInclude(schema, { $schema: "https://json-schema.org/draft/2020-12/schema", title: type })
      const defined = Object.keys($defs).map((name) => `#/$defs/${name}`)
      const referred = [...objectsIn({ schema, $defs })].flatMap(([, { $ref }]) => ($ref === undefined ? [] : [$ref]))
      for (const each of referred) assert.include(defined, each, type)
    }
  })

  it("marks the deprecated aliases, and prints no other annotation of the domain's own", () => {
    const deprecated = new Set(
      [...objectsIn(jsonSchemaOf("donation.created"))]
        .filter(([, object]) => object["deprecated"] === true)
        .map(([key]) => key)
    )
    assert.sameMembers([...deprecated], ["tracking_code", "tracking_code_id"])
    for (const key of ["arbitraryConstraint", "identifier", "expected", ""]) assert.isFalse(isPrintedAnnotation(key))
  })
})
