/**
 * What was committed and what arrived. It knows nothing of the service but the contract: a committed change reaches each
 * subscribed endpoint once, with one `webhook-id`. Times are milliseconds of one monotonic clock.
 */

/** Arrivals within so long of their commit are prompt. */
const promptMillis = 2_000

/** An attempt that was under way when its sender was lost had come within so long before, the deadline of an exchange. */
const exchangeMillis = 10_000

/** How long after the loss of its sender a request may still be read from its connection. */
const lingerMillis = 1_000

const wasUnderWay = (at, losses) => losses.some((loss) => at >= loss - exchangeMillis && at <= loss + lingerMillis)

const keyOf = (endpoint, type, subject) => `${endpoint} ${type} ${subject}`

export class Ledger {
  #expected = new Map()
  #arrivals = new Map()
  #requests = new Map()

  /** A change was answered as committed, whose events go to these endpoints. */
  committed({ at, endpoints, subject, types }) {
    for (const endpoint of endpoints) {
      for (const type of types) this.#expected.set(keyOf(endpoint, type, subject), at)
    }
  }

  /** A request came; `isAccepted` says whether it gets a 2xx. */
  arrived({ at, endpoint, id, isAccepted, subject, type }) {
    const key = keyOf(endpoint, type, subject)
    const known = this.#arrivals.get(key)
    if (known === undefined) this.#arrivals.set(key, [{ at, id, isAccepted }])
    else known.push({ at, id, isAccepted })
    const requests = this.#requests.get(id)
    if (requests === undefined) this.#requests.set(id, [at])
    else requests.push(at)
  }

  /** How many requests came with a `webhook-id`, without those that the loss of their sender may have cut short. */
  requests(id, losses = []) {
    return (this.#requests.get(id) ?? []).filter((at) => !wasUnderWay(at, losses)).length
  }

  /** All that came to an endpoint, grouped by what it is about. */
  arrivalsAt(endpoint) {
    return [...this.#arrivals].filter(([key]) => key.startsWith(`${endpoint} `)).map(([, arrivals]) => arrivals)
  }

  #firstAccepted(key) {
    return this.#arrivals.get(key)?.find(({ isAccepted }) => isAccepted)?.at
  }

  get missing() {
    let count = 0
    for (const key of this.#expected.keys()) if (this.#firstAccepted(key) === undefined) count++
    return count
  }

  /** From commit to first arrival, milliseconds, of what was committed since; what never came waits for ever. */
  waits(since = 0) {
    return [...this.#expected]
      .filter(([, committedAt]) => committedAt >= since)
      .map(([key, committedAt]) => Math.max(0, (this.#firstAccepted(key) ?? Number.POSITIVE_INFINITY) - committedAt))
  }

  /** Seconds from `since` until arrivals were prompt and stayed so; null when something never came. */
  recovery(since) {
    let last = since
    for (const [key, committedAt] of this.#expected) {
      const at = this.#firstAccepted(key)
      if (at === undefined) return null
      if (at - committedAt > promptMillis) last = Math.max(last, at)
    }
    return (last - since) / 1_000
  }

  /** All that came again after a request that was accepted, with the milliseconds between the two. */
  #again() {
    const found = []
    for (const arrivals of this.#arrivals.values()) {
      let accepted
      for (const arrival of arrivals) {
        if (accepted !== undefined) found.push({ accepted, arrival, after: arrival.at - accepted.at })
        if (arrival.isAccepted) accepted = arrival
      }
    }
    return found
  }

  /**
   * `losses` are the moments at which a sender was killed or frozen, `wakes` those at which one that was frozen went on. A
   * repetition after an accepted request is explained when it has the same id and that request was under way at a loss. A
   * process that was stopped in the midst of writing a request writes the rest of it when it wakes: each wake explains one
   * repetition with the same id, at most, that comes right after it. Any other is a double.
   */
  doubles(losses = [], wakes = []) {
    const left = [...wakes]
    const isOfWake = ({ at }) => {
      const index = left.findIndex((wake) => at >= wake && at <= wake + lingerMillis)
      if (index !== -1) left.splice(index, 1)
      return index !== -1
    }
    return this.#again().filter(
      ({ accepted, arrival }) => arrival.id !== accepted.id || !(wasUnderWay(accepted.at, losses) || isOfWake(arrival))
    )
  }

  /** What came of all that was expected. */
  count(losses = [], wakes = []) {
    const lost = this.missing
    const doubled = this.doubles(losses, wakes).length
    const repeated = this.#again().length - doubled
    return { expected: this.#expected.size, arrived: this.#expected.size - lost, lost, doubled, repeated }
  }
}
