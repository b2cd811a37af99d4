import { Context, Record, Schema, SchemaAST } from "effect"
import type { HttpMethod, HttpRouter } from "effect/http"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { listParameters } from "../../../app/access/operation/ListParameters.ts"
import type * as Operation from "../../../app/access/operation/Operation.ts"
import { fieldNamesOf } from "../../../app/kernel/decoding/Decoder.ts"
import type { Requirement } from "../../../domain/access/Policy.ts"
import type { Dimension, ListSpec, OperatorOf, PlainOf, ValueOf } from "../../../domain/kernel/Listing.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { changeErrors, createErrors, listErrors, readErrors } from "../pipeline/ErrorEnvelope.ts"
import type { Failure } from "../pipeline/Problem.ts"
import { AnswersSecret, Lists, Over, Performs, Shows, TakesKey, Writes } from "./Annotations.ts"
import type { Example } from "./Example.ts"

/** The end of the description of an operation that the contract does not have. */
export const beyond = "This operation goes beyond the contract."

type FilterName<F> = {
  readonly [N in keyof F & string]: N | `${N}[${F[N] extends Dimension ? OperatorOf<F[N]["kind"]> : never}]`
}[keyof F & string]

type FilterValue<F, P> = P extends `${string}[${"in" | "not_in"}]`
  ? string
  : P extends `${infer N}[${string}]` | infer N
    ? N extends keyof F
      ? F[N] extends Dimension
        ? ValueOf<F[N]>
        : never
      : never
    : never

/** The query parameters of a list with the types of their values. */
type QueryOf<S extends ListSpec> = PlainOf<S> & {
  readonly [P in FilterName<S["filters"]>]: FilterValue<S["filters"], P>
}

type QueryFields<S extends ListSpec> = {
  readonly [P in keyof QueryOf<S>]: Schema.optionalKey<Schema.Codec<QueryOf<S>[P]>>
}

/** The query parameters of a list, as the reference shows them; the edge reads them with `Listing.parse`. */
const listQuery = <const S extends ListSpec>(spec: S): QueryFields<S> =>
  // The names and types are those of the specification: test/http/lists.test.ts holds that they are those that are read.
  Record.map(listParameters(spec), Schema.optionalKey) as unknown as QueryFields<S>

type IdSchemas<T> = T extends readonly [infer P, ...infer Rest]
  ? P extends Operation.IdPart<infer S extends Schema.Top>
    ? readonly [S, ...IdSchemas<Rest>]
    : IdSchemas<Rest>
  : readonly []

type NamesIn<Path> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? readonly [Name, ...NamesIn<`/${Rest}`>]
  : Path extends `${string}/:${infer Name}`
    ? readonly [Name]
    : readonly []

/** A name of the path for each id. */
type NamesFor<T> = T extends readonly [infer P, ...infer Rest]
  ? P extends Operation.IdPart
    ? readonly [string, ...NamesFor<Rest>]
    : NamesFor<Rest>
  : readonly []

type ParamsOf<T extends Operation.Parts, N extends ReadonlyArray<string>> = N extends readonly []
  ? never
  : Schema.toCodecStringTree<
      Schema.Struct<{ readonly [K in keyof N & `${number}` as N[K] & string]: IdSchemas<T>[K & keyof IdSchemas<T>] }>
    >

type PayloadOf<T extends Operation.Parts> = [Extract<T[number], Operation.BodyPart>] extends [never]
  ? never
  : Schema.toCodecJson<Extract<T[number], Operation.BodyPart>["schema"]>

type ListOf<T extends Operation.Parts> = [Extract<T[number], Operation.QueryPart>] extends [never]
  ? never
  : Extract<T[number], Operation.QueryPart> extends Operation.QueryPart<infer L extends ListSpec>
    ? Schema.toCodecStringTree<Schema.Struct<QueryFields<L>>>
    : never

type OneOf<S> = S extends ReadonlyArray<infer Each extends Schema.Top> ? Each : S extends Schema.Top ? S : never

/** The parameters, body and query of an endpoint over an operation; its ids have the names that the path gives them. */
const over = (input: Operation.Parts, path: string) => {
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name]) => name)
  const ids = input.filter((part) => part._tag === "Id").map(({ schema }, index) => [names[index], schema])
  const body = input.find((part) => part._tag === "Body")
  const query = input.find((part) => part._tag === "Query")
  return {
    ...(ids.length === 0 ? {} : { params: Object.fromEntries(ids) }),
    ...(body === undefined ? {} : { payload: body.schema }),
    ...(query === undefined ? {} : { query: listQuery(query.listing) })
  }
}

interface Says {
  readonly summary: string
  readonly description: string
  readonly example: Example
}

type OperationSays = Omit<Says, "summary">

