import { DateTime, Predicate, Schema, SchemaAST } from "effect"

type Guard = (value: unknown) => boolean

/** The schema's own guard, for types that have no simpler one. */
const interpreted = (ast: SchemaAST.AST): Guard => Schema.is(Schema.make<Schema.Codec<unknown, unknown>>(ast))

const isInstant: Guard = (value) => DateTime.isDateTime(value) && DateTime.isUtc(value)

const ofUnion = ({ types }: SchemaAST.Union): Guard => {
  const literals = types.flatMap((member) => (member._tag === "Literal" ? [member.literal] : []))
  if (literals.length === types.length) {
    const known: ReadonlySet<unknown> = new Set(literals)
    return (value) => known.has(value)
  }
  const guards = types.map(guardOf)
  const [first, second, ...others] = guards
  return first === undefined || second === undefined || others.length > 0
    ? (value) => guards.some((guard) => guard(value))
    : (value) => first(value) || second(value)
}

const ofObjects = (ast: SchemaAST.Objects): Guard => {
  const isPlain =
    ast.indexSignatures.length === 0 && !ast.propertySignatures.some(({ type }) => SchemaAST.isOptional(type))
  if (!isPlain) return interpreted(ast)
  const guards = ast.propertySignatures.map(({ name, type }) => [name, guardOf(type)] as const)
  return (value) => {
    if (!Predicate.isObject(value)) return false
    for (const [name, guard] of guards) if (!(name in value && guard(Reflect.get(value, name)))) return false
    return true
  }
}

const unchecked = (ast: SchemaAST.AST): Guard => {
  switch (ast._tag) {
    case "Null":
      return Predicate.isNull
    case "String":
      return Predicate.isString
    case "Number":
      return Predicate.isNumber
    case "Boolean":
      return Predicate.isBoolean
    case "Union":
      return ofUnion(ast)
    case "Objects":
      return ofObjects(ast)
    case "Declaration":
      return ast.run === Schema.DateTimeUtc.ast.run ? isInstant : interpreted(ast)
    default:
      return interpreted(ast)
  }
}

const options: SchemaAST.ParseOptions = {}

const passes = (checks: SchemaAST.Checks, value: unknown, ast: SchemaAST.AST): boolean =>
  checks.every((check) =>
    check._tag === "FilterGroup" ? passes(check.checks, value, ast) : check.run(value, ast, options) === undefined
  )

const guardOf = (ast: SchemaAST.AST): Guard => {
  const guard = unchecked(ast)
  const { checks } = ast
  return checks === undefined ? guard : (value) => guard(value) && passes(checks, value, ast)
}

/** Whether a value is of a schema's type, several times faster than `Schema.is` for rows. Made once for a table. */
export const recordGuard = <A>(schema: Schema.Codec<A, unknown>): ((value: unknown) => value is A) => {
  const guard = guardOf(SchemaAST.toType(schema.ast))
  return (value): value is A => guard(value)
}
