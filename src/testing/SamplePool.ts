import fc from "fast-check"

/** How many values are drawn at once. */
const drawnAtOnce = 50

/**
 * Values of an arbitrary by kind, drawn when they are asked for and kept: to draw one takes longer than to ask a guard about
 * it, and a case that there is not is searched for to the end, for each guard anew.
 */
export class SamplePool<A> {
  private readonly values: fc.Arbitrary<A>
  private readonly kindOf: (value: A) => string
  private readonly seed: number | undefined
  private readonly kept = new Map<string, Array<A>>()
  private draws = 0

  constructor(values: fc.Arbitrary<A>, kindOf: (value: A) => string, seed: number | undefined) {
    this.values = values
    this.kindOf = kindOf
    this.seed = seed
  }

  /** At least so many of a kind that there is. */
  of(kind: string, least: number): ReadonlyArray<A> {
    const kept = this.keptOf(kind)
    while (kept.length < least) this.draw()
    return kept
  }

  private draw(): void {
    const seed = this.seed === undefined ? {} : { seed: this.seed + this.draws++ }
    const drawn = fc.sample(this.values, { ...seed, numRuns: drawnAtOnce })
    for (const value of drawn) this.keptOf(this.kindOf(value)).push(value)
  }

  private keptOf(kind: string): Array<A> {
    const kept = this.kept.get(kind) ?? []
    this.kept.set(kind, kept)
    return kept
  }
}
