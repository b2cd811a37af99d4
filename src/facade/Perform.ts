import { Effect, Result, Schema } from "effect"
import { requireAnyScope } from "../app/access/caller/CallerContext.ts"
import * as Operation from "../app/access/operation/Operation.ts"
import {
  type ArgumentReader,
  bodyReader,
  idReader,
  json,
  uncheckedService,
  valueReader
} from "../app/access/operation/ServiceChecks.ts"
import { checkOptions, type OptionRules } from "../app/kernel/host/InvalidOption.ts"
import { jsonText } from "../client/JsonText.ts"
import type { Wire } from "../client/Wire.ts"
import type { ListSpec } from "../domain/kernel/Listing.ts"
import * as Listing from "../domain/kernel/Listing.ts"
import { InvalidInput, MalformedInput } from "../domain/kernel/Rejection.ts"
import { textAt } from "../domain/kernel/Text.ts"
import { type DeclaredEventTypes, HostEvents } from "../ports/outbox/HostEvents.ts"
import { AlmonerUnavailable } from "./AlmonerUnavailable.ts"

/** The options of a call that lists. */
export interface ListOptions {
  /** Ends the call, which fails with {@link AlmonerUnavailable}; its `cause` is the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const listRules: OptionRules<ListOptions> = {
  signal: { holds: (value) => value instanceof AbortSignal, expected: "the signal of an AbortController" }
}

const aborted = (signal: AbortSignal): Effect.Effect<never, AlmonerUnavailable> =>
  Effect.callback((resume) => {
    const end = () =>
      resume(
        Effect.fail(
          new AlmonerUnavailable({ reason: "aborted", message: "The call was aborted.", cause: signal.reason })
        )
      )
    if (signal.aborted) return end()
    signal.addEventListener("abort", end, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", end))
  })

/** An effect that ends when the signal of these options aborts. */
export const abortable = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  options: unknown
): Effect.Effect<A, E | AlmonerUnavailable, R> =>
  Effect.suspend(() => {
    if (options === undefined) return effect
    checkOptions("a list", listRules, options, "{ signal }")
    const { signal }: ListOptions = options as ListOptions
    return signal === undefined ? effect : Effect.raceFirst(aborted(signal), effect)
  })

interface Page {
  readonly data: ReadonlyArray<{ readonly id: string }>
  readonly has_more: boolean
}

/** All records of a list, page after page from its query on; each page is read when it is reached. */
export async function* allOf(
  list: (query: object) => Promise<unknown>,
  query: unknown
): AsyncGenerator<unknown, void, void> {
  let asked = Object(query ?? {})
  for (;;) {
    // The method's types were derived from a list's.
    const { data, has_more } = (await list(asked)) as Page
    yield* data
    const last = data.at(-1)
    if (!has_more || last === undefined) return
    asked = { ...asked, starting_after: last.id }
  }
}

type Dimension = Listing.Dimension

/** A value of a filter; an instant may be a `Date`. */
type FilterInput<D extends Dimension> = Listing.ValueOf<D> | (D["kind"] extends "timestamp" | "day" ? Date : never)

type Operators<D extends Dimension> = {
  readonly [O in Listing.OperatorOf<D["kind"]>]?:
    | (O extends "in" | "not_in" ? ReadonlyArray<FilterInput<D>> : FilterInput<D>)
    | undefined
}

/**
 * The input of a list: the API's parameters, with the operators of a filter as an object: `{ status: "CONFIRMED" }`, `{
 * amount_cents: { gte: 5000 } }`, `{ status: { in: ["CONFIRMED", "REFUNDED"] } }`.
 */
type ListInput<S extends Listing.ListSpec> = {
  readonly [N in keyof Listing.PlainOf<S>]?: Listing.PlainOf<S>[N] | undefined
} & {
  readonly [N in keyof S["filters"]]?: FilterInput<S["filters"][N]> | Operators<S["filters"][N]> | undefined
}

type Entry = readonly [name: string, value: string]

const textOf = (given: unknown): string => (given instanceof Date ? given.toISOString() : String(given))

const isOperators = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null && !Array.isArray(given) && !(given instanceof Date)

/** One parameter of the query. A value of a list cannot have a comma: it would be read as two. */
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

const notText = () => new MalformedInput({ message: "The query has a value that cannot be written as text." })

