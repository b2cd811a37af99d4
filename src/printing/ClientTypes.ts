import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../adapters/http/Api.ts"
import { Lists, Over } from "../adapters/http/endpoints/Annotations.ts"
import { codes } from "../adapters/http/pipeline/ErrorEnvelope.ts"
import * as Spec from "../adapters/http/reference/Spec.ts"
import type { AnyOperation } from "../app/access/operation/Operation.ts"
import type { ListSpec } from "../domain/kernel/Listing.ts"
import { catalogue, eventTypes } from "../domain/outbox/Event.ts"
import type { Declarations } from "./Declarations.ts"
import { bodyOf, comment, documentedLine, idTypeOf, idTypes, methodComment, prefixOf, typeText } from "./TypeText.ts"
import { declarationsOf, itemOf, queryText, type Vocabulary, vocabularyOf } from "./Vocabulary.ts"

/** The first line of a generated file. */
export const generatedHeader = "// Printed by each build from the declarations; git does not keep it.\n"

/** An endpoint of the API, with its line in the document. */
export interface Endpoint {
  readonly group: string
  readonly name: string
  /** The operation that it is over; undefined where it is of HTTP alone. */
  readonly over: AnyOperation | undefined
  readonly verb: (typeof Spec.verbs)[number]
  readonly path: string
  readonly list: ListSpec | undefined
  /** Whether the whole body may be left out. */
  readonly optional: boolean
  readonly operation: Spec.OperationSpec
}

export const endpointsOf = (document: Spec.OpenApiDocument): ReadonlyArray<Endpoint> => {
  const all: Array<Endpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
      const verb = Spec.verbs.find((each) => each === endpoint.method.toLowerCase())
      const operation = verb === undefined ? undefined : document.paths[path]?.[verb]
      if (verb === undefined || operation === undefined) throw new Error(`${endpoint.method} ${path} is not declared`)
      const list = Context.getOrUndefined(mergedAnnotations, Lists)
      const over = Context.getOrUndefined(mergedAnnotations, Over)
      const optional = over?.input.some((part) => part._tag === "Body" && part.optional) ?? false
      all.push({ group: group.identifier, name: endpoint.identifier, over, verb, path, list, optional, operation })
    }
  })
  return all
}

const json = "application/json"

/** The schema of an operation's answer; all its successes have one. */
const answerOf = ({ operation }: Endpoint, document: Spec.OpenApiDocument) => {
  const [success] = Object.entries(operation.responses).filter(([status]) => Number(status) < 400)
  return success === undefined
    ? undefined
    : Spec.follow(success[1], document.components.responses).content?.[json]?.schema
}

const listedBy = (endpoint: Endpoint, document: Spec.OpenApiDocument): string => {
  const page = document.components.schemas[Spec.componentOf(answerOf(endpoint, document) ?? {}) ?? ""]
  const data = { ...Object({ ...Object(page?.["properties"]) }["data"]) }
  return Spec.componentOf({ ...Object(data["items"]) }) ?? "unknown"
}

const answerText = (endpoint: Endpoint, document: Spec.OpenApiDocument): string => {
  const schema = answerOf(endpoint, document)
  if (schema === undefined) return "void"
  const item = itemOf(document.components.schemas[Spec.componentOf(schema) ?? ""])
  return item === undefined ? typeText(schema, "given") : `Page<${item}>`
}

const isWrite = ({ verb }: Endpoint): boolean => verb === "post" || verb === "patch"

const argumentsOf = (endpoint: Endpoint, document: Spec.OpenApiDocument): ReadonlyArray<string> => {
  const { list, operation } = endpoint
  const ids = operation.parameters
    .map((each) => Spec.follow(each, document.components.parameters))
    .filter((each) => each.in === "path")
    .map(({ name, schema }) => `${name}: ${idTypeOf(schema) ?? "string"}`)
  const schema = operation.requestBody?.content[json]?.schema
  const body = schema === undefined ? "" : typeText(schema, "taken")
  return [
    ...ids,
    ...(body === "" ? [] : [endpoint.optional ? `body?: ${body} | undefined` : `body: ${body}`]),
    ...(list === undefined ? [] : [`query?: ${listedBy(endpoint, document)}Query | undefined`])
  ]
}

/** The words of an endpoint: its title, and what it says more. */
export const saidBy = ({ operation }: Endpoint): string =>
  `${operation.summary}.${operation.description === "" ? "" : ` ${operation.description}`}`

const wordsOf = (endpoint: Endpoint, { sourceOf }: Declarations): string => {
  const { operation, over, path, verb } = endpoint
  const scope = operation["x-scope"]
  const asked = scope === undefined ? "" : `, scope ${scope}, plan ${operation["x-plan"]}`
  const address = `${verb.toUpperCase()} ${path}`
  const source = over === undefined ? `service-spec, ${address}` : sourceOf(over)
  return methodComment(saidBy(endpoint), `\`${address}\`${asked}. Source: ${source}.`)
}

