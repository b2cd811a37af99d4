import { type JsonSchema, Schema } from "effect"
import { isMeanings } from "../adapters/http/reference/Meanings.ts"
import { publishedSchema } from "../adapters/http/reference/Schemas.ts"
import { type Components, componentOf, type OpenApiDocument } from "../adapters/http/reference/Spec.ts"
import type { AnyOperation, Part } from "../app/access/operation/Operation.ts"
import { operations } from "../app/Operations.ts"
import { type Dimension, type ListSpec, operatorsOf } from "../domain/kernel/Listing.ts"
import { eventTypes } from "../domain/outbox/Event.ts"
import { schemaNameOf } from "../domain/outbox/EventEnvelope.ts"
import {
  type Base,
  declarationText,
  documentedLine,
  type Field,
  fieldsOf,
  idTypeOf,
  openName,
  reachedFrom,
  type TypePosition,
  typeText
} from "./TypeText.ts"

type Records = ReadonlyMap<string, ReadonlyArray<Field>>

/** A record that has all or a part of another, and how many lines it need not have. */
interface Likeness extends Base {
  readonly record: string
  readonly other: string
  readonly isWhole: boolean
  readonly lines: number
}

/** The fewest fields that one record picks of another. */
const fewest = 4

/** The most fields that are named to pick them or to leave them out. */
const mostNamed = 7

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(" | ")

/** Some fields of a record, by the shorter of two lists; undefined where both are long. */
const partText = (other: string, wanted: ReadonlyArray<string>, rest: ReadonlyArray<string>): string | undefined => {
  if (rest.length <= wanted.length && rest.length <= mostNamed) return `Omit<${other}, ${quoted(rest)}>`
  return wanted.length <= mostNamed ? `Pick<${other}, ${quoted(wanted)}>` : undefined
}

const linesOf = (fields: ReadonlyArray<Field>): number =>
  fields.reduce((lines, { words }) => lines + (words === "" ? 1 : 2), 0)

/** The words of a name that say what it is of: `Donation` and `Event` of `NewDonationEvent`. */
const subjectsOf = (name: string): ReadonlyArray<string> =>
  name.match(/[A-Z][a-z]+/g)?.filter((word) => !["New", "Patch", "Event", "Data", "Settlement"].includes(word)) ?? []

const areRelated = (record: string, other: string): boolean =>
  subjectsOf(record).some((word) => subjectsOf(other).includes(word))

/** What a record can have from another: all of it, or a good part. Words of its own that differ are written again. */
const likeness = (record: string, other: string, records: Records): ReadonlyArray<Likeness> => {
  const own = records.get(record) ?? []
  const others = new Map((records.get(other) ?? []).map((field) => [field.name, field]))
  const same = own.filter(({ code, name }) => others.get(name)?.code === code)
  const inherited = same.filter(({ name, words }) => words === "" || words === others.get(name)?.words)
  const names = inherited.map(({ name }) => name)
  const isWhole = same.length === others.size && others.size > 1
  const isPart = names.length >= fewest && names.length * 2 >= own.length && others.size >= own.length
  const rest = [...others.keys()].filter((name) => !names.includes(name))
  const text = isWhole ? other : isPart ? partText(other, names, rest) : undefined
  if (text === undefined || names.length === 0) return []
  return [{ record, other, isWhole, lines: linesOf(inherited), text, inherited: new Set(names) }]
}

/** For each record that has much of another that it may name, the one of which it has the most. */
const basesOf = (records: Records, mayName: (record: string, other: string) => boolean) => {
  const names = [...records.keys()]
  const mayHave = (record: string, other: string): boolean =>
    record !== other && areRelated(record, other) && mayName(record, other)
  const found = names.flatMap((record) =>
    names.flatMap((other) => (mayHave(record, other) ? likeness(record, other, records) : []))
  )
  const bases = new Map<string, Likeness>()
  const leadsTo = (from: string | undefined, record: string): boolean =>
    from !== undefined && (from === record || leadsTo(bases.get(from)?.other, record))
  for (const each of found.toSorted((a, b) => Number(b.isWhole) - Number(a.isWhole) || b.lines - a.lines)) {
    if (!bases.has(each.record) && !leadsTo(each.other, each.record)) bases.set(each.record, each)
  }
  return bases
}

