import { Context, Schema } from "effect"
import type { HttpMethod, HttpRouter } from "effect/http"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import {
  type AnyOperation,
  type BodyPart,
  type IdPart,
  type Operation,
  type Parts,
  pageOf as plainPageOf,
  type QueryPart,
  type ServiceKey
} from "../../../app/access/operation/Operation.ts"
import { fieldNamesOf } from "../../../app/kernel/decoding/Decoder.ts"
import type { Requirement } from "../../../domain/access/Policy.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import {
  type Dimension,
  type ListSpec,
  type OperatorOf,
  operatorsOf,
  type PlainOf,
  type ValueOf
} from "../../../domain/kernel/Listing.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import type { Failure } from "../pipeline/Problem.ts"
import { AnswersSecret, Lists, Over, Performs, Shows, TakesKey, Writes } from "./Annotations.ts"
import type { Example } from "./Example.ts"

const described = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })

const valueSchema = (dimension: Dimension): Schema.Top => {
  switch (dimension.kind) {
    case "enum":
      return Schema.Literals(dimension.values ?? [])
    case "integer":
      return Schema.Int
    case "boolean":
      return Schema.Boolean
    default:
      return Schema.String
  }
}

/** The operators of filters in words. */
export const operatorWords = {
  eq: "equal to",
  in: `one of (comma-separated, at most ${Limits.filterValues})`,
  not_in: `none of (comma-separated, at most ${Limits.filterValues})`,
  gt: "greater than",
  gte: "at least",
  lt: "less than",
  lte: "at most"
} as const

const filterFields = (name: string, dimension: Dimension): ReadonlyArray<readonly [string, Schema.Top]> => [
  [name, described(valueSchema(dimension), dimension.description)],
  ...operatorsOf(dimension).map(
    (operator) =>
      [
        `${name}[${operator}]`,
        described(
          operator === "in" || operator === "not_in" ? Schema.String : valueSchema(dimension),
          `${dimension.description}: ${operatorWords[operator]}`
        )
      ] as const
  )
]

/** The values of a list's `sort`. */
export const sortsOf = ({ sorts }: ListSpec): ReadonlyArray<string> =>
  Object.keys(sorts ?? {}).flatMap((name) => [name, `-${name}`])

/** The end of the description of an operation that the contract does not have. */
export const beyond = "This operation goes beyond the contract."

/** The meaning of a list's `sort`. */
export const sortWords = ({ sortsBeyondContract }: ListSpec): string =>
  `Order; a leading - is descending${sortsBeyondContract === true ? ". This parameter goes beyond the contract" : ""}`

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
const listQuery = <const S extends ListSpec>(spec: S): QueryFields<S> => {
  const fields: ReadonlyArray<readonly [string, Schema.Top]> = [
    [
      "limit",
      described(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.pageMaximum })),
        `Records on a page, 1 to ${Limits.pageMaximum}; ${Limits.pageDefault} when not given`
      )
    ],
    ["starting_after", described(Schema.String, "The id of the last record of the page before")],
    ...(spec.archivable === true
      ? ([["archived", described(Schema.Boolean, "Whether archived records are listed, too")]] as const)
      : []),
    ...(spec.words === undefined
      ? []
      : ([
          [
            "search",
            described(
              Schema.String.check(Schema.isMaxCodePoints(Limits.searchCharacters)),
              `Words, at most ${Limits.searchWords}, each of which must begin a part of a name or of the e-mail address; case, accents and signs make no difference`
            )
          ]
        ] as const)),
    ...(spec.segments === true ? ([["segment", described(Schema.String, "A segment's slug")]] as const) : []),
    ...(spec.sorts === undefined
      ? []
      : ([["sort", described(Schema.Literals(sortsOf(spec)), sortWords(spec))]] as const)),
    ...Object.entries(spec.flags ?? {}).map(
      ([name, flag]) =>
        [name, described(Schema.Boolean, `${flag.description}; ${flag.default} when not given`)] as const
    ),
    ...Object.entries(spec.filters).flatMap(([name, dimension]) => filterFields(name, dimension))
  ]
  // The names and types are those of the specification: test/http/lists.test.ts holds that they are those that are read.
  return Object.fromEntries(fields.map(([name, schema]) => [name, Schema.optionalKey(schema)])) as QueryFields<S>
}

