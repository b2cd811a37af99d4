import { DateTime, Schema, type SchemaAST } from "effect"

/** Turns a value into the JSON value of its schema. */
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
export const encoder = (schema: Schema.Top): ((value: unknown) => unknown) => writerOf(schema.ast)