type Json = JsonSchema.JsonSchema

const asSchema = (value: unknown): Json => ({ ...Object(value) })

/** The record of a page, undefined for what is no page. */
export const itemOf = (schema: Json | undefined): string | undefined => {
  const properties = asSchema(schema?.["properties"])
  const isPage = Object.keys(properties).join() === "data,has_more"
  return isPage ? componentOf(asSchema(asSchema(properties["data"])["items"])) : undefined
}

/** The envelopes of deliveries and the errors of HTTP, for which the client has types of its own. */
const withoutName = new Set(["Event", "WebhookEvent", ...eventTypes.map(schemaNameOf)])

const isDeclared = (name: string, schema: Json): boolean =>
  !withoutName.has(name) && !/^Error\d/.test(name) && itemOf(schema) === undefined

export const eachOperation = (): ReadonlyArray<readonly [group: string, name: string, operation: AnyOperation]> =>
  Object.entries(operations).flatMap(([group, all]) =>
    // The table loses which operation is which.
    Object.entries(all as unknown as Readonly<Record<string, AnyOperation>>).map(
      ([name, operation]) => [group, name, operation] as const
    )
  )

const jsonOf = (schema: Schema.Top) =>
  Schema.toJsonSchemaDocument(Schema.toCodecJson(schema as Schema.Codec<unknown, unknown>), {
    includeAnnotationKey: (key) => isMeanings(key) || key === "forms"
  })

/** A schema of an operation as JSON Schema, whose references are names of {@link Vocabulary}. */
export const jsonSchemaOf = (schema: Schema.Top): Json => jsonOf(schema).schema

/** A schema of an operation with all that it says, where {@link jsonSchemaOf} gives its name. */
export const wholeSchemaOf = (schema: Schema.Top): Json => {
  const { definitions, schema: own } = jsonOf(schema)
  return asSchema(definitions[componentOf(own) ?? ""])
}

const bodiesOf = (parts: ReadonlyArray<Part>): ReadonlyArray<Schema.Top> =>
  parts.flatMap((part) => (part._tag === "Body" || part._tag === "Value" ? [part.schema] : []))

const isPlainText = (schema: Json): boolean => schema["type"] === "string" && schema["pattern"] === undefined

/** The kinds of ids by the names of fields that hold one kind wherever they are given. */
const idFieldsOf = (components: Components): ReadonlyMap<string, unknown> => {
  const found = new Map<string, Set<unknown>>()
  for (const schema of Object.values(components)) {
    for (const [name, value] of Object.entries(asSchema(schema["properties"]))) {
      const field = asSchema(value)
      if (name.endsWith("_id") && idTypeOf(field) !== undefined)
        found.set(name, (found.get(name) ?? new Set()).add(field["pattern"]))
    }
  }
  return new Map(
    [...found].flatMap(([name, patterns]) => (patterns.size === 1 ? [[name, [...patterns][0]] as const] : []))
  )
}

/** A schema that is taken, with the kinds of the ids in it: the service finds none of an id that cannot be, and says so. */
const withIds = (schema: Json, ids: ReadonlyMap<string, unknown>): Json => {
  const fields = Object.entries(asSchema(schema["properties"])).map(([name, value]) => {
    const field = asSchema(value)
    const pattern = ids.get(name)
    const whole = (each: Json): Json => (isPlainText(each) ? { ...each, pattern } : each)
    if (pattern === undefined) return [name, field]
    return [
      name,
      Array.isArray(field["anyOf"]) ? { ...field, anyOf: field["anyOf"].map(asSchema).map(whole) } : whole(field)
    ]
  })
  return schema["properties"] === undefined ? schema : { ...schema, properties: Object.fromEntries(fields) }
}

