import { Effect, Result, Schema } from "effect"
import type * as App from "../../app/access/operation/Operation.ts"
import {
  type ArgumentReader,
  bodyReader,
  idReader,
  json,
  valueReader
} from "../../app/access/operation/ServiceChecks.ts"
import { parse } from "../../domain/kernel/Listing.ts"
import { NotFound } from "../../domain/kernel/Rejection.ts"
import type { CurrentCaller } from "../../ports/access/CurrentCaller.ts"
import {
  type Declaration,
  ofInstallation,
  ofOrganisation,
  type Rejection,
  type UnnamedOperation,
  type UseCases
} from "./Operation.ts"

/** The parts of a declaration that a command adds to an operation, whose words it has where it has none of its own. */
type Says = Pick<
  Declaration<unknown, unknown, never, never>,
  "parameters" | "secrets" | "files" | "columns" | "remark"
> & { readonly description?: string }

/** An operation that a command can be over: its failures have words here, and its use cases are the command's. */
export interface CommandOperation<R> {
  readonly summary: string
  readonly service: App.ServiceKey<UseCases>
  readonly input: App.Parts
  readonly output: Schema.Top
  readonly run: (...args: never) => Effect.Effect<unknown, Rejection, R>
}

type Input = Readonly<Record<string, unknown>>

/** The name of a part that a command takes by one name: `id` for an id, a value's own. */
const nameOf = (part: App.Part): string | undefined =>
  part._tag === "Id" ? "id" : part._tag === "Value" ? part.name : undefined

/** The parts are read as the API reads them: a list's query is texts, everything else JSON. */
const readerOf = (part: App.Part): ArgumentReader => {
  switch (part._tag) {
    case "Id": {
      // What is no id is not repeated: it may be a secret, put in the wrong place.
      const { record } = part
      return (given) => Result.mapError(idReader(part)(given), () => new NotFound({ record, id: "of this id" }))
    }
    case "Body":
      return bodyReader(part, json)
    case "Value":
      return valueReader(part, json)
    case "Query":
      return (given) => parse(part.listing, Object.entries(Object(given)))
  }
}

/** The arguments, refused in the order of the API: an id that cannot exist comes last. */
const readAll = (parts: App.Parts, given: Input) => {
  const named = parts.map(nameOf)
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !named.includes(name)))
  const read = parts.map((part, index) => readerOf(part)(given[named[index] ?? ""] ?? rest))
  return Result.andThen(Result.all(read.filter((_, index) => parts[index]?._tag !== "Id")), Result.all(read))
}

const declarationOf = <R>({ input, output, run, service, summary }: CommandOperation<R>, says: Says) => ({
  description: summary,
  ...says,
  input: Schema.Record(Schema.String, Schema.Unknown),
  output: Schema.make<Schema.Codec<unknown>>(output.ast),
  run: Effect.fnUntraced(function* (given: Input) {
    const args = yield* Effect.fromResult(readAll(input, given))
    const perform = run as (use: unknown, ...decoded: ReadonlyArray<unknown>) => Effect.Effect<unknown, Rejection, R>
    return yield* perform(yield* service, ...args)
  })
})

/**
 * A command over an operation of one organisation: its parameters have the names of the operation's inputs, and its
 * output is the operation's.
 */
export const runAgainst = (operation: CommandOperation<CurrentCaller>, says: Says): UnnamedOperation =>
  ofOrganisation(declarationOf(operation, says))

/** The same over an operation of the whole installation. */
export const overInstallation = (operation: CommandOperation<never>, says: Says): UnnamedOperation =>
  ofInstallation(declarationOf(operation, says))
