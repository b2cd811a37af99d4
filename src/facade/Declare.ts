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

type Dimension = Listing.Dimension

/** A value of a filter; an instant may be a `Date`. */
type Given<D extends Dimension> = Listing.ValueOf<D> | (D["kind"] extends "timestamp" | "day" ? Date : never)

type Operators<D extends Dimension> = {
  readonly [O in Listing.OperatorOf<D["kind"]>]?:
    | (O extends "in" | "not_in" ? ReadonlyArray<Given<D>> : Given<D>)
    | undefined
}

/**
 * What a list is asked for: the API's parameters, a filter with operators as an object of them: `{ status: "CONFIRMED" }`,
 * `{ amount_cents: { gte: 5000 } }`, `{ status: { in: ["CONFIRMED", "REFUNDED"] } }`.
 */
export type ListInput<S extends Listing.ListSpec> = {
  readonly [N in keyof Listing.PlainOf<S>]?: Listing.PlainOf<S>[N] | undefined
} & {
  readonly [N in keyof S["filters"]]?: Given<S["filters"][N]> | Operators<S["filters"][N]> | undefined
}

type Entry = readonly [name: string, value: string]

const textOf = (given: unknown): string => (given instanceof Date ? given.toISOString() : String(given))

const isOperators = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null && !Array.isArray(given) && !(given instanceof Date)

/** A value of several cannot have a comma: it would be read as two. */
const entryOf = (name: string, given: unknown): Result.Result<Entry, InvalidInput> => {
  const texts = Array.isArray(given) ? given.map(textOf) : [textOf(given)]
  return Array.isArray(given) && texts.some((text) => text.includes(","))
    ? Result.fail(new InvalidInput({ param: name, message: `${name} takes no value that has a comma.` }))
    : Result.succeed([name, texts.join(",")])
}

const entriesOf = (given: object): Result.Result<ReadonlyArray<Entry>, InvalidInput> => {
  const pairs = Object.entries(given).flatMap(
    ([name, asked]): ReadonlyArray<readonly [string, unknown]> =>
      isOperators(asked)
        ? Object.entries(asked).map(([operator, each]) => [`${name}[${operator}]`, each])
        : [[name, asked]]
  )
  return Result.all(pairs.filter(([, each]) => each !== undefined).map(([name, each]) => entryOf(name, each)))
}

/** What a list is asked for. Fails as the API's query parameters do. */
export const query = <const S extends Listing.ListSpec>(
  spec: S
): Input<ListInput<S> | undefined, Listing.ListQuery, InvalidInput | MalformedInput> => ({
  read: (given) => Result.flatMap(entriesOf(given ?? {}), (entries) => Listing.parse(spec, entries))
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
