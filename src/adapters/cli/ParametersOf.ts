import { Effect, Option, Predicate, Schema, SchemaAST } from "effect"
import { Argument, CliError, type Command, Flag } from "effect/cli"
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

const isNumber = (ast: AST | undefined): boolean => ast !== undefined && typesOf(ast).includes("number")

/** A shell's word as a whole number; undefined where it is none, or one that a number does not hold: `50.00`, `5e3`, none. */
const wholeNumberOf = (text: string): number | undefined =>
  /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

/** The same of a list, with or without the brackets of JSON. An item that is none makes it no list. */
const wholeNumbersOf = (text: string): ReadonlyArray<number> | undefined => {
  const items = text === "[]" ? [] : text.replace(/^\[(.*)\]$/s, "$1").split(",")
  const numbers = items.flatMap((item) => wholeNumberOf(item.trim()) ?? [])
  return numbers.length === items.length ? numbers : undefined
}

/** A shell's word as the value that a field takes; undefined where it is none of the field's types. */
const valueOf =
  (ast: AST) =>
  (text: string): unknown => {
    if (text === "null" && isOfType(ast, null)) return null
    if (isNumber(ast)) return wholeNumberOf(text)
    const element = elementOf(ast)
    if (isNumber(element)) return wholeNumbersOf(text)
    const items = () => (element === undefined ? [] : [text.split(",").map((item) => valueOf(element)(item.trim()))])
    return [text, parsed(text), ...items()].find((reading) => isOfType(ast, reading))
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

/** What a flag takes, in words of a shell: the refusal of what is none of its types. */
const refusalOf = (flag: string, ast: AST): string => {
  const isList = typesOf(ast).includes("array")
  if (isNumber(ast) || isNumber(elementOf(ast))) {
    const [numbers, cents] = isList
      ? [
          "whole numbers of at most 15 digits, with commas",
          "are in cents, with commas: write 2500,5000 for 25.00 and 50.00"
        ]
      : ["a whole number of at most 15 digits", "is in cents: write 5000 for 50.00"]
    return /-cents\b|^amounts$/.test(flag) ? `--${flag} ${cents}` : `--${flag} must be ${numbers}`
  }
  if (typesOf(ast).includes("boolean")) return `--${flag} must be true or false`
  return `--${flag} must be JSON: ${isList ? "a list in brackets" : "an object in braces"}`
}

/** A flag whose word is read as a value of its type. What is none is refused before anything is asked. */
const typed = <A>(flag: Flag.Flag<string>, name: string, ast: AST, read: (text: string) => A | undefined) =>
  Flag.mapEffect(flag, (text) => {
    const value = read(text)
    return value === undefined
      ? Effect.fail(new CliError.ValidationError({ message: refusalOf(name, ast) }))
      : Effect.succeed(value)
  })

const numbersFlag = <A>(name: string, { ast }: Schema.Top, read: (text: string) => A | undefined) =>
  typed(Flag.withMetavar(Flag.String(name), metavarOf(ast)), name, ast, read)

export const wholeNumber = (name: string) => numbersFlag(name, Schema.Int, wholeNumberOf)

/** A flag of several whole numbers, with commas between them. */
export const wholeNumbers = (name: string) => numbersFlag(name, Schema.Array(Schema.Int), wholeNumbersOf)

/** A meaning of the reference as a line of the help. */
const plain = (meaning: string): string => meaning.replaceAll("`", "").replace(/\.$/, "")

const meaningOf = (name: string, field: AST, body: AST): string => {
  const meanings: unknown = Object(SchemaAST.resolve(body))["meanings"]
  const said: unknown = SchemaAST.resolveDescription(field) ?? Object(meanings)[name] ?? commonMeanings[name]
  return plain(`${said ?? name}`)
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
          ? typed(flagOf(flagNameOf(field), type, meaning), flagNameOf(field), type, valueOf(type))
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
        Object.entries(listParameters(part.listing)).flatMap(([name, { ast }]) => {
          if (name.endsWith("[eq]")) return []
          const flag = flagOf(flagNameOf(name), ast, plain(SchemaAST.resolveDescription(ast) ?? name))
          const read = (text: string) => (wholeNumberOf(text) === undefined ? undefined : text)
          return [[name, Flag.optional(isNumber(ast) ? typed(flag, flagNameOf(name), ast, read) : flag)]]
        })
      )
    case "Value":
      return { [part.name]: flagOf(flagNameOf(part.name), part.schema.ast, part.name) }
  }
}

/** The flags and arguments of a command over an operation: its id, and a flag for each field of its body or query. */
export const parametersOf = (parts: Parts, secrets: Readonly<Record<string, string>>): Command.Command.Config =>
  Object.assign({}, ...parts.map((part) => parametersOfPart(part, secrets)))

/** The flag or argument in a parameter: its name, and whether it is a flag, and one that takes no value. */
const leafOf = (parameter: unknown): object =>
  Predicate.hasProperty(parameter, "param") ? leafOf(parameter.param) : Object(parameter)

/** The name of an input as the command says it: `--amount-cents`, `<id>`. */
const wordOf = (leaf: object): string => {
  const name = Predicate.hasProperty(leaf, "name") ? `${leaf.name}` : ""
  return Predicate.hasProperty(leaf, "kind") && leaf.kind === "flag" ? `--${name}` : `<${name}>`
}

const isSwitch = (leaf: object): boolean =>
  Predicate.hasProperty(leaf, "primitiveType") && Predicate.isTagged(leaf.primitiveType, "Boolean")

const jsonTypes = /, not (null|an? (string|number|integer|fraction|boolean|array|object))(?=\.)/

/** A word that can be an input's name, with what stands before it. */
const words = /(^|[\s(])([\w.[\]-]+)/gu

/**
 * A refusal's sentence in the words of a command. A field has the name of its flag where the sentence begins with it, where it
 * can be no other word (`pass_over`), and where it is a switch that the sentence says to give.
 */
export const inFlags = (parameters: Command.Command.Config, message: string): string =>
  message
    .replaceAll(words, (text, before: string, word: string, start: number) => {
      const bare = word.endsWith(".") ? word.slice(0, -1) : word
      const field = Object.hasOwn(parameters, bare) ? bare : bare.split("[", 1).join("")
      if (!Object.hasOwn(parameters, field)) return text
      const leaf = leafOf(parameters[field])
      const isGiven = isSwitch(leaf) && /[Ww]ith $/.test(message.slice(0, start + before.length))
      const isName = (start === 0 && before === "") || /[_[]/.test(field) || isGiven
      return isName ? before + wordOf(leaf) + word.slice(field.length) : text
    })
    .replace(" must be an integer", " must be a whole number")
    .replace(jsonTypes, "")