/** The named schemas of the API and of the operations beside it, and which of them are taken. */
export interface Vocabulary {
  readonly components: Components
  /** The names of those that the API has. */
  readonly ofApi: ReadonlySet<string>
  readonly taken: ReadonlySet<string>
}

/** Collects the named schemas. */
export const vocabularyOf = (document: OpenApiDocument): Vocabulary => {
  const api = document.components.schemas
  const all = eachOperation()
  const documents = all.flatMap(([, , { input, output }]) => [output, ...bodiesOf(input)].map(jsonOf))
  const own: Components = Object.assign({}, ...documents.map(({ definitions }) => definitions))
  const beside = Object.entries(own).filter(([name]) => api[name] === undefined)
  const components: Components = {
    ...api,
    ...Object.fromEntries(beside.map(([name, schema]) => [name, publishedSchema(schema, { ...own, ...api })]))
  }
  const bodies = Object.values(document.paths).flatMap((item) => Object.values(item).map((each) => each.requestBody))
  const inputs = all.flatMap(([, , { input }]) => bodiesOf(input).map(jsonSchemaOf))
  const taken = reachedFrom([...bodies, ...inputs], components)
  const ids = idFieldsOf(components)
  const known = Object.entries(components).map(([name, schema]) => {
    // The API's document has no forms, which its own schema has.
    const { forms } = asSchema(own[name])
    const formed = forms === undefined ? schema : { ...schema, forms }
    return [name, taken.has(name) ? withIds(formed, ids) : formed]
  })
  return { components: Object.fromEntries(known), ofApi: new Set(Object.keys(api)), taken }
}

const listed = (all: ReadonlyArray<string>): string => [...new Set(all)].join(", ")

const refersTo = (schema: unknown, name: string): boolean => JSON.stringify(schema).includes(`/${name}"`)

const fieldsWith = (components: Components, name: string): ReadonlyArray<string> =>
  Object.entries(components).flatMap(([record, schema]) =>
    isDeclared(record, schema)
      ? Object.entries(asSchema(schema["properties"])).flatMap(([field, value]) =>
          refersTo(value, name) ? [`\`${field}\` of {@link ${record}}`] : []
        )
      : []
  )

/** Where a schema occurs: the operations that give or take it, else the fields that have it. */
const useOf = ({ components }: Vocabulary, name: string): string => {
  const all = eachOperation().map(([group, method, operation]) => ({ called: `\`${group}.${method}\``, operation }))
  const giving = all.filter(({ operation }) => refersTo(jsonSchemaOf(operation.output), name))
  const taking = all.filter(({ operation }) =>
    bodiesOf(operation.input).some((each) => refersTo(jsonSchemaOf(each), name))
  )
  const names = (some: typeof all): string => listed(some.map(({ called }) => called))
  if (giving.length > 0) return `Given by ${names(giving)}.`
  if (taking.length > 0) return `Taken by ${names(taking)}.`
  const fields = fieldsWith(components, name)
  return fields.length === 0 ? "Part of what the API shows." : `Is ${listed(fields)}.`
}

const placeOf = ({ taken }: Vocabulary, name: string): TypePosition => (taken.has(name) ? "taken" : "given")

/**
 * What each record has from another. The API's records name none that are beside it; none that is given is made of what is
 * taken, nor a record of its events.
 */
const recordBases = (vocabulary: Vocabulary) => {
  const { components, ofApi } = vocabulary
  const records = Object.entries(components).flatMap(([name, schema]) =>
    schema["properties"] !== undefined && schema["forms"] === undefined && isDeclared(name, schema)
      ? [[name, fieldsOf(schema, placeOf(vocabulary, name), "  ")] as const]
      : []
  )
  const isOfEvent = (name: string): boolean => name.endsWith("EventData")
  const isAlike = (record: string, other: string): boolean =>
    placeOf(vocabulary, record) === placeOf(vocabulary, other) && (isOfEvent(record) || !isOfEvent(other))
  return basesOf(
    new Map(records),
    (record, other) => isAlike(record, other) && (ofApi.has(other) || !ofApi.has(record))
  )
}

