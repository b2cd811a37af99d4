import type { JsonSchema, Schema } from "effect"
import { type Failure, problemOf } from "../adapters/http/pipeline/Problem.ts"
import type { OpenApiDocument } from "../adapters/http/reference/Spec.ts"
import type { AnyOperation, Part } from "../app/access/operation/Operation.ts"
import {
  clientRecordsText,
  type Endpoint,
  endpointsOf,
  exportedBy,
  generatedHeader,
  importText,
  saidBy
} from "./ClientTypes.ts"
import type { Declarations } from "./Declarations.ts"
import { bodyOf, comment, documentedLine, idTypeOf, idTypes, methodComment, openFieldOf, typeText } from "./TypeText.ts"
import {
  declarationsOf,
  eachOperation,
  itemOf,
  jsonSchemaOf,
  queryText,
  vocabularyOf,
  wholeSchemaOf
} from "./Vocabulary.ts"

type Json = JsonSchema.JsonSchema

const asSchema = (value: unknown): Json => ({ ...Object(value) })

const camelCase = (words: string): string => {
  const [first = "", ...rest] = words.replace("API", "api").split(" ")
  return [first, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("")
}

/** The type of an answer: its name, a page, or an object written out. */
const answerText = (output: Schema.Top): string => {
  const schema = jsonSchemaOf(output)
  const item = itemOf(schema)
  return item === undefined ? typeText(schema, "given", "      ") : `Page<${item}>`
}

const recordOf = (output: Schema.Top): string => itemOf(jsonSchemaOf(output)) ?? "unknown"

const argumentOf = (part: Part, { output }: AnyOperation): string => {
  switch (part._tag) {
    case "Id":
      return `${camelCase(part.record)}: ${idTypeOf(asSchema(jsonSchemaOf(part.schema))) ?? "string"}`
    case "Body": {
      const open = openFieldOf(wholeSchemaOf(part.schema))
      const name = typeText(jsonSchemaOf(part.schema), "taken", "      ")
      const type = open === undefined ? name : `${name}<${open.parameter}>`
      return part.optional ? `input?: ${type} | undefined` : `input: ${type}`
    }
    case "Query":
      return `query?: ${recordOf(output)}Query | undefined`
    case "Value":
      return `${part.name}: ${typeText(jsonSchemaOf(part.schema), "taken")}`
  }
}

/** Names of arguments that occur twice are told apart. */
const withDistinctNames = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
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
const typesOfClient = ["Comparison", "Equality", "Filter", "Page", "PageQuery"]

/** src/facade/generated/Records.ts: what the operations of whoever keeps the installation take and give. */
export const faceRecordsText = (document: OpenApiDocument): string => {
  const known = exportedBy(clientRecordsText(document))
  const body = bodyOf([...declarationsOf(vocabularyOf(document), false), ...queriesText(document, known)])
  return [
    generatedHeader,
    importText(known, "../../client/generated/Records.ts", body),
    importText(typesOfClient, "../../client/Types.ts", body),
    "\n",
    body
  ].join("")
}

interface Named {
  readonly group: string
  readonly name: string
  readonly operation: AnyOperation
}

/** What the words of an operation are made of. */
interface Known {
  readonly declarations: Declarations
  readonly endpoints: ReadonlyMap<AnyOperation, Endpoint>
}

const refusals: { readonly [Tag in Part["_tag"]]: ReadonlyArray<string> } = {
  Id: ["NotFound"],
  Body: ["InvalidInput", "MalformedInput"],
  Query: ["InvalidInput", "MalformedInput"],
  Value: ["InvalidInput"]
}

/** The failures that a call may have, beside that of the service itself. */
const failuresOf = ({ operation }: Named, { declarations }: Known): ReadonlyArray<string> => {
  const ofCaller = operation.requires === null ? [] : ["MalformedInput"]
  const ofInput = operation.input.flatMap(({ _tag }) => refusals[_tag])
  return [...new Set([...declarations.failuresOf(operation), ...ofInput, ...ofCaller])].toSorted()
}

/** The API's code for a failure. */
const codeOf = (failure: string): string => {
  // The codes are by tag; nothing else of the failure counts.
  const problem = problemOf({ _tag: failure, message: "" } as Failure)
  return problem.code
}

const meaningOf: Readonly<Record<string, string>> = {
  AlreadyTaken: "another record has what must be its own",
  Forbidden: "the caller's scope or plan does not suffice",
  GuardRefused: "the record's state allows it, a condition of it does not",
  IllegalTransition: "the record's state does not allow it",
  InvalidCommand: "a field, `param`, is outside of what its command takes",
  InvalidInput: "a field, `param`, breaks a rule",
  KeyRetired: "the key that sealed what is needed is gone",
  LimitReached: "there are as many as there may be",
  MalformedInput: "an argument is of another form",
  NotFound: "the organisation has no such record",
  PassphraseLocked: "too many passphrases were wrong",
  RecordArchived: "the record is over",
  TakesNoPayment: "the record takes no payment now"
}

/** What a failure means, said once for all methods. */
const failureText = (failure: string): string => {
  const meaning = meaningOf[failure]
  if (meaning === undefined) throw new Error(`${failure} has no words in src/printing/FaceCalls.ts`)
  return `- {@link ${failure}}, \`${codeOf(failure)}\`: ${meaning}.`
}

const asked = ({ operation: { requires } }: Named): string => {
  if (requires === null) return "For whoever keeps the installation: it has no caller."
  return requires.who === "caller"
    ? `Scope ${requires.scope}, plan ${requires.plan}.`
    : "For whoever keeps the organisation: no API key may."
}

const said = ({ operation }: Named, { endpoints }: Known): string => {
  const endpoint = endpoints.get(operation)
  return endpoint === undefined ? `${operation.summary}.` : saidBy(endpoint)
}

const isListed = ({ name, operation }: Named): boolean =>
  name.startsWith("list") && operation.input.at(-1)?._tag === "Query"

const wordsOf = (named: Named, known: Known): string =>
  methodComment(said(named, known), `${asked(named)} Source: ${known.declarations.sourceOf(named.operation)}.`)

const methodText = (named: Named, known: Known): string => {
  const { name, operation } = named
  const own = withDistinctNames(operation.input.map((part) => argumentOf(part, operation)))
  const caller = operation.requires === null ? [] : ["caller: Caller"]
  const options = operation.input.at(-1)?._tag === "Query" ? ["options?: ListOptions | undefined"] : []
  const takes = [...caller, ...own, ...options].join(", ")
  const failures = ["AlmonerUnavailable", ...failuresOf(named, known)].join(" | ")
  const gives = answerText(operation.output)
  const open = operation.input.flatMap((part) =>
    part._tag === "Body" ? [openFieldOf(wholeSchemaOf(part.schema))] : []
  )
  const parameters = open.flatMap((each) => (each === undefined ? [] : [`<${each.parameter} extends string>`])).join("")
  const method = `${wordsOf(named, known)}  readonly ${name}: ${parameters}(${takes}) => Attempt<${gives}, ${failures}>\n`
  if (!isListed(named)) return method
  const words = `Every record of {@link ${name}}.`
  const all = `readonly ${name.replace("list", "all")}: (${takes}) => AsyncGenerator<${recordOf(operation.output)}, void, void>`
  return `${method}  ${documentedLine(words, all)}`
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const typeOfGroup = (group: string): string => `${capitalised(group)}Api`

const rejections = [
  "AlreadyTaken",
  "Forbidden",
  "InvalidInput",
  "KeyRetired",
  "LimitReached",
  "MalformedInput",
  "NotFound",
  "RecordArchived",
  "TakesNoPayment"
]

/** What is said once for all methods: of their callers, and of each failure that one of them has. */
const headWords = (methods: string): string => {
  const named = new Set(methods.match(/\w+/g))
  return [
    "The operations by group: every method takes its caller first, but for those of the installation.",
    "",
    "What a call may fail with stands in its type. An iteration over a list reads each page when it is reached, and throws what the list fails with. The failures, with their codes:",
    "- {@link AlmonerUnavailable}: the store cannot be reached, or the call was aborted.",
    ...Object.keys(meaningOf)
      .filter((failure) => named.has(failure))
      .map(failureText)
  ].join("\n")
}

/** src/facade/generated/Calls.ts: the methods of the face. */
export const faceCallsText = (document: OpenApiDocument, declarations: Declarations): string => {
  const endpoints = endpointsOf(document)
  const known: Known = {
    declarations,
    endpoints: new Map(endpoints.flatMap((each) => (each.over === undefined ? [] : [[each.over, each]])))
  }
  const groups = new Map<string, ReadonlyArray<string>>()
  for (const [group, name, operation] of eachOperation()) {
    groups.set(group, [...(groups.get(group) ?? []), methodText({ group, name, operation }, known)])
  }
  const body = [...groups]
    .map(
      ([group, methods]) =>
        `/** The operations of \`almoner.${group}\`. */\nexport interface ${typeOfGroup(group)} {\n${methods.join("")}}\n`
    )
    .join("\n")
  const all = [...groups.keys()].map((group) => `  readonly ${group}: ${typeOfGroup(group)}\n`).join("")
  return [
    generatedHeader,
    importText(["Attempt"], "../../client/Attempt.ts", body),
    importText([...exportedBy(clientRecordsText(document)), ...idTypes], "../../client/generated/Records.ts", body),
    importText(typesOfClient, "../../client/Types.ts", body),
    importText(["Caller"], "../../domain/access/Caller.ts", body),
    importText(["GuardRefused", "IllegalTransition", "InvalidCommand"], "../../domain/kernel/Machine.ts", body),
    importText(rejections, "../../domain/kernel/Rejection.ts", body),
    importText(["PassphraseLocked"], "../../domain/sharing/Passphrase.ts", body),
    importText(["AlmonerUnavailable"], "../AlmonerUnavailable.ts", body),
    importText(["ListOptions"], "../Perform.ts", body),
    importText(exportedBy(faceRecordsText(document)), "./Records.ts", body),
    "\n",
    body,
    `\n${comment(headWords(body))}export interface Calls {\n${all}}\n`
  ].join("")
}
