import { Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { Limits } from "../../../domain/kernel/Limits.ts"

export { pageOf } from "../../../app/access/operation/Operation.ts"
export { FilledName } from "../../../domain/kernel/Text.ts"
export { wholeNumber, wholeNumbers } from "../ParametersOf.ts"

export const withDescription = <A>(flag: Flag.Flag<A>, description: string) => Flag.withDescription(flag, description)
export const optional = <A>(flag: Flag.Flag<A>, description: string) =>
  Flag.optional(withDescription(flag, description))
export const text = (name: string, description: string) => withDescription(Flag.String(name), description)
export const optionalText = (name: string, description: string) => Flag.optional(text(name, description))
/** A flag with a default, which its help shows. */
export const withDefault = <A>(flag: Flag.Flag<A>, description: string, value: NoInfer<A>) =>
  Flag.withDefault(withDescription(flag, `${description} (default: ${value})`), value)
/** A flag that is off unless it is given. */
export const switchOf = (name: string, description: string) =>
  Flag.withDefault(withDescription(Flag.Boolean(name), description), false)
/** A flag that names a file, whose text is taken. */
export const fileOf = (name: string, description: string) =>
  Flag.withMetavar(text(name, `${description}; - for standard input`), "<file>")
export const valuesOf = (name: string, description: string) => Flag.map(text(name, description), commaList)
export const idOf = (record: string) => Argument.withDescription(Argument.String("id"), `The id of the ${record}`)

export const commaList = (text: string): ReadonlyArray<string> => text.split(",").map((item) => item.trim())

export const listOf = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: Schema.Array(schema) })

export const shownOnce = (): string => "It is shown this once. Keep it where only those who need it can read it."

export const Empty = Schema.Struct({})
export const pageFlags = {
  limit: optionalText("limit", `Records on a page, 1 to ${Limits.pageMaximum} (default: ${Limits.pageDefault})`),
  starting_after: optionalText("starting-after", "The id of the last record of the page before")
}
export const Query = Schema.Record(Schema.String, Schema.String)
