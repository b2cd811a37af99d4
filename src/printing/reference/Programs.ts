import { HttpApi } from "effect/http-api"
import { Api } from "../../adapters/http/Api.ts"
import { sampleOf } from "../../adapters/http/reference/Samples.ts"
import * as Spec from "../../adapters/http/reference/Spec.ts"

export interface OperationAddress {
  readonly path: string
  readonly verb: string
  readonly operation: Spec.OperationSpec
}

const json = "application/json"

/** Example ids for the places of the path, in their order, each of the right kind. */
const idsOf = (
  document: Spec.OpenApiDocument,
  { operation }: OperationAddress
): ReadonlyArray<readonly [name: string, id: string]> =>
  operation.parameters
    .map((parameter) => Spec.follow(parameter, document.components.parameters))
    .filter((parameter) => parameter.in === "path")
    .map(({ name, schema }) => [name, String(sampleOf(schema, document.components.schemas, name))])

const addressOf = (document: Spec.OpenApiDocument, placed: OperationAddress): string => {
  const path = idsOf(document, placed).reduce((filled, [name, id]) => filled.replace(`{${name}}`, id), placed.path)
  return `${document.servers[0]?.url ?? ""}${path}`
}

const bodyOf = ({ operation }: OperationAddress): unknown => operation.requestBody?.content[json]?.example

const needsKey = ({ operation }: OperationAddress): boolean => operation["x-scope"] !== undefined

const isKeyed = ({ verb }: OperationAddress): boolean => verb === "POST" || verb === "PATCH"

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A curl command that sends the operation's example. */
export const curlOf = (document: Spec.OpenApiDocument, placed: OperationAddress): string => {
  const body = bodyOf(placed)
  return [
    `curl ${placed.verb === "GET" ? "" : `-X ${placed.verb} `}${addressOf(document, placed)}`,
    ...(needsKey(placed) ? ['  -H "Authorization: Bearer $ALMONER_KEY"'] : []),
    ...(isKeyed(placed) ? ['  -H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined ? [] : ['  -H "Content-Type: application/json"', `  -d ${quoted(JSON.stringify(body))}`])
  ].join(" \\\n")
}

/** A language's spelling of JSON values. */
interface Spelling {
  readonly key: (name: string) => string
  readonly nothing: string
  readonly truth: (value: boolean) => string
  /** The indent of one level. */
  readonly step: string
  /** The text after the last of several lines. */
  readonly after: string
}

const typescript: Spelling = {
  key: (name) => (/^\w+$/.test(name) ? name : JSON.stringify(name)),
  nothing: "null",
  truth: String,
  step: "  ",
  after: ""
}

const python: Spelling = {
  key: (name) => JSON.stringify(name),
  nothing: "None",
  truth: (value) => (value ? "True" : "False"),
  step: "    ",
  after: ","
}

const literal = (value: unknown, spelling: Spelling, indent: string): string => {
  const lines = (open: string, items: ReadonlyArray<string>, close: string): string =>
    items.length === 0
      ? `${open}${close}`
      : `${open}\n${items.map((item) => indent + spelling.step + item).join(",\n")}${spelling.after}\n${indent}${close}`
  const inner = (each: unknown): string => literal(each, spelling, indent + spelling.step)
  if (value === null) return spelling.nothing
  if (typeof value === "boolean") return spelling.truth(value)
  if (Array.isArray(value)) return lines("[", value.map(inner), "]")
  if (typeof value !== "object") return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, each]) => `${spelling.key(name)}: ${inner(each)}`)
  return lines("{", fields, "}")
}

/** A JSON value as TypeScript writes it. */
export const typescriptValue = (value: unknown): string => literal(value, typescript, "")

/** The client's name of every operation, by method and path: `donors.create`. */
const clientNames: ReadonlyMap<string, string> = (() => {
  const names = new Map<string, string>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const client = group.identifier.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
      names.set(`${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`, `${client}.${endpoint.identifier}`)
    }
  })
  return names
})()

const isPaging = (document: Spec.OpenApiDocument, parameter: Spec.Parameter | Spec.Pointer): boolean =>
  Spec.follow(parameter, document.components.parameters).name === "starting_after"

/** A program with this project's client; it reads a list of the organisation's to its end. */
export const typescriptOf = (document: Spec.OpenApiDocument, placed: OperationAddress): string => {
  const name = clientNames.get(`${placed.verb} ${placed.path}`) ?? ""
  const body = bodyOf(placed) ?? (placed.operation.requestBody === undefined ? undefined : {})
  const ids = idsOf(document, placed).map(([, id]) => JSON.stringify(id))
  const input = [...ids, ...(body === undefined ? [] : [typescriptValue(body)])].join(", ")
  const isList = ids.length === 0 && placed.operation.parameters.some((each) => isPaging(document, each))
  return [
    'import { createClient } from "almoner/client"',
    "",
    "const client = createClient({",
    `  baseUrl: ${JSON.stringify(document.servers[0]?.url ?? "")},`,
    '  apiKey: process.env.ALMONER_KEY ?? ""',
    "})",
    ...(isList
      ? [`for await (const each of client.${name.replace(".list", ".all")}(${input})) console.log(each)`]
      : [`const answer = await client.${name}(${input})`, "console.log(answer)"])
  ].join("\n")
}

/** A program with the library that most Python programs use for HTTP. */
export const pythonOf = (document: Spec.OpenApiDocument, placed: OperationAddress): string => {
  const body = bodyOf(placed)
  const headers = [
    ...(needsKey(placed) ? [`        "Authorization": f"Bearer {os.environ['ALMONER_KEY']}",`] : []),
    ...(isKeyed(placed) ? ['        "Idempotency-Key": str(uuid.uuid4()),'] : [])
  ]
  return [
    ...(needsKey(placed) ? ["import os"] : []),
    ...(isKeyed(placed) ? ["import uuid"] : []),
    "import requests",
    "",
    `answer = requests.${placed.verb.toLowerCase()}(`,
    `    ${JSON.stringify(addressOf(document, placed))},`,
    ...(headers.length === 0 ? [] : ["    headers={", ...headers, "    },"]),
    ...(body === undefined ? [] : [`    json=${literal(body, python, "    ")},`]),
    "    timeout=30,",
    ")",
    "answer.raise_for_status()",
    "print(answer.json())"
  ].join("\n")
}
