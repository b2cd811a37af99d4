import type { JsonSchema } from "effect"
import { type Components, componentOf, mapObjects, type OpenApiDocument, type Pointer, pointer } from "./Spec.ts"

const isEnum = (schema: JsonSchema.JsonSchema | undefined): schema is JsonSchema.JsonSchema =>
  Array.isArray(schema?.["enum"])

const textOf = (values: unknown): string => JSON.stringify(values)

/** Finds the named schema with exactly these values; no two schemas have the same. */
export const enumsOf = (schemas: Components): ((values: ReadonlyArray<string>) => Pointer) => {
  const byValues = new Map(
    Object.entries(schemas).flatMap(([name, schema]) =>
      isEnum(schema) ? [[textOf(schema["enum"]), pointer("schemas", name)] as const] : []
    )
  )
  return (values) => {
    const found = byValues.get(textOf(values))
    if (found === undefined) throw new Error(`${values.join(", ")} have no name: see namedEnums in Api.ts`)
    return found
  }
}

/** The document for people: each reference to an enum is replaced by its values. */
export const withEnumsInPlace = (document: OpenApiDocument): OpenApiDocument => {
  const { schemas } = document.components
  const inPlace = (record: Record<string, unknown>): Record<string, unknown> => {
    const named = schemas[componentOf(record) ?? ""]
    if (!isEnum(named)) return record
    const { $ref: _, ...rest } = record
    return { ...named, ...rest }
  }
  const others = Object.fromEntries(Object.entries(schemas).filter(([, schema]) => !isEnum(schema)))
  return mapObjects(
    { ...document, components: { ...document.components, schemas: others } },
    inPlace
  ) as OpenApiDocument
}
