import { assert, describe, it } from "@effect/vitest"
import { Predicate, Schema } from "effect"
import fc from "fast-check"
import { recordGuard } from "../../src/adapters/postgres/records/Rows.ts"
import * as domain from "../../src/internal.ts"
import { arbitraryOf } from "../../src/testing/Arbitraries.ts"
import { forEveryWith } from "../support/Property.ts"

type Record = Schema.Codec<object, unknown> & { readonly fields: Schema.Struct.Fields }

const isRecord = (value: unknown): value is Record =>
  Schema.isSchema(value) && Predicate.hasProperty(value, "fields") && Predicate.isObject(value.fields)

/** Every struct that the domain exports: what is stored is among them. */
const records = Object.entries(domain).flatMap(([file, module]) =>
  Object.entries(module).flatMap(([name, value]) => (isRecord(value) ? [[`${file}.${name}`, value] as const] : []))
)

const anything = fc.anything({ withDate: true, withNullPrototype: true })

describe("the guard of rows", () => {
  it.each(records)("answers what the schema answers: %s", (_, schema) => {
    const is = Schema.is(schema)
    const guard = recordGuard(schema)
    const names = Object.keys(schema.fields)
    const change = fc.record({ name: fc.constantFrom(...names), value: anything, isMissing: fc.boolean() })
    forEveryWith(
      { numRuns: 20 },
      arbitraryOf(schema),
      change,
      anything,
      (record, { isMissing, name, value }, other) => {
        assert.isTrue(guard(record))
        const { [name]: _, ...rest } = { ...record } as { readonly [name: string]: unknown }
        const changed = isMissing ? rest : { ...rest, [name]: value }
        assert.strictEqual(guard(changed), is(changed))
        assert.strictEqual(guard(other), is(other))
      }
    )
  })
})
