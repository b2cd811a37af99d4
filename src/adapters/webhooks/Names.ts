import { Limits } from "../../domain/kernel/Limits.ts"
import type { Answer, Resolve } from "./Resolver.ts"
import { Slots } from "./Slots.ts"

/** Values that are remembered for a time; where there are too many, the oldest is dropped first. */
class Remembered<A> {
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

/** Receives all addresses of a name; an empty list when there are none, too many, or none in time. */
type Listener = (addresses: ReadonlyArray<string>) => void

interface Asker {
  readonly organisation: string
  readonly listener: Listener
}

/** One look-up of one name, for all that ask for it at the same time. */
interface LookUp {
  readonly hostname: string
  readonly askers: Set<Asker>
  /** By organisation: gives back the place that the look-up has there, or leaves the queue for one. */
  readonly places: Map<string, () => void>
  readonly abort: AbortController
  underWay: boolean
  timer: NodeJS.Timeout | undefined
}

const addressOf = (answer: string | Answer): string => (typeof answer === "string" ? answer : answer.address)

/** The seconds for which answers may be remembered: the shortest time to live among them. */
const secondsOf = (answers: ReadonlyArray<string | Answer>): number => {
  const each = answers.map((answer) => (typeof answer === "string" ? 0 : answer.ttl))
  return each.length === 0 ? 0 : Math.min(Limits.webhookNameSeconds, ...each)
}

/**
 * The addresses of host names. Look-ups are bounded for each organisation and in all; one over its bound waits for as long
 * as somebody asks. A look-up that nobody waits for any more ends.
 */
export class Names {
  private closed = false
  private readonly resolve: Resolve
  private readonly places = new Slots(Limits.webhookLookups, Limits.webhookLookupsTotal)
  private readonly remembered: Remembered<ReadonlyArray<string>>
  /** The look-ups that wait or are under way. */
  private readonly lookUps = new Map<string, LookUp>()

  /** `now` is a monotonic clock, milliseconds. */
  constructor(resolve: Resolve, now: () => number = () => performance.now()) {
    this.resolve = resolve
    this.remembered = new Remembered(Limits.webhookNames, now)
  }

  /**
   * Asks for a name; calls the listener once, immediately where the answer is known. The returned function withdraws
   * the question.
   */
  ask(organisation: string, hostname: string, listener: Listener): () => void {
    const known = this.closed ? [] : this.remembered.get(hostname)
    if (known !== undefined) {
      listener(known)
      return () => undefined
    }
    const lookUp = this.lookUpOf(hostname)
    const asker = { organisation, listener }
    lookUp.askers.add(asker)
    if (!lookUp.underWay && !lookUp.places.has(organisation)) this.queue(lookUp, organisation)
    return () => this.leave(lookUp, asker)
  }

  /** Ends all look-ups: questions now and later resolve to no address. */
  close(): void {
    this.closed = true
    for (const lookUp of [...this.lookUps.values()]) this.settle(lookUp, [])
  }

  private lookUpOf(hostname: string): LookUp {
    const known = this.lookUps.get(hostname)
    if (known !== undefined) return known
    const abort = new AbortController()
    const made = { hostname, askers: new Set<Asker>(), places: new Map(), abort, underWay: false, timer: undefined }
    this.lookUps.set(hostname, made)
    return made
  }

  private queue(lookUp: LookUp, organisation: string): void {
    const giveBack = this.places.take(organisation, () => this.start(lookUp, organisation))
    lookUp.places.set(organisation, giveBack)
  }

  private start(lookUp: LookUp, organisation: string): void {
    if (this.closed) return
    lookUp.underWay = true
    for (const [other, leaveQueue] of lookUp.places) {
      if (other === organisation) continue
      lookUp.places.delete(other)
      leaveQueue()
    }
    lookUp.timer = setTimeout(() => this.fail(lookUp), Limits.webhookLookupMillis)
    this.resolve(lookUp.hostname, lookUp.abort.signal).then(
      (answers) => this.succeed(lookUp, answers),
      () => this.fail(lookUp)
    )
  }

  private succeed(lookUp: LookUp, answers: ReadonlyArray<string | Answer>): void {
    const addresses = answers.length > Limits.webhookAddresses ? [] : answers.map(addressOf)
    this.settle(lookUp, addresses, secondsOf(answers))
  }

  private fail(lookUp: LookUp): void {
    this.settle(lookUp, [], Limits.webhookNoNameSeconds)
  }

  private settle(lookUp: LookUp, addresses: ReadonlyArray<string>, seconds = 0): void {
    if (!this.end(lookUp)) return
    this.remembered.set(lookUp.hostname, addresses, seconds)
    for (const { listener } of lookUp.askers) listener(addresses)
  }

  private leave(lookUp: LookUp, asker: Asker): void {
    lookUp.askers.delete(asker)
    if (lookUp.askers.size === 0) {
      this.end(lookUp)
      return
    }
    const { organisation } = asker
    if (lookUp.underWay || [...lookUp.askers].some((other) => other.organisation === organisation)) return
    const leaveQueue = lookUp.places.get(organisation)
    lookUp.places.delete(organisation)
    leaveQueue?.()
  }

  /** Ends a look-up; false where it had ended before. */
  private end(lookUp: LookUp): boolean {
    if (this.lookUps.get(lookUp.hostname) !== lookUp) return false
    this.lookUps.delete(lookUp.hostname)
    clearTimeout(lookUp.timer)
    lookUp.abort.abort()
    for (const giveBack of lookUp.places.values()) giveBack()
    return true
  }
}
