import { Effect } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { makeTally } from "./BodyMemory.ts"

/** How long the requests of one turn of the event loop may take before others wait for the next, milliseconds. */
const turnMillis = 10

interface Waiting {
  readonly records: number
  readonly go: () => void
  /** Whether its turn has come, and its places are its own. */
  hasTurn: boolean
}

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
  private readonly now: () => number
  private began = 0
  private isScheduled = false

  constructor(
    most: number = Limits.recordsUnderWay,
    share: number = Limits.recordsUnderWayShare,
    now: () => number = () => performance.now()
  ) {
    this.most = most
    this.share = share
    this.now = now
  }

  /** Runs it when it is the organisation's turn. Its places are given back when it ends, or is given up before. */
  within<A, E, R>(organisation_id: string, records: number, running: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.andThen(
        this.turnOf(organisation_id, records, restore),
        Effect.ensuring(
          restore(running),
          Effect.sync(() => this.giveBack(organisation_id, records))
        )
      )
    )
  }

  private turnOf(
    organisation_id: string,
    records: number,
    restore: (waiting: Effect.Effect<void>) => Effect.Effect<void>
  ): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.schedule()
      const isNext = records === 0 || !this.waiting.has(organisation_id)
      if (isNext && this.hasTime() && this.fits(organisation_id, records)) {
        this.tally.add(organisation_id, records)
        return Effect.void
      }
      let one: Waiting | undefined
      const waiting = Effect.callback<void>((resume) => {
        one = { records, go: () => resume(Effect.void), hasTurn: false }
        this.waiting.set(organisation_id, [...(this.waiting.get(organisation_id) ?? []), one])
        // The turn may have gone by since it was looked at: fibers give way to others anywhere.
        this.schedule()
      })
      return Effect.onInterrupt(restore(waiting), () =>
        Effect.sync(() => {
          if (one !== undefined) this.leave(organisation_id, one)
        })
      )
    })
  }

  /** Who leaves while its turn comes gives its places back. */
  private leave(organisation_id: string, one: Waiting): void {
    if (one.hasTurn) this.giveBack(organisation_id, one.records)
    const others = (this.waiting.get(organisation_id) ?? []).filter((each) => each !== one)
    this.keep(organisation_id, others)
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
    return this.now() - this.began < turnMillis
  }

  private fits(organisation_id: string, records: number): boolean {
    if (records === 0) return true
    return this.tally.total() + records <= this.most && this.tally.of(organisation_id) + records <= this.share
  }

  /** A timer is what every runtime has; what arrives before it is due stands in its place by then. */
  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    this.began = this.now()
    setTimeout(() => this.next(), 0)
  }

  private next(): void {
    this.isScheduled = false
    this.began = this.now()
    let [granted, isOver, hasGranted] = [true, false, false]
    while (granted && !isOver) {
      granted = false
      for (const [organisation_id, queue] of [...this.waiting]) {
        // A process may stand still for longer than a turn: one goes on all the same.
        isOver = hasGranted && !this.hasTime()
        if (isOver) break
        granted = this.grant(organisation_id, queue) || granted
        hasGranted ||= granted
      }
    }
    // Those who wait for places go on when some are given back.
    if ((granted || isOver) && this.waiting.size > 0) this.schedule()
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
    one.hasTurn = true
    one.go()
    return true
  }
}
