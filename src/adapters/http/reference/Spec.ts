import type { JsonSchema } from "effect"

// The parts of an OpenAPI 3.1 document that the reference uses.

export interface Pointer {
  readonly $ref: string
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema.JsonSchema
  readonly style?: "form"
  readonly explode?: boolean
  readonly example?: unknown
}

export interface Header {
  readonly description: string
  readonly schema: JsonSchema.JsonSchema
  readonly example?: unknown
}

export interface MediaType {
  readonly schema: JsonSchema.JsonSchema
  readonly example?: unknown
}

export type Content = Readonly<Record<string, MediaType>>

export interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, Pointer>>
  readonly content?: Content
}

export interface RequestBody {
  readonly required: boolean
  readonly content: Content
}

export interface OperationSpec {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  /** The scope that a key needs: READ or WRITE. */
  readonly "x-scope"?: string
  /** The lowest plan of the organisation. */
  readonly "x-plan"?: string
  readonly "x-error-codes"?: ReadonlyArray<string>
  readonly security?: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters: ReadonlyArray<Parameter | Pointer>
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Answer | Pointer>>
}

export type PathItem = Readonly<Partial<Record<"get" | "post" | "patch" | "delete", OperationSpec>>>

export interface Tag {
  readonly name: string
  readonly description: string
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0"
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly contact: { readonly name: string; readonly url: string }
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: ReadonlyArray<{ readonly url: string; readonly description: string }>
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly tags: ReadonlyArray<Tag>
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema.JsonSchema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, Header>>
    readonly responses: Readonly<Record<string, Answer>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

/** The verbs in the order in which they are shown. */
export const verbs = ["post", "get", "patch", "delete"] as const

export type Components = Readonly<Record<string, JsonSchema.JsonSchema>>

/** A copy of a value in which every object is changed, inner objects first. */
export const mapObjects = (
  value: unknown,
  change: (record: Record<string, unknown>) => Record<string, unknown>
): unknown => {
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, change))
  if (typeof value !== "object" || value === null) return value
  return change(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapObjects(each, change)])))
}

export const pointer = (kind: keyof OpenApiDocument["components"], name: string): Pointer => ({
  $ref: `#/components/${kind}/${name}`
})

/** The name of the component that a schema refers to. */
export const componentOf = (schema: JsonSchema.JsonSchema): string | undefined => {
  const ref = schema["$ref"]
  return typeof ref === "string" ? ref.split("/").at(-1) : undefined
}

/** A part itself, or the component that it refers to. */
export const follow = <A extends object>(part: A | Pointer, components: Readonly<Record<string, A>>): A => {
  if (!("$ref" in part)) return part
  const found = components[part.$ref.split("/").at(-1) ?? ""]
  if (found === undefined) throw new Error(`${part.$ref} leads nowhere`)
  return found
}
