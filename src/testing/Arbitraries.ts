import { DateTime, Effect, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import fc from "fast-check"
import { checkGiven } from "./Doors.ts"
import { isPlain } from "./RecordFields.ts"

/** The greatest size of generated values: texts and lists have up to about this many parts. */
const largestSize = 6

const without = (record: Readonly<Record<string, unknown>>, key: string) =>
  Object.fromEntries(Object.entries(record).filter(([each]) => each !== key))

function* simplerNumbers(value: number): Generator<number> {
  if (value === 0 || !Number.isFinite(value)) return
  yield 0
  if (value < 0) yield -value
  if (Math.abs(value) > 1) yield Math.trunc(value / 2)
  if (value > 1) yield value - 1
}

function* simplerLists(values: ReadonlyArray<unknown>): Generator<ReadonlyArray<unknown>> {
  if (values.length > 1) yield []
  for (let i = 0; i < values.length; i++) yield values.toSpliced(i, 1)
  for (const [i, value] of values.entries()) for (const each of simpler(value)) yield values.with(i, each)
}

function* simplerRecords(record: Readonly<Record<string, unknown>>): Generator<Readonly<Record<string, unknown>>> {
  for (const [key, value] of Object.entries(record)) {
    yield without(record, key)
    if (value !== null) yield { ...record, [key]: null }
    for (const each of simpler(value)) yield { ...record, [key]: each }
  }
}

/** Simpler values than this one; none of them leads back to `value`. The caller checks whether they fit the schema. */
function* simpler(value: unknown): Generator<unknown> {
  if (value === true) yield false
  else if (typeof value === "number") yield* simplerNumbers(value)
  else if (typeof value === "string" && value !== "") yield* ["", value.slice(0, value.length / 2), value.slice(1)]
  else if (DateTime.isDateTime(value)) {
    for (const each of simplerNumbers(DateTime.toEpochMillis(value))) yield DateTime.makeUnsafe(each)
  } else if (Array.isArray(value)) yield* simplerLists(value)
  else if (isPlain(value)) yield* simplerRecords(value)
}

class OfSchema<A> extends fc.Arbitrary<A> {
  private readonly source: Arbitrary.Arbitrary<A>
  private readonly accepts: (value: unknown) => value is A

  constructor(schema: Schema.Schema<A>) {
    super()
    this.source = Arbitrary.schema(schema)
    this.accepts = Schema.is(schema)
  }

  override generate(random: fc.Random): fc.Value<A> {
    const options = { count: 1, seed: random.nextInt(), size: random.nextInt(0, largestSize) }
    const [value] = Effect.runSync(
      Effect.catch(Arbitrary.sampleEffect(this.source, options), () =>
        Effect.die(new Error("The schema has a check that generation cannot satisfy: give it an arbitraryConstraint."))
      )
    )
    if (value === undefined) throw new Error("Nothing was generated.")
    return new fc.Value(value, undefined)
  }

  override canShrinkWithoutContext(value: unknown): value is A {
    return this.accepts(value)
  }

  override shrink(value: A): fc.Stream<fc.Value<A>> {
    return fc
      .stream(simpler(value))
      .filter(this.accepts)
      .map((each) => new fc.Value(each, undefined))
  }
}

/**
 * A fast-check arbitrary of everything that a schema accepts (its decoded side). A failing value shrinks field by
 * field, to values that the schema accepts as well. A check that is made with `Schema.makeFilter` and that values
 * rarely meet by chance needs an `arbitraryConstraint`.
 */
export const arbitraryOf = <A>(schema: Schema.Schema<A>): fc.Arbitrary<A> => {
  checkGiven("arbitraryOf", { schema })
  return new OfSchema(schema)
}

/**
 * Patches: any of the fields, each with any of its values; every other one has a field alone, so that what it breaks is not
 * hidden by what another breaks.
 */
export const patchOf = <A>(fields: { readonly [Field in keyof A]: fc.Arbitrary<A[Field]> }) => {
  const any = fc.record(fields, { requiredKeys: [] })
  const alone = fc.tuple(fc.record(fields), fc.constantFrom(...Object.keys(fields))).map(([whole, field]) => {
    const patch: typeof any extends fc.Arbitrary<infer Patch> ? Patch : never = Object.assign({}, whole)
    for (const other of Object.keys(fields)) if (other !== field) Reflect.deleteProperty(patch, other)
    return patch
  })
  return fc.oneof(any, alone)
}

/** The instants between which records lie, ms: they are of this century. */
export const earliestMillis = Date.UTC(2000, 0, 1)
export const latestMillis = Date.UTC(2060, 0, 1)

/** An instant between 2000 and 2060, to the millisecond. */
export const instant: fc.Arbitrary<DateTime.Utc> = fc
  .integer({ min: earliestMillis, max: latestMillis })
  .map((millis) => DateTime.makeUnsafe(millis))
