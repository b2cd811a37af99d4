import type { JsonSchema, Schema } from "effect"
import type { OpenApiDocument } from "../adapters/http/reference/Spec.ts"
import type { AnyOperation, Part } from "../app/access/steps/Operation.ts"
import { clientRecordsText, exportedBy, generated, importText } from "./ClientTypes.ts"
import { idTypeOf, idTypes, typeText } from "./TypeText.ts"
import { declarationsOf, eachOperation, itemOf, jsonSchemaOf, queryText, vocabularyOf } from "./Vocabulary.ts"

type Json = JsonSchema.JsonSchema

const asSchema = (value: unknown): Json => ({ ...Object(value) })

const camelCase = (words: string): string => {
  const [first = "", ...rest] = words.replace("API", "api").split(" ")
  return [first, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("")
}

/** An answer that is not named: a page, or an object written out. */
const answerText = (gives: Schema.Top): string => {
  const schema = jsonSchemaOf(gives)
  const item = itemOf(schema)
  return item === undefined ? typeText(schema, "given", "      ") : `Page<${item}>`
}

const recordOf = (gives: Schema.Top): string => itemOf(jsonSchemaOf(gives)) ?? "unknown"

const argumentOf = (part: Part, { gives }: AnyOperation): string => {
  switch (part._tag) {
    case "Id":
      return `${camelCase(part.record)}: ${idTypeOf(asSchema(jsonSchemaOf(part.schema))) ?? "string"}`
    case "Body": {
      const type = typeText(jsonSchemaOf(part.schema), "taken", "      ")
      return part.optional ? `input?: ${type} | undefined` : `input: ${type}`
    }
    case "Query":
      return `query?: ${recordOf(gives)}Query | undefined`
    case "Value":
      return `${part.name}: ${typeText(jsonSchemaOf(part.schema), "taken")}`
  }
}

/** Names that occur twice are told apart. */
const toldApart = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.map((arg, index) => {
    const isSecond = args.slice(0, index).some((each) => each.split(/\??:/)[0] === arg.split(/\??:/)[0])
    return isSecond ? arg.replace(/^input/, "operator") : arg
  })

const memberText = (name: string, operation: AnyOperation): string => {
  const takes = toldApart(operation.takes.map((part) => argumentOf(part, operation))).join(", ")
  return `    readonly ${name}: { readonly takes: [${takes}]; readonly gives: ${answerText(operation.gives)} }\n`
}

const queriesText = (document: OpenApiDocument, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const vocabulary = vocabularyOf(document)
  const texts = eachOperation().flatMap(([, , { gives, takes }]) =>
    takes.flatMap((part) => {
      const item = recordOf(gives)
      return part._tag === "Query" && !known.includes(`${item}Query`) ? [queryText(vocabulary, item, part.listing)] : []
    })
  )
  return [...new Set(texts)].toSorted()
}

const typesOfClient = ["Comparison", "Equality", "Filter", "Page"]

/** src/facade/generated/Records.ts: what the operations of whoever keeps the installation take and give. */
export const faceRecordsText = (document: OpenApiDocument): string => {
  const known = exportedBy(clientRecordsText(document))
  const body = [...declarationsOf(vocabularyOf(document), false), ...queriesText(document, known)].join("\n")
  return [
    generated,
    importText(known, "../../client/generated/Records.ts", body),
    importText(typesOfClient, "../../client/Types.ts", body),
    "\n",
    body
  ].join("")
}

/** src/facade/generated/Named.ts: what each operation takes and gives, by its name. */
export const faceNamesText = (document: OpenApiDocument): string => {
  const groups = new Map<string, string>()
  for (const [group, name, operation] of eachOperation()) {
    groups.set(group, (groups.get(group) ?? "") + memberText(name, operation))
  }
  const body = [...groups].map(([group, members]) => `  readonly ${group}: {\n${members}  }\n`).join("")
  return [
    generated,
    importText([...exportedBy(clientRecordsText(document)), ...idTypes], "../../client/generated/Records.ts", body),
    importText(typesOfClient, "../../client/Types.ts", body),
    importText(exportedBy(faceRecordsText(document)), "./Records.ts", body),
    "\n/** What each operation takes, after its caller, and what it gives. */\n",
    `export interface Named {\n${body}}\n`
  ].join("")
}