const methodText = (endpoint: Endpoint, document: Spec.OpenApiDocument, declarations: Declarations): string => {
  const args = argumentsOf(endpoint, document)
  const options = isWrite(endpoint) ? "WriteOptions" : "CallOptions"
  const takes = (last: string) => [...args, `options?: ${last} | undefined`].join(", ")
  const answer = answerText(endpoint, document)
  const method = `${wordsOf(endpoint, declarations)}  readonly ${endpoint.name}: (${takes(options)}) => Attempt<${answer}, Failure, Beside>\n`
  if (endpoint.list === undefined) return method
  const listed = listedBy(endpoint, document)
  const all = endpoint.name.replace("list", "all")
  return `${method}  ${documentedLine(`Every record of {@link ${endpoint.name}}.`, `readonly ${all}: (${takes("CallOptions")}) => AsyncGenerator<${listed}, void, void>`)}`
}

const camelCase = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const typeOfGroup = (group: string): string => `${capitalised(camelCase(group))}Calls`

/** The import of those names that a text has outside of its comments. */
export const importText = (names: ReadonlyArray<string>, from: string, text: string): string => {
  const [code = "", ...others] = text.split("/**")
  const words = new Set([code, ...others.map((part) => part.slice(part.indexOf("*/")))].join().split(/\W/))
  const used = [...new Set(names)].filter((name) => words.has(name))
  return used.length === 0 ? "" : `import type { ${used.toSorted().join(", ")} } from ${JSON.stringify(from)}\n`
}

/** The queries of all lists of the API, each once. */
const queriesOf = (vocabulary: Vocabulary, endpoints: ReadonlyArray<Endpoint>, document: Spec.OpenApiDocument) =>
  new Set(
    endpoints.flatMap((endpoint) =>
      endpoint.list === undefined ? [] : [queryText(vocabulary, listedBy(endpoint, document), endpoint.list)]
    )
  )

const eventText = (): string =>
  [
    "/** A type of events that a host declares beside the catalogue. */",
    `export type HostEventType = \`x.\${string}\``,
    "",
    "/** The data of each type of events. */",
    "export interface EventDataByType {",
    ...eventTypes.map((type) => {
      const name = String(catalogue[type].data.ast.annotations?.["identifier"])
      return `  /** Emitted when ${catalogue[type].when}. */ readonly ${JSON.stringify(type)}: ${name}`
    }),
    "}",
    "",
    "/** An event as the API shows it; `type` tells which data it has. Later versions may have other types, too. */",
    "export type Event = {",
    "  readonly [T in EventType]: {",
    "    readonly id: EventId",
    "    readonly type: T",
    "    readonly occurred_at: string",
    "    readonly organisation_id: OrganisationId",
    "    readonly data: EventDataByType[T]",
    "    readonly created_at: string",
    "  }",
    "}[EventType]",
    ""
  ].join("\n")

/** src/client/generated/Records.ts: everything that the API takes and gives, as plain types. */
export const clientRecordsText = (document: Spec.OpenApiDocument): string => {
  const vocabulary = vocabularyOf(document)
  const endpoints = endpointsOf(document)
  const ids = idTypes
    .filter((name) => name !== "RequestId")
    .map((name) =>
      documentedLine(
        `An id that begins with \`${prefixOf(name)}_\`.`,
        `export type ${name} = Id<${JSON.stringify(name)}>`
      )
    )
    .join("")
  const errors = `/** The codes that an error answer can carry. service-spec, Errors. */\nexport type ErrorCode = ${codes.map((code) => JSON.stringify(code)).join(" | ")}\n`
  const body = [
    ids,
    errors,
    eventText(),
    bodyOf([...declarationsOf(vocabulary, true), ...[...queriesOf(vocabulary, endpoints, document)].toSorted()])
  ].join("\n")
  return `${generatedHeader}${importText(["Comparison", "Equality", "Filter", "Id", "PageQuery"], "../Types.ts", body)}\n${body}`
}

/** The names that a generated file of records exports. */
export const exportedBy = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^(?:\/\*\* .* \*\/ )?export (?:type|interface) (?<name>\w+)/gmu)].map(
    ({ groups }) => groups?.["name"] ?? ""
  )

/** What is said once for all methods. */
const headWords = `The operations of the API by group.

A call fails with a {@link Failure}: an \`AlmonerError\`, whose \`code\` is among those that the document lists for the operation, or a \`ConnectionError\`. An iteration over a list fetches each page when it is reached, and throws what the list fails with.`

/** src/client/generated/Calls.ts: the client's methods. */
export const clientCallsText = (document: Spec.OpenApiDocument, declarations: Declarations): string => {
  const endpoints = endpointsOf(document)
  const groups = [...new Set(endpoints.map(({ group }) => group))]
  const text = groups
    .map((group) => {
      const own = endpoints
        .filter((each) => each.group === group)
        .map((each) => methodText(each, document, declarations))
      return `/** The calls of \`client.${camelCase(group)}\`. */\nexport interface ${typeOfGroup(group)} {\n${own.join("")}}\n`
    })
    .join("\n")
  const all = groups.map((group) => `  readonly ${camelCase(group)}: ${typeOfGroup(group)}\n`).join("")
  const records = exportedBy(clientRecordsText(document))
  return [
    generatedHeader,
    importText(["Beside"], "../Answer.ts", text),
    importText(["Attempt"], "../Attempt.ts", text),
    importText(["Failure"], "../Failure.ts", text),
    importText(["CallOptions", "WriteOptions"], "../Settings.ts", text),
    importText(["Page"], "../Types.ts", text),
    importText(records, "./Records.ts", text),
    "\n",
    text,
    `\n${comment(headWords)}export interface Calls {\n${all}}\n`
  ].join("")
}
