import { sampleOf } from "./Samples.ts"
import { follow, type OpenApiDocument, type OperationSpec, type Parameter, verbs } from "./Spec.ts"

const json = "application/json"

interface Pair {
  readonly key: string
  readonly value: string
  readonly description?: string
  readonly disabled?: boolean
}

interface Placed {
  readonly document: OpenApiDocument
  readonly path: string
  readonly verb: string
  readonly operation: OperationSpec
}

const parametersOf = ({ document, operation }: Placed, place: Parameter["in"]): ReadonlyArray<Parameter> =>
  operation.parameters
    .map((parameter) => follow(parameter, document.components.parameters))
    .filter((parameter) => parameter.in === place)

/** The parameters of a query, without filters' operators: with them the list of a request would be too long to read. */
const queryOf = (placed: Placed): ReadonlyArray<Pair> =>
  parametersOf(placed, "query")
    .filter(({ name }) => !name.includes("["))
    .map(({ description, name }) => ({ key: name, value: "", description, disabled: true }))

const variablesOf = (placed: Placed): ReadonlyArray<Pair> =>
  parametersOf(placed, "path").map(({ description, name, schema }) => ({
    key: name,
    value: String(sampleOf(schema, placed.document.components.schemas, name)),
    description
  }))

/**
 * The headers of a request. `{{$guid}}` becomes a new key for every request in the program that opens the collection.
 */
const headersOf = (placed: Placed): ReadonlyArray<Pair> => [
  ...(placed.operation.requestBody === undefined ? [] : [{ key: "Content-Type", value: json }]),
  ...parametersOf(placed, "header")
    .filter(({ name }) => name === "Idempotency-Key")
    .map(({ description, name }) => ({ key: name, value: "{{$guid}}", description }))
]

const printed = (value: unknown): string => JSON.stringify(value, null, 2)

const bodyOf = ({ operation }: Placed): object => {
  const example = operation.requestBody?.content[json]?.example
  return example === undefined
    ? {}
    : { body: { mode: "raw", raw: printed(example), options: { raw: { language: "json" } } } }
}

const requestOf = (placed: Placed): object => {
  const segments = placed.path.slice(1).replaceAll(/\{(\w+)\}/g, ":$1")
  return {
    method: placed.verb.toUpperCase(),
    ...(placed.operation.security === undefined ? {} : { auth: { type: "noauth" } }),
    header: headersOf(placed),
    url: {
      raw: `{{baseUrl}}/${segments}`,
      host: ["{{baseUrl}}"],
      path: segments.split("/"),
      query: queryOf(placed),
      variable: variablesOf(placed)
    },
    ...bodyOf(placed),
    description: placed.operation.description
  }
}

const reasons: Readonly<Record<string, string>> = { "200": "OK", "201": "Created" }

const responsesOf = (placed: Placed, request: object): ReadonlyArray<object> =>
  Object.entries(placed.operation.responses).flatMap(([code, given]) => {
    const example = follow(given, placed.document.components.responses).content?.[json]?.example
    const status = reasons[code]
    return status === undefined || example === undefined
      ? []
      : [
          {
            name: status,
            originalRequest: request,
            status,
            code: Number(code),
            header: [{ key: "Content-Type", value: json }],
            body: printed(example)
          }
        ]
  })

const itemOf = (placed: Placed): object => {
  const request = requestOf(placed)
  return { name: placed.operation.summary, request, response: responsesOf(placed, request) }
}

const itemsOf = (document: OpenApiDocument, tag: string): ReadonlyArray<object> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    verbs.flatMap((verb) => {
      const operation = item[verb]
      return operation?.tags.includes(tag) === true ? [itemOf({ document, path, verb, operation })] : []
    })
  )

/**
 * The API as a Postman collection, format 2.1.0, which Bruno, Insomnia and others import, too: a folder for each tag, a
 * request with its example for each operation. `baseUrl` and `apiKey` are its variables.
 */
export const collectionOf = (document: OpenApiDocument): object => ({
  info: {
    name: document.info.title,
    description: document.info.description,
    schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
  },
  auth: { type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] },
  variable: [
    { key: "baseUrl", value: document.servers[0]?.url ?? "" },
    { key: "apiKey", value: "" }
  ],
  item: document.tags.map(({ description, name }) => ({ name, description, item: itemsOf(document, name) }))
})

/** The text of the collection's file. */
export const collectionText = (document: OpenApiDocument): string => `${printed(collectionOf(document))}\n`