type IdSchemas<T> = T extends readonly [infer P, ...infer Rest]
  ? P extends IdPart<infer S extends Schema.Top>
    ? readonly [S, ...IdSchemas<Rest>]
    : IdSchemas<Rest>
  : readonly []

/** The names of the ids in a path. */
type NamesIn<Path> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? readonly [Name, ...NamesIn<`/${Rest}`>]
  : Path extends `${string}/:${infer Name}`
    ? readonly [Name]
    : readonly []

/** A name of the path for each id. */
type NamesFor<T> = T extends readonly [infer P, ...infer Rest]
  ? P extends IdPart
    ? readonly [string, ...NamesFor<Rest>]
    : NamesFor<Rest>
  : readonly []

type ParamsOf<T extends Parts, N extends ReadonlyArray<string>> = N extends readonly []
  ? never
  : Schema.toCodecStringTree<
      Schema.Struct<{ readonly [K in keyof N & `${number}` as N[K] & string]: IdSchemas<T>[K & keyof IdSchemas<T>] }>
    >

type PayloadOf<T extends Parts> = [Extract<T[number], BodyPart>] extends [never]
  ? never
  : Schema.toCodecJson<Extract<T[number], BodyPart>["schema"]>

type ListOf<T extends Parts> = [Extract<T[number], QueryPart>] extends [never]
  ? never
  : Extract<T[number], QueryPart> extends QueryPart<infer L extends ListSpec>
    ? Schema.toCodecStringTree<Schema.Struct<QueryFields<L>>>
    : never

type OneOf<S> = S extends ReadonlyArray<infer Each extends Schema.Top> ? Each : S extends Schema.Top ? S : never

/** The parameters, body and query of an endpoint over an operation; its ids have the names that the path gives them. */
const over = (input: Parts, path: string) => {
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

/** A page of records. decisions, section 1: Lists. */
export const pageOf = <S extends Schema.Top>(schema: S, identifier: string) =>
  plainPageOf(schema).annotate({ identifier })

/** The title, description and example of an endpoint. */
export interface Says {
  readonly summary: string
  readonly description: string
  readonly example: Example
}

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
const performs = <K extends ServiceKey, T extends Parts, G extends Schema.Top, E extends Failure>(
  operation: Operation<Requirement, K, T, G, E, CurrentCaller>,
  says: Says
): Context.Context<never> => {
  const body = operation.input.find((part) => part._tag === "Body")
  const query = operation.input.find((part) => part._tag === "Query")
  const context = performsByItself(operation.requires, says).pipe(
    // Who calls it gives the arguments that it takes.
    Context.add(Over, operation as unknown as AnyOperation),
    Context.add(TakesKey, operation.keyed),
    Context.add(AnswersSecret, operation.secret),
    Context.add(Writes, body === undefined ? {} : fieldNamesOf(body.record.ast))
  )
  const whole = query === undefined ? context : Context.add(context, Lists, query.listing)
  return whole as Context.Context<never>
}

const endpointOf = <M extends HttpMethod.HttpMethod>(method: M) => {
  function endpoint<
    K extends ServiceKey,
    T extends Parts,
    G extends Schema.Top,
    E extends Failure,
    const Name extends string,
    const Path extends HttpRouter.PathInput,
    const Success extends Schema.Top | ReadonlyArray<Schema.Top>,
    const Errors extends ReadonlyArray<Schema.Top>
  >(
    operation: Operation<Requirement, K, T, G, E, CurrentCaller>,
    name: Name,
    path: Path & (NamesIn<Path> extends NamesFor<T> ? unknown : never),
    said: Says & { readonly success: Success; readonly error: Errors }
  ): HttpApiEndpoint.HttpApiEndpoint<
    Name,
    M,
    Path,
    ParamsOf<T, NamesIn<Path>>,
    ListOf<T>,
    PayloadOf<T>,
    never,
    Schema.toCodecJson<OneOf<Success>>,
    Schema.toCodecJson<OneOf<Errors>>
  >
  function endpoint<K extends ServiceKey, T extends Parts, G extends Schema.Top, E extends Failure>(
    operation: Operation<Requirement, K, T, G, E, CurrentCaller>,
    name: string,
    path: HttpRouter.PathInput,
    { error, success, ...says }: Says & { readonly success: unknown; readonly error: unknown }
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
