import { DateTime, Option, Result, Schema, type SchemaAST } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { MalformedInput } from "../../../domain/kernel/Rejection.ts"

/** The place where a text stops being JSON, and what should stand there. */
interface JsonFault {
  /** Both counted from 1; columns in UTF-16 code units, as editors do. */
  readonly line: number
  readonly column: number
  readonly expected: string
}

/** A place in the text with what is expected there; null where there is no fault up to it. */
type Step = readonly [at: number, expected: string | null]

const isDigit = (character: string): boolean => character >= "0" && character <= "9"

/** The first place from `at` on whose character does not satisfy `is`. */
const past = (text: string, at: number, is: (character: string) => boolean): number => {
  let end = at
  while (end < text.length && is(text.charAt(end))) end += 1
  return end
}

const isBlank = (character: string): boolean => "\t\n\r ".includes(character)
const isHex = (character: string): boolean => "0123456789ABCDEFabcdef".includes(character)

/** The end of the digits that begin at `at`; `otherwise` when there are none. */
const pastDigits = (text: string, at: number, otherwise: number): number => {
  const end = past(text, at, isDigit)
  return end === at ? otherwise : end
}

/** The end of the number that begins at `start`; -1 when there is none. */
const pastNumber = (text: string, start: number): number => {
  const first = text.charAt(start) === "-" ? start + 1 : start
  if (!isDigit(text.charAt(first))) return -1
  const whole = text.charAt(first) === "0" ? first + 1 : pastDigits(text, first, first)
  const fraction = text.charAt(whole) === "." ? pastDigits(text, whole + 1, whole) : whole
  if (text.charAt(fraction).toLowerCase() !== "e") return fraction
  const sign = text.charAt(fraction + 1)
  return pastDigits(text, sign === "+" || sign === "-" ? fraction + 2 : fraction + 1, fraction)
}

/** The end of the escape whose backslash stands before `at`; -1 for an unknown escape. */
const pastEscape = (text: string, at: number): number => {
  const character = text.charAt(at)
  if (character !== "" && '"\\/bfnrt'.includes(character)) return at + 1
  return character === "u" && past(text.slice(at + 1, at + 5), 0, isHex) === 4 ? at + 5 : -1
}

const words = ["true", "false", "null"]

const pastScalar = (text: string, at: number): number => {
  const word = words.find((each) => text.startsWith(each, at))
  return word === undefined ? pastNumber(text, at) : at + word.length
}

/** Reads a text in quotes, which begins at `start`. */
const readText = (text: string, start: number): Step => {
  let at = start + 1
  while (at < text.length) {
    const character = text.charAt(at)
    if (character === '"') return [at + 1, null]
    if (character < " ") return [at, "an escape such as \\n in place of a control character"]
    if (character === "\\") {
      const end = pastEscape(text, at + 1)
      if (end === -1) return [at, "a known escape such as \\n or \\u00e9"]
      at = end
    } else at += 1
  }
  return [at, "a closing double quote"]
}

/** The token that may come next. In a list or an object that has just been opened, its end may come, too. */
type Wanted = "value" | "first value" | "name" | "first name" | "colon" | "more"

const readName = (text: string, at: number): Step =>
  text.charAt(at) === '"' ? readText(text, at) : [at, "a name in double quotes"]

const readScalar = (text: string, at: number): Step => {
  if (text.charAt(at) === '"') return readText(text, at)
  const end = pastScalar(text, at)
  return end === -1 ? [at, "a value"] : [end, null]
}

const placeOf = (text: string, at: number, expected: string): JsonFault => {
  const before = text.slice(0, at)
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n"), expected }
}

/** Reads JSON token by token, and keeps track of the open brackets. */
class Reader {
  private readonly text: string
  private readonly closers: Array<string> = []
  private at = 0
  private wanted: Wanted = "value"

  constructor(text: string) {
    this.text = text
  }

  fault(): JsonFault | undefined {
    for (;;) {
      this.at = past(this.text, this.at, isBlank)
      if (this.wanted === "more" && this.closers.length === 0 && this.at === this.text.length) return undefined
      const [at, expected] = this.step(this.text.charAt(this.at))
      if (expected !== null) return placeOf(this.text, at, expected)
      this.at = at
    }
  }

