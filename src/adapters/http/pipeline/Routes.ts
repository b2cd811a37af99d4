import { Context, Option, Predicate, Result, Schema } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import {
  type AnyOperation,
  type DecodedArguments,
  type Parts,
  partsAmong
} from "../../../app/access/operation/Operation.ts"
import { uncheckedService } from "../../../app/access/operation/ServiceChecks.ts"
import type { FieldNames } from "../../../app/kernel/decoding/Decoder.ts"
import { decoder } from "../../../app/kernel/decoding/Decoder.ts"
import type { Requirement } from "../../../domain/access/Policy.ts"
import * as Listing from "../../../domain/kernel/Listing.ts"
import { InvalidInput, MalformedInput } from "../../../domain/kernel/Rejection.ts"
import { type DeclaredEventTypes, HostEvents } from "../../../ports/outbox/HostEvents.ts"
import { AnswersSecret, Lists, Over, Performs, TakesKey, Writes } from "../endpoints/Annotations.ts"
import { AnswerWith, type AnyHandler, type DecodedRequest } from "./Handler.ts"
import { answerText } from "./Json.ts"

type Rejected = InvalidInput | MalformedInput

/** One operation, with everything prepared that does not depend on a request. */
export interface Route {
  readonly method: string
  /** Null for health, which asks nothing of its caller. */
  readonly requires: Requirement | null
  readonly handler: AnyHandler
  /** Whether an Idempotency-Key is honoured. */
  readonly keyed: boolean
  readonly takesBody: boolean
  readonly secret: boolean
  /** The decoded ids of the path; none for an id that cannot exist, which is answered as not found. */
  readonly params: (raw: Readonly<Record<string, string | undefined>>) => Option.Option<unknown>
  readonly isList: boolean
  readonly list: (query: string) => Result.Result<Listing.ListQuery, Rejected>
  readonly payload: (json: Option.Option<unknown>) => Result.Result<unknown, Rejected>
  readonly answer: (value: unknown) => { readonly status: number; readonly body: string }
}

export interface PathRoutes {
  /** The path as it is declared, with `:id` for an id. */
  readonly path: string
  readonly byMethod: ReadonlyMap<string, Route>
  /** The verbs, as the `Allow` header lists them. */
  readonly allow: ReadonlyArray<string>
}

export interface RouteMatch {
  readonly routes: PathRoutes
  readonly params: Readonly<Record<string, string | undefined>>
}

const emptyList: Listing.ListQuery = {
  limit: 0,
  starting_after: null,
  archived: false,
  conditions: [],
  words: [],
  segment: null,
  sort: { column: "created_at", descending: true },
  flags: {},
  sent: { search: null, segment: null, sort: null, filters: {} }
}

const noParameters = Result.succeed(emptyList)

/** The query of an operation that takes none: refuses every parameter. */
export const noQuery = (query: string): Result.Result<Listing.ListQuery, Rejected> => {
  if (query === "") return noParameters
  const [name] = new URLSearchParams(query).keys()
  return name === undefined
    ? noParameters
    : Result.fail(new MalformedInput({ message: `${name} is not a query parameter of this operation.` }))
}

const isSoundQuery = (query: string): boolean => {
  try {
    decodeURIComponent(query)
    return true
  } catch {
    return false
  }
}

/** Half of a surrogate pair, in the three bytes that it would have if UTF-8 allowed it, percent-encoded. */
const encodedSurrogate = /%ED%[AB][0-9A-F]%[89AB][0-9A-F]/gi

/** Refuses a query that is not UTF-8: a lone surrogate by its parameter, as in bodies, other bytes as malformed. */
const readUnsound = (spec: Listing.ListSpec, query: string): Result.Result<never, Rejected> => {
  // Replaced by a character, so that a value of surrogates alone does not read as empty.
  const rest = query.replaceAll(encodedSurrogate, "%EF%BF%BD")
  if (!isSoundQuery(rest)) {
    return Result.fail(new MalformedInput({ message: "The query is not percent-encoded UTF-8." }))
  }
  const parsed = Listing.parse(spec, new URLSearchParams(rest))
  if (Result.isFailure(parsed) && parsed.failure._tag === "MalformedInput") return Result.fail(parsed.failure)
  const [param = ""] = new URLSearchParams(query.split("&").find((pair) => !isSoundQuery(pair))).keys()
  return Result.fail(new InvalidInput({ param, message: `${param} must be text without unpaired surrogates.` }))
}

