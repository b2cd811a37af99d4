/** Values that are remembered for a time; where there are too many, the oldest is dropped first. */
export class Remembered<A> {
  private readonly limit: number
  private readonly now: () => number
  private readonly entries = new Map<string, { readonly value: A; readonly until: number }>()

  /** `now` is a monotonic clock, milliseconds. */
  constructor(limit: number, now: () => number) {
    this.limit = limit
    this.now = now
  }

  get(key: string): A | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    if (this.now() < entry.until) return entry.value
    this.entries.delete(key)
    return undefined
  }

  set(key: string, value: A, seconds: number): void {
    if (seconds <= 0) return
    this.entries.delete(key)
    this.entries.set(key, { value, until: this.now() + seconds * 1_000 })
    const [oldest] = this.entries.keys()
    if (oldest !== undefined && this.entries.size > this.limit) this.entries.delete(oldest)
  }
}