/** The title of an operation names the plan that it needs. service-spec, What the service does: Plan tiers. */
const titleOf = ({ plan }: Requirement, summary: string): string =>
  plan === "FREE" ? summary : `${summary} (${plan.charAt(0)}${plan.slice(1).toLowerCase()} plan)`

/** The annotations of an endpoint that performs an operation by itself. */
export const performsByItself = (
  requires: Requirement,
  { description, example, summary }: Says
): Context.Context<never> => {
  const context = Context.empty().pipe(
    Context.add(Performs, requires),
    Context.add(Shows, example),
    Context.merge(
      OpenApi.annotations({
        identifier: requires.name.replace(".", "_"),
        summary: titleOf(requires, summary),
        description
      })
    )
  )
  return context as Context.Context<never>
}

/** The annotations of an endpoint over an operation, whose failures are all in the one map of errors. */
const performs = <K extends Operation.ServiceKey, T extends Operation.Parts, G extends Schema.Top, E extends Failure>(
  operation: Operation.Operation<Requirement, K, T, G, E, CurrentCaller>,
  says: OperationSays
): Context.Context<never> => {
  const body = operation.input.find((part) => part._tag === "Body")
  const query = operation.input.find((part) => part._tag === "Query")
  const context = performsByItself(operation.requires, { ...says, summary: operation.summary }).pipe(
    // Who calls it gives the arguments that it takes.
    Context.add(Over, operation as unknown as Operation.AnyOperation),
    Context.add(TakesKey, operation.keyed),
    Context.add(AnswersSecret, operation.secret),
    Context.add(Writes, body === undefined ? {} : fieldNamesOf(body.record.ast))
  )
  const whole = query === undefined ? context : Context.add(context, Lists, query.listing)
  return whole as Context.Context<never>
}

/** The answers of an endpoint, where they are not those that follow from its operation and its method. */
interface Answers<Success> {
  /** The operation's output when not given. */
  readonly success?: Success
  /** 200 when not given. */
  readonly status?: 201
  readonly error?: ReadonlyArray<OneOf<typeof changeErrors>>
}

/** The output of an operation as an endpoint answers it: a page is named after its records. */
const successOf = ({ input, output }: Pick<Operation.AnyOperation, "input" | "output">, status: number | undefined) => {
  const page = input.some((part) => part._tag === "Query") ? SchemaAST.toType(output.ast) : undefined
  const records =
    page?._tag === "Objects" ? page.propertySignatures.find(({ name }) => name === "data")?.type : undefined
  const record = records?._tag === "Arrays" ? records.rest[0] : undefined
  const named =
    record === undefined ? output : output.annotate({ identifier: `${SchemaAST.resolveIdentifier(record)}Page` })
  return status === undefined ? named : named.pipe(HttpApiSchema.status(status))
}

const errorsOf = (method: HttpMethod.HttpMethod, path: string) => {
  const isOfRecord = path.includes("/:")
  if (method === "GET" || method === "DELETE") return isOfRecord ? readErrors : listErrors
  return isOfRecord ? changeErrors : createErrors
}

const endpointOf = <M extends HttpMethod.HttpMethod>(method: M) => {
  function endpoint<
    K extends Operation.ServiceKey,
    T extends Operation.Parts,
    G extends Schema.Top,
    E extends Failure,
    const Name extends string,
    const Path extends HttpRouter.PathInput,
    const Success extends Schema.Top | ReadonlyArray<Schema.Top> = G
  >(
    operation: Operation.Operation<Requirement, K, T, G, E, CurrentCaller>,
    name: Name,
    path: Path & (NamesIn<Path> extends NamesFor<T> ? unknown : never),
    said: OperationSays & Answers<Success>
  ): HttpApiEndpoint.HttpApiEndpoint<
    Name,
    M,
    Path,
    ParamsOf<T, NamesIn<Path>>,
    ListOf<T>,
    PayloadOf<T>,
    never,
    Schema.toCodecJson<OneOf<Success>>,
    Schema.toCodecJson<OneOf<typeof changeErrors>>
  >
  function endpoint<K extends Operation.ServiceKey, T extends Operation.Parts, G extends Schema.Top, E extends Failure>(
    operation: Operation.Operation<Requirement, K, T, G, E, CurrentCaller>,
    name: string,
    path: HttpRouter.PathInput,
    {
      error = errorsOf(method, path),
      status,
      success = successOf(operation, status),
      ...says
    }: OperationSays & Answers<unknown>
  ): HttpApiEndpoint.Constraint {
    const options: object = { ...over(operation.input, path), success, error }
    return HttpApiEndpoint.make(method)(name, path, options).annotateMerge(performs(operation, says))
  }
  return endpoint
}

/** Endpoints over an operation, by their methods: the path names the ids that the operation takes, in their order. */
export const get = endpointOf("GET")
export const post = endpointOf("POST")
export const patch = endpointOf("PATCH")
export const del = endpointOf("DELETE")
