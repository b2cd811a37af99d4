import type { JsonSchema } from "effect"
import { type Components, componentOf } from "../adapters/http/reference/Spec.ts"
import { idPrefixes } from "../domain/kernel/Ids.ts"

type Json = JsonSchema.JsonSchema

/** The place of a printed type: what is taken may be undefined where it may be missing, and a `Date` for an instant. */
export type TypePosition = "taken" | "given"

const asSchema = (value: unknown): Json => ({ ...Object(value) })

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** The name of each kind's type of ids: `DonorId`. */
export const idTypes: ReadonlyArray<string> = Object.keys(idPrefixes).map((kind) => `${capitalised(kind)}Id`)

export const prefixOf = (type: string): string =>
  Object.entries(idPrefixes).find(([kind]) => `${capitalised(kind)}Id` === type)?.[1] ?? ""

/** The type of ids that a text must match, undefined for other texts. */
export const idTypeOf = (schema: Json): string | undefined => {
  const [, prefix] = /^\^([a-z]+)_\[0-7\]/.exec(String(schema["pattern"])) ?? []
  const kind = Object.entries(idPrefixes).find(([, each]) => each === prefix)?.[0]
  return kind === undefined ? undefined : `${capitalised(kind)}Id`
}

/** Words as a comment, indented; nothing without words. */
export const comment = (words: string, indent = ""): string => {
  const lines = words.replaceAll("*/", "*\\/").split("\n")
  if (words === "") return ""
  if (lines.length === 1) return `${indent}/** ${words} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}

/** Words and what belongs to them as a comment of one line, for a method among many. */
export const methodComment = (words: string, more: string): string =>
  `  /** ${`${words}\n${more}`.replaceAll("*/", "*\\/").replaceAll(/\n+/g, " ")} */\n`

const sentence = (text: string): string => {
  const capital = capitalised(text)
  return capital === "" || /[.!?]$/.test(capital) ? capital : `${capital}.`
}

/** The meaning of a field. What only repeats the type, such as the form of an id, is left out. */
const meaningOf = (schema: Json): string => {
  const { description } = schema
  const says = typeof description === "string" && !description.startsWith("an identifier that begins with")
  return says ? sentence(description) : ""
}

const union = (types: ReadonlyArray<string>): string => [...new Set(types)].join(" | ")

const textType = (schema: Json, place: TypePosition): string => {
  const id = idTypeOf(schema)
  if (id !== undefined) return id
  return place === "taken" && schema["format"] === "date-time" ? "string | Date" : "string"
}

/** A field of a printed record. */
export interface Field {
  readonly name: string
  /** What it means; empty where the type says it. */
  readonly words: string
  readonly code: string
}

export const fieldsOf = (schema: Json, place: TypePosition, indent: string): ReadonlyArray<Field> => {
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  return Object.entries(asSchema(schema["properties"])).map(([name, value]) => {
    const field = asSchema(value)
    const isRequired = required.includes(name)
    const missing = place === "taken" && !isRequired ? " | undefined" : ""
    const code = `readonly ${name}${isRequired ? "" : "?"}: ${typeText(field, place, indent)}${missing}`
    return { name, words: meaningOf(field), code }
  })
}

/** What stands on a line, with its meaning before it. */
export const documentedLine = (words: string, code: string): string =>
  `${comment(words).replace("*/\n", "*/ ")}${code}\n`

const fieldsText = (fields: ReadonlyArray<Field>, indent: string): string =>
  fields.map(({ code, words }) => `${indent}${documentedLine(words, code)}`).join("")

const objectText = (schema: Json, place: TypePosition, indent: string): string => {
  if (schema["properties"] !== undefined)
    return `{\n${fieldsText(fieldsOf(schema, place, `${indent}  `), `${indent}  `)}${indent}}`
  const { additionalProperties } = schema
  const values =
    typeof additionalProperties === "object" ? typeText(asSchema(additionalProperties), place, indent) : null
  return `Readonly<Record<string, ${values ?? "unknown"}>>`
}

/** Where event types are named, those that a host declares may stand, too; the API's document has the catalogue only. */
export const openName = (name: string): string => (name === "EventType" ? "EventType | HostEventType" : name)

export const typeText = (schema: Json, place: TypePosition, indent = ""): string => {
  const { allOf, anyOf, const: constant, enum: values, items, oneOf, type } = schema
  const named = componentOf(schema)
  const inner = (each: unknown): string => typeText(asSchema(each), place, indent)
  if (named !== undefined) return openName(named)
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)))
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(anyOf)) return union(anyOf.map(inner))
  if (Array.isArray(oneOf)) return union(oneOf.map(inner))
  if (Array.isArray(type)) return union(type.map((each) => inner({ ...schema, type: each })))
  switch (type) {
    case "array": {
      return `ReadonlyArray<${inner(items)}>`
    }
    case "object":
      return objectText(schema, place, indent)
    case "string":
      return textType(schema, place)
    case "integer":
    case "number":
      return "number"
    case "boolean":
    case "null":
      return type
    default:
      // A narrower text, such as one with a length, is written as an intersection.
      return Array.isArray(allOf) ? inner(allOf[0]) : "unknown"
  }
}

