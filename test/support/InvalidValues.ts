import { Predicate, type Schema, SchemaAST } from "effect"
import fc from "fast-check"
import { arbitraryOf } from "../../src/testing/Arbitraries.ts"

/** A value that no schema of an input takes, whatever it is for. */
const alien: fc.Arbitrary<unknown> = fc.constantFrom(Symbol("no"), 1n, () => "no", new Map([["a", 1]]), new Date(0))

/** A change of a value at one place after which its schema does not take it. */
interface Spoil {
  readonly at: ReadonlyArray<PropertyKey>
  readonly put: unknown
  /** Whether the place is taken away instead. */
  readonly isRemoved: boolean
}

const numbers = (ast: SchemaAST.AST): ReadonlyArray<unknown> => {
  const ids = ast.checks?.flatMap((each) => (each._tag === "Filter" ? [each.annotations?.representation] : [])) ?? []
  const bounds = ids.flatMap((each) => (each === undefined ? [] : [Object(each.payload)]))
  const below = bounds.flatMap(({ minimum }) => (typeof minimum === "number" ? [minimum - 1, -500] : []))
  const above = bounds.flatMap(({ maximum }) => (typeof maximum === "number" ? [maximum + 1] : []))
  return ["5", 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, ...below, ...above]
}

const bad = (ast: SchemaAST.AST): ReadonlyArray<unknown> => {
  switch (ast._tag) {
    case "String":
      return [7, {}, [], ...(ast.checks === undefined ? [] : ["x".repeat(20_000)])]
    case "Number":
      return numbers(ast)
    case "Boolean":
      return ["true", 1]
    case "Literal":
      return ["NO SUCH", {}]
    case "Objects":
      return ["x", []]
    case "Arrays":
      return [{}, "x"]
    case "Union":
      return ast.types.every(({ _tag }) => _tag === "Literal" || _tag === "Null") ? ["NO SUCH"] : []
    default:
      return ["2026-01-01", 0]
  }
}

/** The one member of a union that is not null, where there is one. */
const memberOf = (ast: SchemaAST.AST): SchemaAST.AST => {
  const others = ast._tag === "Union" ? ast.types.filter(({ _tag }) => _tag !== "Null" && _tag !== "Undefined") : []
  const [one] = others
  return one !== undefined && others.length === 1 ? memberOf(one) : ast
}

const spoilsOf = (given: SchemaAST.AST, value: unknown, at: ReadonlyArray<PropertyKey> = []): Array<Spoil> => {
  const ast = memberOf(given)
  const here = bad(ast).map((put) => ({ at, put, isRemoved: false }))
  if (ast._tag === "Objects" && Predicate.isObject(value)) {
    const fields = ast.propertySignatures.flatMap(({ name, type }) => {
      const place = [...at, name]
      if (!Object.hasOwn(value, name)) return []
      const inside = spoilsOf(type, Reflect.get(value, name), place)
      return SchemaAST.isOptional(type) ? inside : [...inside, { at: place, put: undefined, isRemoved: true }]
    })
    const unknown = ast.indexSignatures.length > 0 ? [] : [{ at: [...at, "no_such_field"], put: 1, isRemoved: false }]
    return [...here, ...unknown, ...fields]
  }
  if (ast._tag === "Arrays" && Array.isArray(value)) {
    const [element] = ast.rest
    return element === undefined ? here : [...here, ...value.flatMap((each, n) => spoilsOf(element, each, [...at, n]))]
  }
  return here
}

const spoilt = (value: unknown, { at: [key, ...rest], isRemoved, put }: Spoil): unknown => {
  if (key === undefined) return put
  if (Array.isArray(value)) {
    return value.map((each, n) => (n === key ? spoilt(each, { at: rest, put, isRemoved }) : each))
  }
  if (isRemoved && rest.length === 0)
    return Object.fromEntries(Object.entries(Object(value)).filter(([n]) => n !== key))
  return { ...Object(value), [key]: spoilt(Reflect.get(Object(value), key), { at: rest, put, isRemoved }) }
}

/**
 * Values that a schema does not take: one that it takes, spoilt at one place, and values of no kind. What is bad is known
 * from how it was made, and no decoder is asked.
 */
export const invalidValuesOf = (schema: Schema.Top): fc.Arbitrary<unknown> => {
  const ast = SchemaAST.toType(schema.ast)
  const sound = arbitraryOf(schema as unknown as Schema.Schema<unknown>)
  const changed = fc.tuple(sound, fc.nat()).map(([value, n]) => {
    const all = spoilsOf(ast, value)
    const one = all[n % Math.max(1, all.length)]
    return one === undefined ? Symbol("no") : spoilt(value, one)
  })
  return fc.oneof({ weight: 6, arbitrary: changed }, { weight: 1, arbitrary: alien })
}
