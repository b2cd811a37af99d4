import type { WebhookEndpointId } from "../../../domain/kernel/Ids.ts"

/** How many deliveries an endpoint may have under way. */
export interface EndpointWindows {
  /** An endpoint of which nothing is known begins with so many, and goes back to them when it turned out slow. */
  readonly first: number
  /** Each fast answer makes room for one more, up to so many. */
  readonly fast: number
}

/** An answer that took less than this is fast, milliseconds. */
const fastMillis = 250

/** One that took this long is slow, milliseconds. */
const slowMillis = 1_000

/** An endpoint with deliveries under way that said nothing for so long is given no more until it does, milliseconds. */
const silentMillis = 2_000

/** A failure that took less than this is an answer, too: a refused connection keeps nobody waiting, milliseconds. */
const hangMillis = 5_000

/** How long the breaker stays open at first and at most; each probe that hangs doubles it, milliseconds. */
const firstOpenMillis = 2_000
const longestOpenMillis = 30_000

/** Endpoints that are remembered; the one whose last exchange is oldest is forgotten first. */
const endpointsRemembered = 1_024

interface Health {
  readonly window: number
  /** When it last answered, or was first asked after a time with nothing under way; monotonic. */
  readonly heardAt: number
  /** The breaker: while it is set, nothing goes out before `until`, then one probe at a time. */
  readonly open: { readonly until: number; readonly millis: number } | null
}

/** How an exchange with a receiver went. */
export interface ExchangeOutcome {
  /** Whether an HTTP answer came. */
  readonly answered: boolean
  readonly duration_ms: number
}

/** How many deliveries each endpoint may have under way now, by its answers so far. */
export interface EndpointHealth {
  /** How many more an endpoint may be given that has so many under way. */
  room(id: WebhookEndpointId, under_way: number, now: number): number
  /** Learns that an exchange begins beside so many others. */
  begin(id: WebhookEndpointId, under_way: number, now: number): void
  /** Learns how one went. */
  end(id: WebhookEndpointId, exchanged: ExchangeOutcome, now: number): void
  /** Endpoints whose room may be another than that of one that nothing is known of. */
  known(): Iterable<WebhookEndpointId>
}

/**
 * A window for each endpoint that opens with every fast answer, and a circuit breaker: closed; open after an exchange that
 * hung while nothing else was heard; half-open when its time is over, when one probe decides. It moves no delivery's
 * schedule: what is due waits for a place.
 */
export const makeEndpointHealth = (windows: EndpointWindows): EndpointHealth => {
  const endpoints = new Map<WebhookEndpointId, Health>()

  const remember = (id: WebhookEndpointId, health: Health): void => {
    endpoints.delete(id)
    endpoints.set(id, health)
    for (const oldest of endpoints.keys()) {
      if (endpoints.size <= endpointsRemembered) break
      endpoints.delete(oldest)
    }
  }

  const windowAfter = (window: number, { answered, duration_ms }: ExchangeOutcome): number => {
    if (duration_ms >= slowMillis) return Math.max(windows.first, Math.floor(window / 2))
    return answered && duration_ms < fastMillis ? Math.min(windows.fast, window + 1) : window
  }

  const afterHanging = (health: Health, duration_ms: number, now: number): Health => {
    if (health.open !== null) {
      const millis = Math.min(longestOpenMillis, health.open.millis * 2)
      return { ...health, open: { until: now + millis, millis } }
    }
    const wasHeard = health.heardAt > now - duration_ms
    return wasHeard
      ? health
      : { ...health, window: windows.first, open: { until: now + firstOpenMillis, millis: firstOpenMillis } }
  }

  return {
    room: (id, under_way, now) => {
      const health = endpoints.get(id)
      if (health === undefined) return Math.max(0, windows.first - under_way)
      if (health.open !== null) return now < health.open.until ? 0 : Math.max(0, 1 - under_way)
      if (under_way > 0 && now - health.heardAt >= silentMillis) return 0
      return Math.max(0, health.window - under_way)
    },
    begin: (id, under_way, now) => {
      const health = endpoints.get(id)
      if (health !== undefined && under_way > 0) return
      remember(id, { window: windows.first, open: null, ...health, heardAt: now })
    },
    end: (id, exchanged, now) => {
      const health = endpoints.get(id) ?? { window: windows.first, heardAt: now - exchanged.duration_ms, open: null }
      const isAnswer = exchanged.answered || exchanged.duration_ms < hangMillis
      remember(
        id,
        isAnswer
          ? { window: windowAfter(health.window, exchanged), heardAt: now, open: null }
          : afterHanging(health, exchanged.duration_ms, now)
      )
    },
    known: () => endpoints.keys()
  }
}
