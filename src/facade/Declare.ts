import { type Context, Effect, Option, Result, Schema } from "effect"
import { decoder } from "../adapters/http/pipeline/Decode.ts"
import { fieldNamesOf } from "../adapters/http/pipeline/Shape.ts"
import type { Wire } from "../client/Wire.ts"
import * as Listing from "../domain/kernel/Listing.ts"
import { InvalidInput, MalformedInput, NotFound } from "../domain/kernel/Rejection.ts"
import type { CurrentCaller } from "../ports/access/CurrentCaller.ts"

/** How an argument of the promise face becomes one of a use case. */
export interface Input<W, A, E> {
  readonly read: (given: W) => Result.Result<A, E>
}

type AnyInput = Input<never, unknown, unknown>

type Inputs = ReadonlyArray<AnyInput>

/** The arguments that a host gives; an input that may be left out is optional. */
type Args<T extends Inputs> = T extends readonly [Input<infer W, unknown, unknown>, ...infer Rest extends Inputs]
  ? undefined extends W
    ? [input?: W, ...rest: Args<Rest>]
    : [input: W, ...rest: Args<Rest>]
  : []

type Decoded<T extends Inputs> = { readonly [K in keyof T]: T[K] extends Input<never, infer A, unknown> ? A : never }

type RefusalOf<T extends Inputs> = { [K in keyof T]: T[K] extends Input<never, unknown, infer E> ? E : never }[number]

/** The input as JSON would carry it: what is undefined is absent, a `Date` is its ISO 8601 text. */
const asJson = (given: unknown): Result.Result<unknown, MalformedInput> =>
  Result.try({
    try: () => (given === undefined ? undefined : JSON.parse(JSON.stringify(given))),
    catch: () => new MalformedInput({ message: "The input cannot be written as JSON." })
  })

/**
 * A record as the API takes it. `record` is what the operation answers: its fields that cannot be written are refused as
 * such. Fails with {@link MalformedInput}, or with {@link InvalidInput} and the param that broke a rule.
 */
export const body = <A>(
  schema: Schema.Codec<A, unknown>,
  record: Schema.Top = Schema.Struct({})
): Input<Wire<A>, A, InvalidInput | MalformedInput> => {
  const decode = decoder(Schema.toCodecJson(schema), fieldNamesOf(record.ast))
  return { read: (given) => Result.flatMap(asJson(given), decode) }
}

/** The same, where every field may be left out, and so the whole. */
export const optionalBody = <A>(
  schema: Schema.Codec<A, unknown>
): Input<Wire<A> | undefined, A, InvalidInput | MalformedInput> => {
  const { read } = body<unknown>(schema)
  return { read: (given) => read(given ?? {}) as Result.Result<A, InvalidInput | MalformedInput> }
}

/** One value that is no object. Fails with {@link InvalidInput} for the parameter `name`. */
export const value = <A>(name: string, schema: Schema.Codec<A, unknown>): Input<Wire<A>, A, InvalidInput> => {
  const decode = Schema.decodeUnknownOption(Schema.toCodecJson(schema))
  return {
    read: (given) =>
      Option.match(decode(given), {
        onNone: () => Result.fail(new InvalidInput({ param: name, message: `${name} is not valid.` })),
        onSome: Result.succeed
      })
  }
}

/** An id. One that cannot exist is not found. */
export const id = <A extends string>(schema: Schema.Codec<A, unknown>, record: string): Input<string, A, NotFound> => {
  const isId = Schema.is(schema)
  return {
    read: (given) => (isId(given) ? Result.succeed(given) : Result.fail(new NotFound({ record, id: String(given) })))
  }
}

type Scalar = string | number | boolean | Date

/** What a list is asked for: the API's parameters, a filter with operators as an object of them. */
export interface ListInput {
  readonly limit?: number | undefined
  /** The id of the last record of the page before. */
  readonly starting_after?: string | undefined
  /** `{ status: "CONFIRMED" }`, `{ amount_cents: { gte: 5000 } }`, `{ status: { in: ["CONFIRMED", "REFUNDED"] } }`. */
  readonly [parameter: string]:
    | Scalar
    | { readonly [operator: string]: Scalar | ReadonlyArray<string | number> | undefined }
    | undefined
}

const textOf = (given: unknown): string => (given instanceof Date ? given.toISOString() : String(given))

const entriesOf = (given: ListInput): ReadonlyArray<readonly [string, string]> =>
  Object.entries(given).flatMap(([name, asked]): ReadonlyArray<readonly [string, string]> => {
    if (asked === undefined) return []
    if (typeof asked !== "object" || asked instanceof Date) return [[name, textOf(asked)]]
    return Object.entries(asked).flatMap(([operator, each]) =>
      each === undefined ? [] : [[`${name}[${operator}]`, textOf(each)] as const]
    )
  })

/** What a list is asked for. Fails as the API's query parameters do. */
export const query = (
  spec: Listing.ListSpec
): Input<ListInput | undefined, Listing.ListQuery, InvalidInput | MalformedInput> => ({
  read: (given) => Listing.parse(spec, entriesOf(given ?? {}))
})

/** A page of records. */
export const pageOf = <S extends Schema.Top>(schema: S) =>
  Schema.Struct({ data: Schema.Array(schema), has_more: Schema.Boolean })

/**
 * Whom an operation is for. `caller`: anybody; the use case checks scope and plan. `operator`: whoever keeps an
 * organisation, with WRITE scope. `installation`: whoever keeps the installation; it is for no organisation.
 */
export type Audience = "caller" | "operator" | "installation"

interface Declaration<S, T extends Inputs, O, E, R> {
  readonly takes: T
  /** What the answer shows; fields that it does not name are left out. */
  readonly gives: Schema.Codec<O, unknown>
  readonly run: (use: S, ...decoded: Decoded<T>) => Effect.Effect<NoInfer<O>, E, R>
}

const performer = <I, S, T extends Inputs, O, E, R>(
  service: Context.Key<I, S>,
  { gives, run, takes }: Declaration<S, T, O, E, R>
) => {
  // What the stores hold was checked when it came in.
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(gives), { disableChecks: true })
  const read = (args: ReadonlyArray<unknown>) =>
    Result.all(takes.map((input, index) => input.read(args[index] as never))) as Result.Result<Decoded<T>, RefusalOf<T>>
  return (...args: Args<T>): Effect.Effect<Wire<O>, E | RefusalOf<T>, R | I> =>
    Effect.fromResult(read(args)).pipe(
      Effect.flatMap((decoded) => Effect.flatMap(service, (use) => run(use, ...decoded))),
      Effect.map((answer) => encode(answer) as Wire<O>)
    )
}

/** Declares the operations of a use-case service. */
export const operationsOf = <I, S>(service: Context.Key<I, S>) => ({
  forCaller: <const T extends Inputs, O, E>(declaration: Declaration<S, T, O, E, CurrentCaller>) => ({
    who: "caller" as const,
    perform: performer(service, declaration)
  }),
  forOperator: <const T extends Inputs, O, E>(declaration: Declaration<S, T, O, E, CurrentCaller>) => ({
    who: "operator" as const,
    perform: performer(service, declaration)
  }),
  forInstallation: <const T extends Inputs, O, E>(declaration: Declaration<S, T, O, E, never>) => ({
    who: "installation" as const,
    perform: performer(service, declaration)
  })
})