  private step(character: string): Step {
    switch (this.wanted) {
      case "more":
        return this.more(character)
      case "colon":
        return character === ":" ? this.want("value", this.at + 1) : [this.at, "a colon"]
      case "name":
      case "first name":
        return this.wanted === "first name" && character === "}" ? this.close() : this.take("colon", readName)
      default:
        return this.value(character)
    }
  }

  private value(character: string): Step {
    if (this.wanted === "first value" && character === "]") return this.close()
    if (character === "{") return this.open("}", "first name")
    return character === "[" ? this.open("]", "first value") : this.take("more", readScalar)
  }

  private more(character: string): Step {
    const closer = this.closers.at(-1)
    if (closer === undefined) return [this.at, "the end of the body"]
    if (character === closer) return this.close()
    return character === ","
      ? this.want(closer === "}" ? "name" : "value", this.at + 1)
      : [this.at, `a comma or ${closer}`]
  }

  private want(wanted: Wanted, at: number): Step {
    this.wanted = wanted
    return [at, null]
  }

  private take(wanted: Wanted, read: (text: string, at: number) => Step): Step {
    this.wanted = wanted
    return read(this.text, this.at)
  }

  private open(closer: string, wanted: Wanted): Step {
    this.closers.push(closer)
    return this.want(wanted, this.at + 1)
  }

  private close(): Step {
    this.closers.pop()
    return this.want("more", this.at + 1)
  }
}

/** Finds the place where a text stops being JSON; undefined for a text that is JSON. */
export const jsonFault = (text: string): JsonFault | undefined => new Reader(text).fault()

const utf8 = new TextDecoder("utf-8", { fatal: true })

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])

const tooDeep = `The body nests lists and objects more than ${Limits.bodyDepth} levels deep.`
const tooMany = `The body has more than ${Limits.bodyValues} fields and items. Send it in several requests.`

/**
 * The reason why JSON is not read, judged by its bytes before it is parsed: lists and objects within each other, or fields
 * and items. Of these, a list or an object has one more than commas, so that an empty one counts as having one.
 */
const excessOf = (bytes: Uint8Array): string | undefined => {
  let depth = 0
  let values = 0
  let isText = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    if (isText) {
      if (byte === backslash) index += 1
      else if (byte === quote) isText = false
      continue
    }
    if (byte === quote) isText = true
    else if (byte === comma) values += 1
    else if (byte < 0x5b) continue
    else if (opening.has(byte)) {
      depth += 1
      values += 1
    } else if (closing.has(byte)) depth -= 1
    if (depth > Limits.bodyDepth) return tooDeep
    if (values > Limits.bodyValues) return tooMany
  }
  return undefined
}

const faultOf = (text: string): string => {
  const fault = jsonFault(text)
  return fault === undefined
    ? "The body is not well-formed JSON."
    : `The body is not well-formed JSON: at line ${fault.line}, column ${fault.column}, ${fault.expected} is expected.`
}

/** Reads a body as JSON; none when it is empty. */
export const parseJson = (bytes: Uint8Array): Result.Result<Option.Option<unknown>, MalformedInput> => {
  if (bytes.byteLength === 0) return Result.succeed(Option.none())
  const message = excessOf(bytes)
  if (message !== undefined) return Result.fail(new MalformedInput({ message }))
  return Result.flatMap(
    Result.try({
      try: () => utf8.decode(bytes),
      catch: () => new MalformedInput({ message: "The body is not text in UTF-8. Send the JSON in that encoding." })
    }),
    (text) =>
      Result.try({
        try: () => Option.some<unknown>(JSON.parse(text)),
        catch: () => new MalformedInput({ message: faultOf(text) })
      })
  )
}

type Write = (value: unknown) => unknown

const same: Write = (value) => value

/** Leaves a value to the encoder of its schema, which covers everything that is not written faster here. */
const interpreted = (ast: SchemaAST.AST): Write =>
  // Values from the stores were checked when they came in.
  Schema.encodeUnknownSync(Schema.make<Schema.Codec<unknown, unknown>>(ast), { disableChecks: true })

