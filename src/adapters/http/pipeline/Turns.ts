import { Effect } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { makeTally } from "./BodyMemory.ts"

/** How long the requests of one turn of the event loop may take before others wait for the next, milliseconds. */
const turnMillis = 10

interface Waiting {
  readonly records: number
  readonly go: () => void
}

const nothing = () => {}

/**
 * Turns of the event loop, and places for records that are read. Many requests can arrive in one turn, and each takes the loop
 * from the others: those that come after its time is over wait for the next. Lists wait while many records are under way, which
 * take memory until they are answered. Of those who wait, every organisation has one request in turn. docs/decisions/0072.
 */
export class Turns {
  private readonly waiting = new Map<string, Array<Waiting>>()
  private readonly tally = makeTally()
  private readonly most: number
  private readonly share: number
  private began = 0
  private isScheduled = false

  constructor(most: number = Limits.recordsUnderWay, share: number = Limits.recordsUnderWayShare) {
    this.most = most
    this.share = share
  }

  /** Goes on when it is the organisation's turn, and gives how its places are given back. */
  take(organisation_id: string, records = 0): Effect.Effect<() => void> {
    return Effect.suspend(() => {
      this.schedule()
      const release = records === 0 ? nothing : () => this.giveBack(organisation_id, records)
      const isNext = records === 0 || !this.waiting.has(organisation_id)
      if (!isNext || !this.hasTime() || !this.fits(organisation_id, records)) {
        return Effect.as(this.wait(organisation_id, records), release)
      }
      this.tally.add(organisation_id, records)
      return Effect.succeed(release)
    })
  }

  private wait(organisation_id: string, records: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const one = { records, go: () => resume(Effect.void) }
      this.waiting.set(organisation_id, [...(this.waiting.get(organisation_id) ?? []), one])
      // The turn may have gone by since it was looked at: fibers give way to others anywhere.
      this.schedule()
      return Effect.sync(() => {
        const others = (this.waiting.get(organisation_id) ?? []).filter((each) => each !== one)
        this.keep(organisation_id, others)
      })
    })
  }

  private keep(organisation_id: string, queue: Array<Waiting>): void {
    if (queue.length > 0) this.waiting.set(organisation_id, queue)
    else this.waiting.delete(organisation_id)
  }

  private giveBack(organisation_id: string, records: number): void {
    this.tally.add(organisation_id, -records)
    if (this.waiting.size > 0) this.schedule()
  }

  private hasTime(): boolean {
    return performance.now() - this.began < turnMillis
  }

  private fits(organisation_id: string, records: number): boolean {
    if (records === 0) return true
    return this.tally.total() + records <= this.most && this.tally.of(organisation_id) + records <= this.share
  }

  /** A timer is what every runtime has; what arrives before it is due stands in its place by then. */
  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    this.began = performance.now()
    setTimeout(() => this.next(), 0)
  }

  private next(): void {
    this.isScheduled = false
    this.began = performance.now()
    let granted = true
    while (granted && this.hasTime()) {
      granted = false
      for (const [organisation_id, queue] of [...this.waiting]) {
        if (this.hasTime()) granted = this.grant(organisation_id, queue) || granted
      }
    }
    // Those who wait for places go on when some are given back.
    if (granted && this.waiting.size > 0) this.schedule()
  }

  /** Lets the first request of an organisation go on that fits. */
  private grant(organisation_id: string, queue: ReadonlyArray<Waiting>): boolean {
    const one = queue.find(({ records }) => this.fits(organisation_id, records))
    if (one === undefined) return false
    // Who had a turn stands behind the others.
    this.waiting.delete(organisation_id)
    this.keep(
      organisation_id,
      queue.filter((each) => each !== one)
    )
    this.tally.add(organisation_id, one.records)
    one.go()
    return true
  }
}