const listReader = (spec: Listing.ListSpec) => (query: string) =>
  isSoundQuery(query) ? Listing.parse(spec, new URLSearchParams(query)) : readUnsound(spec, query)

const paramsReader = (schema: Schema.Top | undefined) => {
  if (schema === undefined) return () => Option.some<unknown>({})
  const codec = schema as Schema.Codec<unknown, unknown>
  const decode = Schema.decodeUnknownOption(codec)
  return (raw: Readonly<Record<string, string | undefined>>) => decode(raw)
}

/** The decoder of an operation without a body. (An empty struct of the schema library would accept anything but null.) */
const noBody = (input: unknown): Result.Result<unknown, Rejected> => {
  if (!Predicate.isObject(input))
    return Result.fail(new MalformedInput({ message: "The body must be a JSON object, {}, or left out." }))
  const [name] = Object.keys(input)
  return name === undefined
    ? Result.succeed(undefined)
    : Result.fail(new MalformedInput({ message: `${name} is not a field of this operation.` }))
}

const payloadReader = (endpoint: HttpApiEndpoint.Top, readOnly: FieldNames, own: Schema.Top | undefined) => {
  const [declared] = [...endpoint.payload.values()].flatMap(({ schemas }): ReadonlyArray<Schema.Top> => schemas)
  const schema = own ?? declared
  const decode = schema === undefined ? noBody : decoder(schema as Schema.Codec<unknown, unknown>, readOnly)
  const withoutBody = decode({})
  return (json: Option.Option<unknown>): Result.Result<unknown, Rejected> =>
    Option.match(json, {
      onSome: decode,
      // Operations with only optional fields, or none, accept an empty body; except a PATCH, which changes what its
      // body names.
      onNone: () =>
        Result.isSuccess(withoutBody) && endpoint.method !== "PATCH"
          ? withoutBody
          : Result.fail(new MalformedInput({ message: "The body is empty; a JSON object is required." }))
    })
}

type Successes = ReadonlyMap<number, readonly [Schema.Top, ...Array<Schema.Top>]>

const answerer = (name: string, successes: Successes): Route["answer"] => {
  const encoders = new Map([...successes].map(([status, [schema]]) => [status, answerText(schema)]))
  const [first] = successes.keys()
  if (first === undefined) throw new Error(`${name} declares no answer`)
  return (given) => {
    const { status, value } = given instanceof AnswerWith ? given : new AnswerWith(first, given)
    const encode = encoders.get(status)
    if (encode === undefined) throw new Error(`${name} declares no answer with ${status}`)
    return { status, body: encode(value) }
  }
}

interface Reflected {
  readonly endpoint: HttpApiEndpoint.Top
  readonly mergedAnnotations: Context.Context<never>
  readonly successes: Successes
}

/** An endpoint's input where it differs from its declaration, because the host declares event types of its own. */
const takenAmong = (operation: AnyOperation | undefined, own: DeclaredEventTypes) => {
  const parts = operation === undefined ? [] : partsAmong(operation.input, own.keys())
  const changed = parts.filter((part) => operation?.input.includes(part) === false)
  const body = changed.find((part) => part._tag === "Body")
  return {
    listing: changed.find((part) => part._tag === "Query")?.listing,
    body: body === undefined ? undefined : Schema.toCodecJson(body.schema as Schema.Codec<unknown, unknown>)
  }
}

const routeOf = (
  { endpoint, mergedAnnotations, successes }: Reflected,
  handler: AnyHandler,
  own: DeclaredEventTypes
): Route => {
  const among = takenAmong(Context.getOrUndefined(mergedAnnotations, Over), own)
  const list = among.listing ?? Context.getOrUndefined(mergedAnnotations, Lists)
  const writes = endpoint.method !== "GET"
  return {
    method: endpoint.method,
    requires: Context.getOrUndefined(mergedAnnotations, Performs) ?? null,
    handler,
    keyed: Context.get(mergedAnnotations, TakesKey),
    takesBody: writes,
    secret: Context.get(mergedAnnotations, AnswersSecret),
    params: paramsReader(endpoint.params),
    isList: list !== undefined,
    list: list === undefined ? noQuery : listReader(list),
    payload: writes
      ? payloadReader(endpoint, Context.getOrUndefined(mergedAnnotations, Writes) ?? {}, among.body)
      : () => Result.succeed(undefined),
    answer: answerer(endpoint.identifier, successes)
  }
}

