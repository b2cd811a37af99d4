import type { JsonSchema } from "effect"
import type { Child } from "hono/jsx"
import { componentOf } from "../../adapters/http/reference/Spec.ts"
import { eventTypes } from "../../domain/outbox/Event.ts"
import { prose } from "./Markup.tsx"

const asSchema = (value: unknown): JsonSchema.JsonSchema => ({ ...Object(value) })

const isNull = (schema: JsonSchema.JsonSchema): boolean => schema["type"] === "null"

const grouped = (value: unknown): string => (typeof value === "number" ? value.toLocaleString("en") : String(value))

const range = (low: unknown, high: unknown, unit: string): string => {
  if (low !== undefined && high !== undefined) return `, ${grouped(low)} to ${grouped(high)}${unit}`
  if (low !== undefined) return `, at least ${grouped(low)}${unit}`
  return high === undefined ? "" : `, at most ${grouped(high)}${unit}`
}

/** The lengths of a text in words. "At least one character" is written as "not empty". */
const lengths = (low: unknown, high: unknown): string =>
  low === 1 && high === undefined ? ", not empty" : range(low, high, " characters")

const isEventTypes = (values: ReadonlyArray<unknown>): boolean => values.length === eventTypes.length

const joined = (parts: ReadonlyArray<Child>, word: string): Child =>
  parts.map((part, index) => (index === 0 ? part : [word, part]))

const enumOf = (values: ReadonlyArray<unknown>): Child => {
  if (isEventTypes(values)) return ["an ", <a href="#events">event type</a>]
  const codes = values.map((value) => <code>{String(value)}</code>)
  return codes.length === 1 ? ["always ", ...codes] : ["one of ", joined(codes, ", ")]
}

/** The type of a schema in words, with links to the named ones. */
export const typeOf = (schema: JsonSchema.JsonSchema): Child => {
  const component = componentOf(schema)
  if (component !== undefined) return <a href={`#schema-${component}`}>{component}</a>
  const { anyOf, enum: values, format, items, maximum, maxLength, minimum, minLength, type } = schema
  if (Array.isArray(values)) return enumOf(values)
  if (Array.isArray(anyOf) && type === undefined) {
    const options = anyOf.map(asSchema)
    const rest = options.filter((option) => !isNull(option)).map(typeOf)
    return [joined(rest, " or "), rest.length < options.length ? " or null" : ""]
  }
  switch (type) {
    case "array":
      return ["array of ", typeOf(asSchema(items))]
    case "integer":
      return `integer${range(minimum, maximum, "")}`
    case "string":
      return `${typeof format === "string" ? format : "string"}${lengths(minLength, maxLength)}`
    default:
      return typeof type === "string" ? type : "any"
  }
}

const describedIn = (schema: JsonSchema.JsonSchema): string => {
  const own = schema["description"]
  if (typeof own === "string") return own
  const { anyOf } = schema
  const inner = Array.isArray(anyOf) ? asSchema(anyOf.map(asSchema).find((each) => !isNull(each)))["description"] : null
  return typeof inner === "string" ? inner : ""
}

/** The parts of a field's entry beside its name, type and meaning. */
export interface FieldNotes {
  /** Whether a caller must give the field; `always` for fields of answers. */
  readonly mark?: "always" | "required" | "optional"
  /** The field's value when nothing is given. */
  readonly standard?: unknown
  readonly deprecated?: boolean
}

const marks = {
  always: null,
  required: [" ", <strong class="required">required</strong>],
  optional: <span class="type">, optional</span>
}

const standardOf = (standard: unknown): Child =>
  standard === undefined ? null : (
    <span class="type">
      , default <code>{typeof standard === "string" ? standard : JSON.stringify(standard)}</code>
    </span>
  )

export const entry = (name: string, type: Child, description: string, shown: FieldNotes = {}): Child => (
  <div>
    <dt>
      <code>{name}</code> <span class="type">{type}</span>
      {marks[shown.mark ?? "always"]}
      {standardOf(shown.standard)}
      {shown.deprecated === true ? [" ", <span class="deprecated">deprecated</span>] : null}
    </dt>
    {description === "" ? null : <dd>{prose(sentence(description))}</dd>}
  </div>
)

const sentence = (text: string): string => {
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(capital) ? capital : `${capital}.`
}

const inlineProperties = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema | undefined =>
  schema["properties"] === undefined ? undefined : schema

/** Whether the fields are those of a body, with their default values, or those of an answer. */
export interface FieldSide {
  readonly isInput: boolean
  readonly standards: Readonly<Record<string, unknown>>
}

const given: FieldSide = { isInput: false, standards: {} }

const rows = (schema: JsonSchema.JsonSchema, prefix: string, taken: FieldSide): Array<Child> => {
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const present = taken.isInput ? "required" : "always"
  return Object.entries(asSchema(schema["properties"])).flatMap(([key, value]) => {
    const each = asSchema(value)
    const name = `${prefix}${key}`
    const inner = inlineProperties(each)
    const shown: FieldNotes = {
      mark: required.includes(key) ? present : "optional",
      standard: taken.standards[name] ?? each["default"],
      deprecated: each["deprecated"] === true
    }
    return [
      entry(name, typeOf(each), describedIn(each), shown),
      ...(inner === undefined ? [] : rows(inner, `${name}.`, taken))
    ]
  })
}

/** The fields of an object, those of inner objects by their path. One that extends a named schema refers to it. */
export const fieldsOf = (schema: JsonSchema.JsonSchema, taken: FieldSide = given): Child => {
  const { allOf, discriminator } = schema
  if (discriminator !== undefined) {
    return (
      <p>
        One of the <a href="#events">event types</a>, told apart by{" "}
        <code>{String(asSchema(discriminator)["propertyName"])}</code>.
      </p>
    )
  }
  if (Array.isArray(allOf)) {
    const parts = allOf.map(asSchema)
    const named = parts.filter((part) => componentOf(part) !== undefined).map(typeOf)
    const own = parts.filter((part) => componentOf(part) === undefined).map((part) => fieldsOf(part, taken))
    return [<p>Everything of {joined(named, " and ")}, and:</p>, own]
  }
  const all = rows(schema, "", taken)
  return all.length === 0 ? <p>No fields.</p> : <dl>{all}</dl>
}