export const declarationsOf = (vocabulary: Vocabulary, isOfApi: boolean): ReadonlyArray<string> => {
  const bases = recordBases(vocabulary)
  return Object.entries(vocabulary.components)
    .filter(([name, schema]) => vocabulary.ofApi.has(name) === isOfApi && isDeclared(name, schema))
    .map(([name, schema]) =>
      declarationText(name, schema, placeOf(vocabulary, name), useOf(vocabulary, name), bases.get(name))
    )
}

const enumNameOf = (components: Components, values: ReadonlyArray<string>): string | undefined =>
  Object.entries(components).find(([, schema]) => JSON.stringify(schema["enum"]) === JSON.stringify(values))?.[0]

const openEnumOf = (components: Components, values: ReadonlyArray<string>): string | undefined => {
  const name = enumNameOf(components, values)
  return name === undefined ? undefined : openName(name)
}

const valueText = (components: Components, name: string, { kind, values = [] }: Dimension, record: Json): string => {
  switch (kind) {
    case "integer":
      return "number"
    case "boolean":
      return "boolean"
    case "timestamp":
    case "day":
      return "string | Date"
    case "enum":
      return openEnumOf(components, values) ?? values.map((value) => JSON.stringify(value)).join(" | ")
    case "text": {
      const field = asSchema(asSchema(record["properties"])[name])
      const [first = field] = Array.isArray(field["anyOf"]) ? field["anyOf"].map(asSchema) : []
      return idTypeOf(first) ?? "string"
    }
  }
}

const operatorsText = (dimension: Dimension): string => {
  const operators = operatorsOf(dimension)
  if (operators.length === 1) return operators.map((operator) => JSON.stringify(operator)).join()
  return operators.length === 3 ? "Equality" : "Comparison"
}

const sortText = (sorts: Readonly<Record<string, string>>): string =>
  Object.keys(sorts)
    .flatMap((name) => [JSON.stringify(name), JSON.stringify(`-${name}`)])
    .join(" | ")

/** The query of a list as a declaration: `DonorQuery` is that of the lists of `Donor`. */
export const queryText = ({ components }: Vocabulary, item: string, spec: ListSpec): string => {
  const record = components[item] ?? {}
  const fields: ReadonlyArray<readonly [name: string, type: string, words: string]> = [
    ...(spec.archivable === true
      ? [["archived", "boolean", "Whether archived records are listed, too."] as const]
      : []),
    ...(spec.words === undefined
      ? []
      : [["search", "string", "Words that begin a part of a name or of the e-mail address."] as const]),
    ...(spec.segments === true ? [["segment", "string", "A segment's slug."] as const] : []),
    ...(spec.sorts === undefined
      ? []
      : [["sort", sortText(spec.sorts), "The order; a leading - is descending."] as const]),
    ...Object.entries(spec.flags ?? {}).map(([name, { description }]) => [name, "boolean", `${description}.`] as const),
    ...Object.entries(spec.filters).map(
      ([name, dimension]) =>
        [
          name,
          `Filter<${valueText(components, name, dimension, record)}, ${operatorsText(dimension)}>`,
          `${dimension.description}.`
        ] as const
    )
  ]
  const lines = fields.map(
    ([name, type, words]) => `  ${documentedLine(words, `readonly ${name}?: ${type} | undefined`)}`
  )
  const page = `PageQuery<${typeText(asSchema(asSchema(record["properties"])["id"]), "given")}>`
  const head = `/** The query of a list of {@link ${item}}. */\n`
  return lines.length === 0
    ? `${head}export type ${item}Query = ${page}\n`
    : `${head}export interface ${item}Query extends ${page} {\n${lines.join("")}}\n`
}
