import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { isPrintedAnnotation } from "../../../domain/outbox/EventEnvelope.ts"
import { Api } from "../Api.ts"
import { Lists, Over, Performs, Shows, TakesKey } from "../endpoints/Annotations.ts"
import { healthExample } from "../endpoints/access/meta.ts"
import { type Example, exampleOf } from "../endpoints/Example.ts"
import { type Code, codes, statusOf } from "../pipeline/ErrorEnvelope.ts"
import type { EdgeSettings } from "../pipeline/Settings.ts"
import { enumsOf } from "./Enums.ts"
import { exampleError } from "./ErrorGuide.ts"
import { commonHeaders, errorHeaders, headers, replayableHeaders } from "./Headers.ts"
import { isMeanings } from "./Meanings.ts"
import { deliveryParameters, listParameters, parameters } from "./Parameters.ts"
import { schemasOf } from "./Schemas.ts"
import {
  type Answer,
  type MediaType,
  type OpenApiDocument,
  type OperationSpec,
  type Parameter,
  type PathItem,
  type Pointer,
  pointer,
  type RequestBody,
  type Tag
} from "./Spec.ts"
import { webhooksOf } from "./Webhooks.ts"

/** The settings that the document shows. */
export type ReferenceSettings = Pick<EdgeSettings, "apiBaseUrl" | "version">

const description =
  "Donors, gifts and revenue codes of a fundraising organisation over REST, and signed webhooks for every change. An API key decides the organisation; sandbox and live organisations are apart."

/** The groups that the contract has under another's tag. service-spec, What the service does: Resource groups. */
const tags: Readonly<Record<string, string>> = {
  disclosures: "donors",
  "revenue-codes": "donations",
  subscriptions: "donations",
  sandbox: "organisations",
  segments: "intelligence",
  "webhook-endpoints": "webhooks",
  "webhook-deliveries": "webhooks",
  events: "webhooks"
}

const tagOf = (group: string): string => tags[group] ?? group

/** The tags, in the order of the groups; the first group of each describes it. */
const tagsOf = (groups: typeof Api.groups): ReadonlyArray<Tag> => {
  const all = new Map<string, Tag>()
  for (const { annotations, identifier } of Object.values(groups)) {
    const name = tagOf(identifier)
    const description = Context.getOrUndefined(annotations, OpenApi.Description)
    if (description !== undefined && !all.has(name)) all.set(name, { name, description })
  }
  return [...all.values()]
}

interface Declared {
  readonly path: string
  readonly method: string
  readonly group: string
  readonly annotations: Context.Context<never>
}

const declared = (): ReadonlyArray<Declared> => {
  const all: Array<Declared> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
      all.push({ path, method: endpoint.method, group: group.identifier, annotations: mergedAnnotations })
    }
  })
  return all
}

type Base = OpenApi.OpenAPISpec
type BaseOperation = OpenApi.OpenAPISpecOperation

const isKeyed = ({ annotations }: Declared): boolean => Context.get(annotations, TakesKey)

const parametersOf = (each: Declared, base: BaseOperation, document: Base): ReadonlyArray<Parameter | Pointer> => {
  const path = base.parameters
    .filter((parameter) => parameter.in === "path")
    .map(
      ({ name, schema }): Parameter => ({
        name,
        in: "path",
        required: true,
        description: "The record's id.",
        schema: { ...schema }
      })
    )
  const list = Context.getOrUndefined(each.annotations, Lists)
  return [
    ...path,
    ...(list === undefined ? [] : listParameters(list, enumsOf(document.components.schemas))),
    ...(isKeyed(each) ? [pointer("parameters", "IdempotencyKey")] : []),
    pointer("parameters", "RequestId")
  ]
}

const withExample = (media: MediaType, example: unknown): MediaType =>
  example === undefined ? media : { ...media, example }

const json = "application/json"

/** A body is optional where no field is required, except in a PATCH, which changes what its body names. */
const bodyOf = (
  { method }: Declared,
  base: BaseOperation,
  document: Base,
  example: unknown
): RequestBody | undefined => {
  const media = base.requestBody?.content[json]
  if (media === undefined) return undefined
  const name = String(media.schema["$ref"]).split("/").at(-1) ?? ""
  return {
    required: method === "PATCH" || document.components.schemas[name]?.["required"] !== undefined,
    content: { [json]: withExample({ schema: media.schema }, example) }
  }
}

/**
 * Whether an operation can answer 403. A key of any scope may read what every plan includes: nothing forbids that
 * (decisions, section 3). The contract has 403 for whoami all the same (service-spec, GET /whoami).
 */
const isForbiddable = ({ annotations }: Declared): boolean => {
  const asked = Context.getOrUndefined(annotations, Performs)
  if (asked === undefined) return false
  const { name, plan, scope } = asked
  return name === "meta.whoami" || scope === "WRITE" || plan !== "FREE"
}