/** What a record has from another: how that is written, and the fields that it therefore does not write itself. */
export interface Base {
  readonly text: string
  readonly inherited: ReadonlySet<string>
}

/** A field as it is in one of the forms of its record; domain/kernel/Fields.ts says what they are. */
const formedField = (name: string, schema: Json, form: unknown, place: TypePosition): string => {
  const { anyOf } = schema
  const choices = Array.isArray(anyOf) ? anyOf.map(asSchema).filter(({ type }) => type !== "null") : [schema]
  if (form === "given") return `readonly ${name}: ${union(choices.map((each) => typeText(each, place)))}`
  const values: ReadonlyArray<unknown> = Array.isArray(form) ? form : [null]
  const types = union(values.map((value) => JSON.stringify(value)))
  return values.includes(null) ? `readonly ${name}?: ${types} | undefined` : `readonly ${name}: ${types}`
}

const formsOf = (schema: Json): ReadonlyArray<Json> =>
  Array.isArray(schema["forms"]) ? schema["forms"].map(asSchema) : []

/** A field that one form of an input has by a text, and another by any: its text is a parameter of the input's type. */
interface OpenField {
  readonly name: string
  readonly parameter: string
  /** The texts that forms name. */
  readonly named: ReadonlyArray<unknown>
}

/** The open field of an input. A type of any text but some is none without a parameter: it would take those again. */
export const openFieldOf = (schema: Json): OpenField | undefined => {
  const forms = formsOf(schema)
  const names = Object.keys(asSchema(schema["properties"])).filter(
    (name) => forms.some((form) => Array.isArray(form[name])) && forms.some((form) => !(name in form))
  )
  return names.map((name) => ({
    name,
    parameter: capitalised(name),
    named: forms.flatMap((form) => (Array.isArray(form[name]) ? form[name] : []))
  }))[0]
}

/** An input that has one of several forms: what is the same in all of them, and what differs. */
const formedText = (schema: Json, place: TypePosition): string => {
  const properties = asSchema(schema["properties"])
  const forms = formsOf(schema)
  const open = openFieldOf(schema)
  const fields = fieldsOf(schema, place, "  ").map((field): Field => {
    if (field.name !== open?.name) return field
    const texts = union(open.named.map((text) => JSON.stringify(text)))
    return { ...field, code: field.code.replace("string", `Exclude<${open.parameter}, ${texts}>`) }
  })
  const differs = ({ name }: Field): boolean => forms.some((form) => name in form)
  const formed =
    (form: Json) =>
    (field: Field): Field => {
      const { name } = field
      if (!(name in form)) return field
      const words = form[name] === "given" ? field.words : ""
      return { name, words, code: formedField(name, asSchema(properties[name]), form[name], place) }
    }
  const texts = forms.map((form) => `{\n${fieldsText(fields.filter(differs).map(formed(form)), "  ")}}`)
  const same = fields.filter((field) => !differs(field))
  return same.length === 0 ? texts.join(" | ") : `{\n${fieldsText(same, "  ")}} & (${texts.join(" | ")})`
}

/** A named schema as a declaration. `use` says where it occurs, for one that has no meaning of its own. */
export const declarationText = (name: string, schema: Json, place: TypePosition, use: string, base?: Base): string => {
  const meaning = meaningOf(schema)
  const words = meaning === "" ? use : meaning
  const head = comment(words)
  const alias = (text: string): string => documentedLine(words, `export type ${name} = ${text}`)
  if (schema["forms"] !== undefined) {
    const open = openFieldOf(schema)
    const parameter = open === undefined ? "" : `<${open.parameter} extends string = string>`
    return `${head}export type ${name}${parameter} = ${formedText(schema, place)}\n`
  }
  if (schema["properties"] === undefined) return alias(typeText(schema, place))
  const own = fieldsOf(schema, place, "  ").filter((field) => base?.inherited.has(field.name) !== true)
  if (base === undefined) return `${head}export interface ${name} {\n${fieldsText(own, "  ")}}\n`
  if (own.length === 0) return alias(base.text)
  return `${head}export interface ${name} extends ${base.text} {\n${fieldsText(own, "  ")}}\n`
}

/** Declarations as the body of a file: those of one line stand together, before all others. */
export const bodyOf = (declarations: ReadonlyArray<string>): string => {
  const isLine = (text: string): boolean => text.indexOf("\n") === text.length - 1
  const lines = declarations.filter(isLine).join("")
  return [...(lines === "" ? [] : [lines]), ...declarations.filter((text) => !isLine(text))].join("\n")
}

const refersTo = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(refersTo)
  if (typeof value !== "object" || value === null) return []
  const component = componentOf({ ...value })
  return [...(component === undefined ? [] : [component]), ...Object.values(value).flatMap(refersTo)]
}

/** The names of the schemas that some schemas lead to. */
export const reachedFrom = (
  schemas: ReadonlyArray<unknown>,
  components: Components,
  seen = new Set<string>()
): ReadonlySet<string> => {
  for (const name of schemas.flatMap(refersTo)) {
    if (seen.has(name)) continue
    seen.add(name)
    reachedFrom([components[name]], components, seen)
  }
  return seen
}