const isNull = (ast: SchemaAST.AST): boolean => ast._tag === "Null"

const ofUnion = (ast: SchemaAST.Union): Write => {
  const members = ast.types.filter((member) => !isNull(member))
  const [only, ...others] = members
  if (only !== undefined && others.length === 0) {
    const write = writerOf(only)
    return write === same || members.length === ast.types.length
      ? write
      : (value) => (value === null ? null : write(value))
  }
  return members.every((member) => writerOf(member) === same) ? same : interpreted(ast)
}

const ofObjects = (ast: SchemaAST.Objects): Write => {
  if (ast.indexSignatures.length > 0) return interpreted(ast)
  const fields = ast.propertySignatures.map(({ name, type }) => [name, writerOf(type)] as const)
  return (value) => {
    const record: Record<PropertyKey, unknown> = {}
    for (const [name, write] of fields) {
      const field: unknown = Reflect.get(Object(value), name)
      // A field that is undefined is left out.
      if (field !== undefined) record[name] = write(field)
    }
    return record
  }
}

const ofArrays = (ast: SchemaAST.Arrays): Write => {
  const [item, ...others] = ast.rest
  if (item === undefined || others.length > 0 || ast.elements.length > 0) return interpreted(ast)
  const write = writerOf(item)
  return (value) => (Array.isArray(value) ? value.map(write) : value)
}

/** Writes an instant directly, and leaves every other declared type to its schema. */
const ofDeclaration = (ast: SchemaAST.AST): Write => {
  const write = interpreted(ast)
  return (value) => (DateTime.isDateTime(value) ? DateTime.formatIso(value) : write(value))
}

const writerOf = (ast: SchemaAST.AST): Write => {
  if (ast._tag === "Declaration") return ofDeclaration(ast)
  if (ast.encoding !== undefined) return interpreted(ast)
  switch (ast._tag) {
    case "Boolean":
    case "Literal":
    case "Null":
    case "Number":
    case "String":
      return same
    case "Union":
      return ofUnion(ast)
    case "Objects":
      return ofObjects(ast)
    case "Arrays":
      return ofArrays(ast)
    default:
      return interpreted(ast)
  }
}

/**
 * The encoder of an answer, made once for each route: it takes a record apart by its schema's fields and uses the
 * schema's own encoder only for what is no plain JSON. The result is the schema's, many times faster.
 */
const encoder = (schema: Schema.Top): ((value: unknown) => unknown) => writerOf(schema.ast)

/** What a page's records are; undefined for the schema of anything else. */
const recordsOf = ({ ast }: Schema.Top): SchemaAST.AST | undefined => {
  if (ast._tag !== "Objects" || !ast.propertySignatures.some(({ name }) => name === "has_more")) return undefined
  const data = ast.propertySignatures.find(({ name }) => name === "data")?.type
  return data?._tag === "Arrays" ? data.rest[0] : undefined
}

/** As many records as fit, at least one, as texts. */
const fitting = (records: ReadonlyArray<unknown>, write: Write): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let characters = 0
  for (const record of records) {
    const text = JSON.stringify(write(record))
    characters += text.length
    if (texts.length > 0 && characters > Limits.pageCharacters) break
    texts.push(text)
  }
  return texts
}

/**
 * Writes an answer as the text of its JSON. A page of records that are large ends earlier than it was asked to, and says
 * that there is more: nobody else waits while much is written.
 */
export const answerText = (schema: Schema.Top): ((value: unknown) => string) => {
  const write = encoder(schema)
  const records = recordsOf(schema)
  if (records === undefined) return (value) => JSON.stringify(write(value))
  const writeRecord = writerOf(records)
  const open = '{"data":['
  return (value) => {
    const page = Object(value)
    const texts = fitting(page.data, writeRecord)
    const has_more = page.has_more === true || texts.length < page.data.length
    const others = JSON.stringify(write({ ...page, data: [], has_more }))
    return `${open}${texts.join()}${others.slice(open.length)}`
  }
}