const errorStatuses = (each: Declared, base: BaseOperation): ReadonlyArray<string> =>
  [...Object.keys(base.responses).filter((status) => Number(status) >= 400), "405"]
    .filter((status) => status !== `${statusOf.forbidden}` || isForbiddable(each))
    .sort()

/** Every code that the operation can answer. */
const errorCodes = (each: Declared, base: BaseOperation): ReadonlyArray<Code> => {
  const statuses = errorStatuses(each, base)
  return codes.filter(
    (code) => statuses.includes(`${statusOf[code]}`) && (code !== "idempotency_conflict" || isKeyed(each))
  )
}

const responsesOf = (
  each: Declared,
  base: BaseOperation,
  example: unknown
): Readonly<Record<string, Answer | Pointer>> => {
  const successOf = (status: string): Answer => {
    const media = base.responses[Number(status)]?.content?.[json]
    return {
      description: status === "201" ? "Made." : "Done.",
      headers: isKeyed(each) ? replayableHeaders : commonHeaders,
      ...(media === undefined ? {} : { content: { [json]: withExample({ schema: media.schema }, example) } })
    }
  }
  const successes = Object.keys(base.responses).filter((status) => Number(status) < 400)
  return {
    ...Object.fromEntries(successes.map((status) => [status, successOf(status)])),
    ...Object.fromEntries(errorStatuses(each, base).map((status) => [status, pointer("responses", `Error${status}`)]))
  }
}

/** The example of an endpoint. Its declaration leaves out what is null; only the document needs that. */
export const shownBy = ({ annotations }: Pick<Declared, "annotations">): Example | undefined => {
  const shown = Context.getOrUndefined(annotations, Shows)
  const operation = Context.getOrUndefined(annotations, Over)
  return shown === undefined || operation === undefined ? shown : exampleOf(operation.output, shown)
}

const operationOf = (each: Declared, base: BaseOperation, document: Base, version: string): OperationSpec => {
  const asked = Context.getOrUndefined(each.annotations, Performs)
  const { answer, request } = shownBy(each) ?? healthExample(version)
  const body = bodyOf(each, base, document, request)
  return {
    operationId: base.operationId,
    tags: [tagOf(each.group)],
    summary: base.summary ?? base.operationId,
    description: base.description ?? "",
    ...(asked === undefined ? { security: [] } : { "x-scope": asked.scope, "x-plan": asked.plan }),
    "x-error-codes": errorCodes(each, base),
    parameters: parametersOf(each, base, document),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(each, base, answer)
  }
}

const pathsOf = (document: Base, version: string): Readonly<Record<string, PathItem>> => {
  const paths: Record<string, PathItem> = {}
  for (const each of declared()) {
    const verb = each.method.toLowerCase() as keyof PathItem
    const base = document.paths[each.path]?.[verb]
    if (base === undefined) throw new Error(`${each.method} ${each.path} is not in the document`)
    paths[each.path] = { ...paths[each.path], [verb]: operationOf(each, base, document, version) }
  }
  return paths
}

const errorsOf = (apiBaseUrl: string): Readonly<Record<string, Answer>> =>
  Object.fromEntries(
    [...new Set(Object.values(statusOf))].map((status) => {
      const own = codes.filter((code) => statusOf[code] === status)
      const [first = "internal_error"] = own
      const answer: Answer = {
        description: own.map((code) => `\`${code}\``).join(" or "),
        headers: errorHeaders(status),
        content: {
          [json]: { schema: { ...pointer("schemas", `Error${status}`) }, example: exampleError(first, apiBaseUrl) }
        }
      }
      return [`Error${status}`, answer]
    })
  )

/** One options object, so that effect's cache of the document holds. */
const options: OpenApi.FromApiOptions = { includeAnnotationKey: (key) => isPrintedAnnotation(key) || isMeanings(key) }

/** The API as an OpenAPI 3.1 document: the declaration of {@link Api}, and everything that the pipeline adds to it. */
export const openApi = ({ apiBaseUrl, version }: ReferenceSettings): OpenApiDocument => {
  const base = OpenApi.fromApi(Api, options)
  const schemas = schemasOf(base.components.schemas)
  return {
    openapi: "3.1.0",
    info: {
      title: base.info.title,
      version,
      description,
      contact: { name: "The operator of this service", url: `${apiBaseUrl}/docs` },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" }
    },
    servers: [{ url: apiBaseUrl, description: "This service" }],
    security: [{ bearer: [] }],
    tags: tagsOf(Api.groups),
    paths: pathsOf(base, version),
    webhooks: webhooksOf(schemas),
    components: {
      schemas,
      parameters: { ...parameters, ...deliveryParameters },
      headers,
      responses: errorsOf(apiBaseUrl),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key, `alm_live_…` or `alm_test_…`. It belongs to one organisation and has a scope, READ or WRITE."
        }
      }
    }
  }
}
