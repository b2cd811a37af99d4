import { Option, SchemaAST } from "effect"
import { Argument, type Command, Flag } from "effect/cli"
import { listParameters } from "../../app/access/operation/ListParameters.ts"
import type { BodyPart, Part, Parts } from "../../app/access/operation/Operation.ts"
import { json } from "../../app/access/operation/ServiceChecks.ts"
import { isOfType, literalsOf, typesOf } from "../../app/kernel/decoding/Decoder.ts"
import { commonMeanings } from "../../domain/kernel/Fields.ts"

type AST = SchemaAST.AST

/** The element of a list that a shell's word has with commas; none of a list of objects, which is written as JSON. */
const elementOf = (ast: AST): AST | undefined => {
  if (ast._tag === "Arrays") return ast.rest.find((each) => !typesOf(each).includes("object"))
  return ast._tag === "Union" ? ast.types.flatMap((each) => elementOf(each) ?? [])[0] : undefined
}

/** What a shell's word says as JSON; undefined where it is none. */
const parsed = (text: string): unknown => Option.getOrUndefined(Option.liftThrowable(JSON.parse)(text))

/** A shell's word as the value that the field takes; what the field does not take stays as it is, for the refusal to tell. */
export const valueOf =
  (ast: AST) =>
  (text: string): unknown => {
    const element = elementOf(ast)
    const readings = [
      ...(text === "null" ? [null] : []),
      text,
      parsed(text),
      ...(element === undefined ? [] : [text.split(",").map((item) => valueOf(element)(item.trim()))])
    ]
    return readings.find((reading) => isOfType(ast, reading)) ?? (text === "null" ? null : text)
  }

/** What stands for a value in the help. */
const metavarOf = (ast: AST): string => {
  const element = elementOf(ast)
  if (element !== undefined) return `<${metavarOf(element).slice(1, -1)},…>`
  const types = [...new Set(typesOf(ast))].filter((type) => type !== "null")
  const literals = literalsOf(ast).filter((literal) => literal !== "null")
  if (literals.length > 0) return `<${literals.join("|")}>`
  if (types.includes("string")) return "<text>"
  return types.includes("number") ? "<number>" : types.includes("boolean") ? "<true|false>" : "<JSON>"
}

/** The name of a flag: `amount-cents` of `amount_cents`, `amount-cents-gte` of `amount_cents[gte]`. */
const flagNameOf = (name: string): string => name.replaceAll(/[_[]/g, "-").replace("]", "")

const flagOf = (name: string, ast: AST, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavarOf(ast)), Flag.withDescription(description))

const meaningOf = (name: string, field: AST, body: AST): string => {
  const meanings: unknown = Object(SchemaAST.resolve(body))["meanings"]
  const said: unknown = SchemaAST.resolveDescription(field) ?? Object(meanings)[name] ?? commonMeanings[name]
  return `${said ?? name}`.replaceAll("`", "").replace(/\.$/, "")
}

const bodyFlags = ({ schema }: BodyPart, secrets: Readonly<Record<string, string>>): Command.Command.Config => {
  const fields = SchemaAST.toEncoded(json(schema).ast)
  if (fields._tag !== "Objects") return {}
  return Object.fromEntries(
    fields.propertySignatures.map(({ name, type }) => {
      const field = String(name)
      const file = secrets[field]
      const meaning = meaningOf(field, type, schema.ast)
      const flag =
        file === undefined
          ? Flag.map(flagOf(flagNameOf(field), type, meaning), valueOf(type))
          : flagOf(file, type, `A file with it, or - for standard input: ${meaning}`).pipe(Flag.withMetavar("<file>"))
      return [field, SchemaAST.isOptional(type) ? Flag.optional(flag) : flag]
    })
  )
}

const parametersOfPart = (part: Part, secrets: Readonly<Record<string, string>>): Command.Command.Config => {
  switch (part._tag) {
    case "Id":
      return { id: Argument.withDescription(Argument.String("id"), `The id of the ${part.record}`) }
    case "Body":
      return bodyFlags(part, secrets)
    case "Query":
      // `[eq]` is what the plain name is.
      return Object.fromEntries(
        Object.entries(listParameters(part.listing)).flatMap(([name, { ast }]) =>
          name.endsWith("[eq]")
            ? []
            : [[name, Flag.optional(flagOf(flagNameOf(name), ast, SchemaAST.resolveDescription(ast) ?? name))]]
        )
      )
    case "Value":
      return { [part.name]: flagOf(flagNameOf(part.name), part.schema.ast, part.name) }
  }
}

/** The flags and arguments of a command over an operation: its id, and a flag for each field of its body or query. */
export const parametersOf = (parts: Parts, secrets: Readonly<Record<string, string>>): Command.Command.Config =>
  Object.assign({}, ...parts.map((part) => parametersOfPart(part, secrets)))
