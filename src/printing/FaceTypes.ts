import type { JsonSchema, Schema } from "effect"
import type { OpenApiDocument } from "../adapters/http/reference/Spec.ts"
import type { AnyOperation, Part } from "../app/access/operation/Operation.ts"
import { clientRecordsText, exportedBy, generatedHeader, importText } from "./ClientTypes.ts"
import { idTypeOf, typeText } from "./TypeText.ts"
import { declarationsOf, eachOperation, itemOf, jsonSchemaOf, queryText, vocabularyOf } from "./Vocabulary.ts"

type Json = JsonSchema.JsonSchema

const asSchema = (value: unknown): Json => ({ ...Object(value) })

const camelCase = (words: string): string => {
  const [first = "", ...rest] = words.replace("API", "api").split(" ")
  return [first, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("")
}

/** The type of an answer: its name, a page, or an object written out. */
export const answerText = (output: Schema.Top): string => {
  const schema = jsonSchemaOf(output)
  const item = itemOf(schema)
  return item === undefined ? typeText(schema, "given", "      ") : `Page<${item}>`
}

/** The record of a page. */
export const recordOf = (output: Schema.Top): string => itemOf(jsonSchemaOf(output)) ?? "unknown"

/** The argument of a call for a part of its operation. */
export const argumentOf = (part: Part, { output }: AnyOperation): string => {
  switch (part._tag) {
    case "Id":
      return `${camelCase(part.record)}: ${idTypeOf(asSchema(jsonSchemaOf(part.schema))) ?? "string"}`
    case "Body": {
      const type = typeText(jsonSchemaOf(part.schema), "taken", "      ")
      return part.optional ? `input?: ${type} | undefined` : `input: ${type}`
    }
    case "Query":
      return `query?: ${recordOf(output)}Query | undefined`
    case "Value":
      return `${part.name}: ${typeText(jsonSchemaOf(part.schema), "taken")}`
  }
}

/** Names of arguments that occur twice are told apart. */
export const withDistinctNames = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.map((arg, index) => {
    const isSecond = args.slice(0, index).some((each) => each.split(/\??:/)[0] === arg.split(/\??:/)[0])
    return isSecond ? arg.replace(/^input/, "operator") : arg
  })

const queriesText = (document: OpenApiDocument, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const vocabulary = vocabularyOf(document)
  const texts = eachOperation().flatMap(([, , { input, output }]) =>
    input.flatMap((part) => {
      const item = recordOf(output)
      return part._tag === "Query" && !known.includes(`${item}Query`) ? [queryText(vocabulary, item, part.listing)] : []
    })
  )
  return [...new Set(texts)].toSorted()
}

/** The types of the client that printed types may need. */
export const typesOfClient = ["Comparison", "Equality", "Filter", "Page", "PageQuery"]

/** src/facade/generated/Records.ts: what the operations of whoever keeps the installation take and give. */
export const faceRecordsText = (document: OpenApiDocument): string => {
  const known = exportedBy(clientRecordsText(document))
  const body = [...declarationsOf(vocabularyOf(document), false), ...queriesText(document, known)].join("\n")
  return [
    generatedHeader,
    importText(known, "../../client/generated/Records.ts", body),
    importText(typesOfClient, "../../client/Types.ts", body),
    "\n",
    body
  ].join("")
}
