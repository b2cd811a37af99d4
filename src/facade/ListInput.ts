import { Result } from "effect"
import * as Listing from "../domain/kernel/Listing.ts"
import { InvalidInput, type MalformedInput } from "../domain/kernel/Rejection.ts"

type Dimension = Listing.Dimension

/** A value of a filter; an instant may be a `Date`. */
type Given<D extends Dimension> = Listing.ValueOf<D> | (D["kind"] extends "timestamp" | "day" ? Date : never)

type Operators<D extends Dimension> = {
  readonly [O in Listing.OperatorOf<D["kind"]>]?:
    | (O extends "in" | "not_in" ? ReadonlyArray<Given<D>> : Given<D>)
    | undefined
}

/**
 * The input of a list: the API's parameters, with the operators of a filter as an object: `{ status: "CONFIRMED" }`, `{
 * amount_cents: { gte: 5000 } }`, `{ status: { in: ["CONFIRMED", "REFUNDED"] } }`.
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

/** Reads the input of a list. Fails as the API does for its query parameters. */
export const readQuery = (
  spec: Listing.ListSpec,
  given: unknown
): Result.Result<Listing.ListQuery, InvalidInput | MalformedInput> =>
  Result.flatMap(entriesOf(Object(given ?? {})), (entries) => Listing.parse(spec, entries))