export type Own = Readonly<Record<string, Readonly<Record<string, Partial<AnyHandler>> | undefined>>>

/** Makes an operation's arguments from a request: the ids of the path in their order, the body, the query. */
const argumentsOf = ({ input }: AnyOperation, path: string) => {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)
  const readers = input.map((part) => {
    const name = part._tag === "Id" ? names.shift() : undefined
    if (name !== undefined) return ({ params }: DecodedRequest) => Reflect.get(Object(params), name)
    return part._tag === "Query" ? ({ list }: DecodedRequest) => list : ({ payload }: DecodedRequest) => payload
  })
  return (request: DecodedRequest): ReadonlyArray<unknown> => readers.map((read) => read(request))
}

/** The handler that is made from an operation. Its failures are in the one map of errors: `performs` accepts no others. */
const handlerOf = (operation: AnyOperation, path: string, useCases: Context.Context<never>): AnyHandler => {
  // The arguments are decoded by then.
  const use = uncheckedService(Context.getUnsafe(useCases, operation.service))
  const argumentsIn = argumentsOf(operation, path)
  const read = (request: DecodedRequest) => argumentsIn(request) as DecodedArguments<Parts>
  const { holdsKey = false, prepare, run } = operation
  const made = { run: (request: DecodedRequest) => run(use, ...read(request)) as ReturnType<AnyHandler["run"]> }
  if (prepare === undefined) return made
  type Prepare = NonNullable<AnyHandler["prepare"]>
  return { ...made, holdsKey, prepare: (request) => prepare(use, ...read(request)) as ReturnType<Prepare> }
}

const collect = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  useCases: Context.Context<never>,
  ownHandlers: Own
): ReadonlyMap<`/${string}`, Map<string, Route>> => {
  const paths = new Map<`/${string}`, Map<string, Route>>()
  const declared = Context.get(useCases, HostEvents)
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: (reflected) => {
      const { endpoint, group, mergedAnnotations } = reflected
      const operation = Context.getOrUndefined(mergedAnnotations, Over)
      const made = operation === undefined ? undefined : handlerOf(operation, endpoint.path, useCases)
      const { run, ...own } = { ...made, ...ownHandlers[group.identifier]?.[endpoint.identifier] }
      if (run === undefined) throw new Error(`${group.identifier}.${endpoint.identifier} has no handler`)
      const path = endpoint.path as `/${string}`
      const byMethod = paths.get(path) ?? new Map<string, Route>()
      paths.set(path, byMethod.set(endpoint.method, routeOf(reflected, { ...own, run }, declared)))
    }
  })
  return paths
}

/** Characters at which the router would end the path. In RFC 3986, section 3.3, `;` is part of its segment. */
const delimiters = /[;#?]/g

/** A path with its delimiters percent-encoded. Most paths have none, and every request passes here. */
const withoutDelimiters = (path: string): string =>
  path.search(delimiters) === -1 ? path : path.replaceAll(delimiters, encodeURIComponent)

/** The route table of an API: filled once, at start. */
export const makeRoutes = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  useCases: Context.Context<never>,
  ownHandlers: Own
): ((path: string) => RouteMatch | undefined) => {
  const router = FindMyWay.make<PathRoutes>({
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    caseSensitive: true
  })
  for (const [path, byMethod] of collect(api, useCases, ownHandlers)) {
    const methods = [...byMethod.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    router.on("GET", path, { path, byMethod, allow: methods })
  }
  return (path) => {
    const found = router.find("GET", withoutDelimiters(path))
    // A segment without a character is no id.
    return found === undefined || Object.values(found.params).includes("")
      ? undefined
      : { routes: found.handler, params: found.params }
  }
}

/** The route of a method; HEAD is GET without the body. */
export const routeFor = (routes: PathRoutes, method: string): Route | undefined =>
  routes.byMethod.get(method === "HEAD" ? "GET" : method)