/** Reads the input of a list. Fails as the API does for its query parameters. */
const readQuery = (
  spec: Listing.ListSpec,
  given: unknown
): Result.Result<Listing.ListQuery, InvalidInput | MalformedInput> =>
  Result.flatMap(Result.try({ try: () => entriesOf(Object(given ?? {})), catch: notText }), (read) =>
    Result.flatMap(read, (entries) => Listing.parse(spec, entries))
  )

type Given<P> = P extends Operation.IdPart
  ? string
  : P extends Operation.QueryPart<infer L extends ListSpec>
    ? ListInput<L> | undefined
    : P extends Operation.BodyPart<infer S extends Schema.Top, infer Optional>
      ? Wire<S["Type"]> | (Optional extends true ? undefined : never)
      : P extends Operation.ValuePart<infer S extends Schema.Top>
        ? Wire<S["Type"]>
        : never

/** The arguments of a host's call; one that may be left out is optional. */
export type Args<T> = T extends readonly [infer P, ...infer Rest]
  ? undefined extends Given<P>
    ? [input?: Given<P>, ...rest: Args<Rest>]
    : [input: Given<P>, ...rest: Args<Rest>]
  : []

/** The refusal of an input that has no text as JSON. */
export const notJson = () => new MalformedInput({ message: "The input cannot be written as JSON." })

/** Why an input has no text as JSON: with the field where it is known. */
const refusalOf = (thrown: unknown): InvalidInput | MalformedInput => {
  const param = textAt(thrown, "param")
  return param === undefined || param === "" ? notJson() : new InvalidInput({ param, message: Object(thrown).message })
}

/** The input after a trip through JSON: undefined fields are absent, a `Date` is its ISO 8601 text. */
const asJson = (given: unknown): Result.Result<unknown, InvalidInput | MalformedInput> =>
  Result.try({ try: () => (given === undefined ? undefined : JSON.parse(jsonText(given))), catch: refusalOf })

const jsonBodyReader = (part: Operation.BodyPart): ArgumentReader => {
  const read = bodyReader(part, json)
  return (given) => Result.flatMap(asJson(part.optional ? (given ?? {}) : given), read)
}

const readerOf = (part: Operation.Part): ArgumentReader => {
  switch (part._tag) {
    case "Id":
      return idReader(part)
    case "Body":
      return jsonBodyReader(part)
    case "Query":
      return (given) => readQuery(part.listing, given)
    case "Value":
      return valueReader(part, json)
  }
}

/**
 * Performs an operation over JSON values: what waits for the world outside, which gives the rest, that may run in a
 * transaction.
 */
export type Perform = (
  args: ReadonlyArray<unknown>
) => Effect.Effect<Effect.Effect<unknown, unknown, unknown>, unknown, unknown>

/** The readers of an operation's arguments, made once for each declaration of event types. */
const readersOf = (input: Operation.Parts) => {
  const known = new WeakMap<DeclaredEventTypes, ReadonlyArray<ArgumentReader>>()
  return (declared: DeclaredEventTypes): ReadonlyArray<ArgumentReader> => {
    const readers = known.get(declared) ?? Operation.partsAmong(input, declared.keys()).map(readerOf)
    known.set(declared, readers)
    return readers
  }
}

/** Makes an operation callable by a host: arguments are decoded, and the answer is encoded as JSON values. */
export const performerOf = ({ input, output, prepare, requires, run, service }: Operation.AnyOperation): Perform => {
  const readersAmong = readersOf(input)
  // Values from the stores were checked when they came in.
  const encode = Schema.encodeUnknownSync(json(output), { disableChecks: true })
  const begin = prepare ?? ((...given: Parameters<typeof run>) => Effect.succeed(run(...given)))
  /** The contract's order: who is not permitted learns that, and nothing of the arguments. */
  const refused =
    requires === null ? Effect.fail : <E>(failure: E) => Effect.andThen(requireAnyScope(requires), Effect.fail(failure))
  return (args) =>
    Effect.flatMap(HostEvents, (declared) =>
      Effect.fromResult(Result.all(readersAmong(declared).map((read, index) => read(args[index]))))
    ).pipe(
      Effect.catch(refused),
      Effect.flatMap((decoded) =>
        Effect.flatMap(service, (use) =>
          begin(uncheckedService(use), ...(decoded as Operation.DecodedArguments<Operation.Parts>))
        )
      ),
      Effect.map(Effect.map(encode))
    )
}
