import { Formatter, Predicate } from "effect"
import fc from "fast-check"

/** How many values are drawn at once. */
const drawnAtOnce = 50

/** Values together with how they shrink. */
class Shrinkable<A> extends fc.Arbitrary<fc.Value<A>> {
  private readonly values: fc.Arbitrary<A>

  constructor(values: fc.Arbitrary<A>) {
    super()
    this.values = values
  }

  override generate(random: fc.Random, biasFactor: number | undefined): fc.Value<fc.Value<A>> {
    return new fc.Value(this.values.generate(random, biasFactor), undefined)
  }

  override canShrinkWithoutContext(_: unknown): _ is fc.Value<A> {
    return false
  }

  override shrink(): fc.Stream<fc.Value<fc.Value<A>>> {
    return fc.Stream.nil()
  }
}

/** The values of one kind, each of which is handed out once; they shrink to values of the kind. */
class OfKind<A> extends fc.Arbitrary<A> {
  private readonly values: fc.Arbitrary<A>
  private readonly next: () => fc.Value<A>
  private readonly isOfKind: (value: A) => boolean

  constructor(values: fc.Arbitrary<A>, next: () => fc.Value<A>, isOfKind: (value: A) => boolean) {
    super()
    this.values = values
    this.next = next
    this.isOfKind = isOfKind
  }

  override generate(): fc.Value<A> {
    return this.next()
  }

  override canShrinkWithoutContext(value: unknown): value is A {
    return this.values.canShrinkWithoutContext(value) && this.isOfKind(value)
  }

  override shrink(value: A, context: unknown): fc.Stream<fc.Value<A>> {
    return this.values.shrink(value, context).filter((each) => this.isOfKind(each.value))
  }
}

/**
 * The states or commands of a subject.
 *
 * @throws RangeError where they are no arbitrary, as in a subject that no compiler has seen
 */
export const drawnOf = <A>(part: string, given: fc.Arbitrary<A>): fc.Arbitrary<A> => {
  if (Predicate.hasProperty(given, "generate")) return given
  throw new RangeError(`${part} of the subject is ${Formatter.format(given)}. Give an arbitrary of fast-check.`)
}

/**
 * Values of an arbitrary by kind, drawn when they are asked for and kept: to draw one takes longer than to do something with
 * it, and whoever wants one kind would throw away all others.
 */
export class SamplePool<A> {
  private readonly values: fc.Arbitrary<A>
  private readonly kindOf: (value: A) => string
  private readonly seed: number
  private readonly kept = new Map<string, Array<fc.Value<A>>>()
  private readonly handedOut = new Map<string, number>()
  private draws = 0

  constructor(values: fc.Arbitrary<A>, kindOf: (value: A) => string, seed: number) {
    this.values = values
    this.kindOf = kindOf
    this.seed = seed
  }

  /** Whether one of a kind is met among so many. */
  has(kind: string, among: number): boolean {
    while (this.keptOf(kind).length === 0 && this.draws * drawnAtOnce < among) this.draw()
    return this.keptOf(kind).length > 0
  }

  /** The value at a place among those of a kind that there is. */
  at(kind: string, place: number): A {
    return this.valueAt(kind, place).value
  }

  /** Values of a kind that there is, none of them twice. */
  of(kind: string): fc.Arbitrary<A> {
    const next = () => {
      const place = this.handedOut.get(kind) ?? 0
      this.handedOut.set(kind, place + 1)
      return this.valueAt(kind, place)
    }
    return new OfKind(this.values, next, (value) => this.kindOf(value) === kind)
  }

  private valueAt(kind: string, place: number): fc.Value<A> {
    const kept = this.keptOf(kind)
    for (;;) {
      const value = kept[place]
      if (value !== undefined) return value
      this.draw()
    }
  }

  private draw(): void {
    const drawn = fc.sample(new Shrinkable(this.values), { seed: this.seed + this.draws++, numRuns: drawnAtOnce })
    for (const value of drawn) this.keptOf(this.kindOf(value.value)).push(value)
  }

  private keptOf(kind: string): Array<fc.Value<A>> {
    const kept = this.kept.get(kind) ?? []
    this.kept.set(kind, kept)
    return kept
  }
}
