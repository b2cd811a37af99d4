import { Effect, Schema } from "effect"
import type * as App from "../../app/access/operation/Operation.ts"
import type { Requirement, StaffRequirement } from "../../domain/access/Policy.ts"
import { parse } from "../../domain/kernel/Listing.ts"
import type { CurrentCaller } from "../../ports/access/CurrentCaller.ts"
import {
  type Declaration,
  type Operation,
  ofInstallation,
  ofOrganisation,
  type Rejection,
  type UseCases
} from "./Operation.ts"

/** The parts of a declaration that a command adds to an operation. */
type Says = Pick<
  Declaration<unknown, unknown, never, never>,
  "group" | "name" | "parameters" | "files" | "columns" | "remark"
>

/** The words of a command are its operation's; a command over one that an endpoint says has words of its own. */
type Described<O> = O extends App.OperationSummary
  ? { readonly description?: string }
  : { readonly description: string }

type Fields = Readonly<Record<string, Schema.Top>>

const fieldsOf = (schema: Schema.Top): Fields => ("fields" in schema ? (schema.fields as Fields) : {})

/** The fields of the command's input that make a part: `id` for an id, a body's fields, a value's own name. */
const namesOf = (part: App.Part): Fields => {
  switch (part._tag) {
    case "Id":
      return { id: part.schema }
    case "Body":
      return fieldsOf(part.schema)
    case "Value":
      return { [part.name]: part.schema }
    // A list's query is given as texts, like the API's.
    case "Query":
      return {}
  }
}

type Input = Readonly<Record<string, unknown>>

const pick = (given: Input, names: Fields): Input =>
  Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(names, name)))

/** All that a command takes by name. */
const allNamesOf = (parts: App.Parts): Fields => Object.assign({}, ...parts.map(namesOf))

/** The query of a list, from the rest of its command's input. */
const queryOf = (parts: App.Parts, given: Input) => {
  const named = allNamesOf(parts)
  return Object.entries(given as Readonly<Record<string, string>>).filter(([name]) => !Object.hasOwn(named, name))
}

const argumentOf = (part: App.Part, given: Input, parts: App.Parts) => {
  switch (part._tag) {
    case "Id":
      return Effect.succeed(given["id"])
    case "Body":
      return Effect.succeed(pick(given, fieldsOf(part.schema)))
    case "Value":
      return Effect.succeed(given[part.name])
    case "Query":
      return Effect.fromResult(parse(part.listing, queryOf(parts, given)))
  }
}

const inputOf = (parts: App.Parts): Schema.Codec<Input, unknown> =>
  parts.some(({ _tag }) => _tag === "Query")
    ? Schema.Record(Schema.String, Schema.String)
    : (Schema.Struct(allNamesOf(parts)) as unknown as Schema.Codec<Input, unknown>)

const declarationOf = <K extends App.ServiceKey<UseCases>, T extends App.Parts, G extends Schema.Top, E, R>(
  operation: App.Operation<App.RequirementOf, K, T, G, E, R>,
  says: Says
) => ({
  description: operation.summary ?? "",
  ...says,
  input: inputOf(operation.input),
  output: operation.output as unknown as Schema.Codec<G["Type"], unknown>,
  run: Effect.fnUntraced(function* (given: Input) {
    const args = yield* Effect.forEach(operation.input, (part) => argumentOf(part, given, operation.input))
    const use = yield* operation.service
    return yield* operation.run(use, ...(args as unknown as App.DecodedArguments<T>))
  })
})

/**
 * A command over an operation of one organisation: its parameters have the names of the operation's inputs, and its
 * output is the operation's.
 */
export const runAgainst = <
  K extends App.ServiceKey<UseCases>,
  T extends App.Parts,
  G extends Schema.Top,
  E extends Rejection,
  O extends App.Operation<Requirement | StaffRequirement, K, T, G, E, CurrentCaller>
>(
  operation: O & App.Operation<Requirement | StaffRequirement, K, T, G, E, CurrentCaller>,
  says: Says & Described<O>
): Operation => ofOrganisation(declarationOf<K, T, G, E, CurrentCaller>(operation, says))

/** The same over an operation of the whole installation. */
export const overInstallation = <
  K extends App.ServiceKey<UseCases>,
  T extends App.Parts,
  G extends Schema.Top,
  E extends Rejection
>(
  operation: App.Operation<null, K, T, G, E, never> & App.OperationSummary,
  says: Says
): Operation => ofInstallation(declarationOf(operation, says))
