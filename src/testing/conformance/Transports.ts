import { Effect, type Layer, type Scope } from "effect"
import { monotonicMillis } from "../../app/kernel/time/Monotonic.ts"
import { OrganisationId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import type { AddressRules } from "../../domain/outbox/WebhookAddress.ts"
import { type WebhookOutcome, type WebhookRequest, WebhookTransport } from "../../ports/outbox/WebhookTransport.ts"
import { assert } from "./Assert.ts"
import { type Check, lawsIn, must, same } from "./Suite.ts"

/** A request as a receiver got it. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/**
 * The behaviour of a receiver: to answer a request, close the connection before or within the answer, never answer, or never
 * end the body of its answer. The last two answer 200 and begin a body.
 */
export type Behaviour =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | "hang up"
  | "stay silent"
  | "break off"
  | "drip"

/** A receiver that listens on 127.0.0.1 by plain HTTP. */
export interface Receiver {
  readonly port: number
  readonly received: ReadonlyArray<ReceivedRequest>
}

/** A transport under test, and a way to start receivers for it. */
export interface TransportSubject<E> {
  /**
   * A transport that resolves host names with `resolve`: all A and AAAA answers, whose time to live is 0, or a
   * rejection where there is none.
   */
  readonly layer: (resolve: (hostname: string) => Promise<ReadonlyArray<string>>) => Layer.Layer<WebhookTransport, E>
  /**
   * Starts a receiver that ends with the scope, and keeps connections open where it can. It behaves as `turns` say,
   * request by request; the last one stays. Only the host of the tests can open a socket.
   */
  readonly receiver: (
    ...turns: readonly [Behaviour, ...ReadonlyArray<Behaviour>]
  ) => Effect.Effect<Receiver, never, Scope.Scope>
  /** The deadline of the layer's exchanges, milliseconds; {@link Limits.webhookTimeoutMillis} when not given. */
  readonly timeoutMillis?: number
}

/** Milliseconds beyond its deadline after which the check gives up on an exchange. */
const graceMillis = 10_000

const loopback: AddressRules = { require_https: false, allowed_cidrs: ["127.0.0.0/8"] }
const organisation_id = OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5d")
const other_organisation_id = OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5e")
const nothingAllowed: AddressRules = { require_https: false, allowed_cidrs: [] }

const judged = "WebhookTransport.post MUST judge every address of the host for each exchange"
const untold = "WebhookTransport.post MUST NOT tell whether a name has no address or a refused one"
const once = "WebhookTransport.post MUST NOT send the request again once it was written"
const late =
  "WebhookTransport.post MUST NOT write it once Limits.webhookTimeoutMillis have passed since its begun_millis"
const stays = "WebhookTransport.post MUST NOT follow a redirect"
const counts = "WebhookTransport.post MUST tell the status of an answer whose headers came, and no error"
const ends = "WebhookTransport.post MUST end within Limits.webhookTimeoutMillis over the whole exchange"
const answers = "WebhookTransport.post MUST NOT fail: whatever happens is an outcome"

/** A request, but for when it begins, which is as a rule when it is posted. */
type Asked = Omit<WebhookRequest, "begun_millis"> & Partial<Pick<WebhookRequest, "begun_millis">>

const to = (port: number, changes: Partial<Asked> = {}): Asked => ({
  organisation_id,
  url: `http://receiver.example.org:${port}/hooks?a=b`,
  headers: { "content-type": "application/json", "webhook-id": "dlv_1" },
  body: `{"name":"Zoë"}`,
  rules: loopback,
  ...changes
})

type Resolved = ReadonlyArray<string>

/** Resolves names as a script says, turn by turn; its last turn stays. */
const scripted = (...turns: readonly [Resolved, ...ReadonlyArray<Resolved>]) => {
  const left = [...turns]
  return (): Promise<Resolved> => Promise.resolve((left.length > 1 ? left.shift() : left[0]) ?? [])
}

/** The checks of exchanges whose host names resolve as a script says. */
const resolving = <E>(subject: TransportSubject<E>, ...turns: Parameters<typeof scripted>) =>
  lawsIn(subject.layer(scripted(...turns)))

const post = Effect.fnUntraced(function* (subject: { readonly timeoutMillis?: number }, asked: Asked) {
  const transport = yield* WebhookTransport
  const request: WebhookRequest = { begun_millis: yield* monotonicMillis, ...asked }
  return yield* Effect.timeoutOrElse(transport.post(request), {
    duration: (subject.timeoutMillis ?? Limits.webhookTimeoutMillis) + graceMillis,
    orElse: () => Effect.die(new Error("The exchange did not end."))
  })
})

const errorOf = ({ error, response_status }: WebhookOutcome) => ({ error, response_status })

const deliveries = <E>(subject: TransportSubject<E>): ReadonlyArray<Check> => [
  resolving(subject, ["127.0.0.1"]).must(
    "the body and the headers arrive as they were given, under the original host, and the answer is told",
    [],
    function* () {
      const headers = { "retry-after": "120" }
      const { port, received } = yield* subject.receiver({ status: 201, headers, body: "thanks" })
      const { duration_ms, ...outcome } = yield* post(subject, to(port))
      same(outcome, { response_status: 201, response_excerpt: "thanks", retry_after: "120", error: null })
      assert.isAtLeast(duration_ms, 0)
      assert.lengthOf(received, 1)
      yield* post(subject, to(port, { headers: { "content-type": "text/plain", "webhook-id": "dlv_2" }, body: "é" }))
      const host = `receiver.example.org:${port}`
      same(
        received.map(({ body, headers, method, path }) => {
          return [method, path, body, headers["host"], headers["webhook-id"], headers["content-type"]]
        }),
        [
          ["POST", "/hooks?a=b", `{"name":"Zoë"}`, host, "dlv_1", "application/json"],
          ["POST", "/hooks?a=b", "é", host, "dlv_2", "text/plain"]
        ]
      )
    }
  ),

  resolving(subject, ["127.0.0.1"]).must("no more of an answer is kept than the limit", [], function* () {
    const { port } = yield* subject.receiver({ status: 500, body: "é".repeat(Limits.attemptExcerptBytes) })
    const { response_excerpt, response_status } = yield* post(subject, to(port))
    assert.strictEqual(response_status, 500)
    assert.isAtMost(new TextEncoder().encode(response_excerpt ?? "").length, Limits.attemptExcerptBytes)
  }),

  resolving(subject, ["127.0.0.1"]).must("a redirect is an answer: it is not followed", [stays], function* () {
    const target = yield* subject.receiver({ status: 200 })
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `http://127.0.0.1:${target.port}/`
      const { port, received } = yield* subject.receiver({ status, headers: { location } })
      same(errorOf(yield* post(subject, to(port))), { error: null, response_status: status })
      assert.lengthOf(received, 1)
    }
    assert.lengthOf(target.received, 0, "the redirect was followed")
  })
]

const refusals = <E>(subject: TransportSubject<E>): ReadonlyArray<Check> => [
  resolving(subject, ["8.8.8.8", "127.0.0.1"]).must(
    "an address that the rules refuse is not called: as a literal, and among the answers of a name",
    [judged],
    function* () {
      const { port, received } = yield* subject.receiver({ status: 200 })
      for (const host of ["127.0.0.1", "localhost"]) {
        const request = to(port, { url: `http://${host}:${port}/`, rules: nothingAllowed })
        same(errorOf(yield* post(subject, request)), { error: "address_refused", response_status: null }, host)
      }
      const named = to(port, { rules: nothingAllowed })
      same(errorOf(yield* post(subject, named)), { error: "dns_failed", response_status: null })
      const secure = to(port, { rules: { ...loopback, require_https: true } })
      same(errorOf(yield* post(subject, secure)), { error: "address_refused", response_status: null }, "http")
      assert.lengthOf(received, 0, "a refused address was called")
    }
  ),

  resolving(subject, ["127.0.0.1"], ["10.0.0.1"], ["127.0.0.1"]).must(
    "a host is resolved and judged for each exchange, whatever it resolved to before",
    [judged],
    function* () {
      const { port, received } = yield* subject.receiver({ status: 204 })
      const errors: Array<string | null> = []
      for (let turn = 0; turn < 3; turn++) errors.push((yield* post(subject, to(port))).error)
      same(errors, [null, "dns_failed", null])
      assert.lengthOf(received, 2)
    }
  ),

  resolving(subject, ["10.0.0.1"], [], ["8.8.8.8", "fd00::1"]).must(
    "a name whose address is refused looks like one that has none",
    [untold],
    function* () {
      const outcomes = []
      for (let turn = 0; turn < 3; turn++) {
        const { duration_ms, ...outcome } = yield* post(subject, to(80))
        outcomes.push(outcome)
      }
      same(outcomes[0], outcomes[1])
      same(outcomes[2], outcomes[1])
    }
  )
]

const shares = <E>(subject: TransportSubject<E>): ReadonlyArray<Check> => [
  must("one organisation's look-ups that hang hold up no other's exchanges", [], function* () {
    const hangs = (hostname: string) =>
      hostname.startsWith("hangs") ? new Promise<never>(() => undefined) : Promise.resolve(["127.0.0.1"])
    const { port } = yield* subject.receiver({ status: 204 })
    const names = Array.from({ length: 2 * Limits.webhookLookups }, (_, index) => `http://hangs-${index}.example.org/`)
    const held = Effect.raceAllFirst(names.map((url) => post(subject, to(port, { url }))))
    const free = post(subject, to(port, { organisation_id: other_organisation_id }))
    const first = yield* Effect.provide(Effect.raceFirst(held, free), subject.layer(hangs))
    same(errorOf(first), { error: null, response_status: 204 })
  })
]

const failures = <E>(subject: TransportSubject<E>): ReadonlyArray<Check> => [
  resolving(subject, ["127.0.0.1"]).must(
    "a receiver that says nothing is a timeout, and one whose answer never ends is ended",
    [ends, answers],
    function* () {
      const silent = yield* subject.receiver("stay silent")
      const before = yield* monotonicMillis
      const { duration_ms, ...outcome } = yield* post(subject, to(silent.port))
      same(errorOf({ ...outcome, duration_ms }), { error: "timeout", response_status: null })
      assert.isAtLeast(duration_ms, 0.75 * (subject.timeoutMillis ?? Limits.webhookTimeoutMillis))
      assert.isAtMost(duration_ms, Math.ceil((yield* monotonicMillis) - before) + 1)
      const dripping = yield* subject.receiver("drip")
      yield* post(subject, to(dripping.port))
    }
  ),

  resolving(subject, ["127.0.0.1"]).must(
    "a request that is handed over past its deadline is not written, over a kept connection or a new one",
    [late],

    function* () {
      const { port, received } = yield* subject.receiver({ status: 204 })
      const timeoutMillis = subject.timeoutMillis ?? Limits.webhookTimeoutMillis
      for (const written of [0, 1]) {
        const begun_millis = (yield* monotonicMillis) - timeoutMillis
        same(errorOf(yield* post(subject, to(port, { begun_millis }))), { error: "timeout", response_status: null })
        assert.lengthOf(received, written, "what began too long ago was sent")
        same(errorOf(yield* post(subject, to(port))), { error: null, response_status: 204 })
      }
    }
  ),

  resolving(subject, ["127.0.0.1"]).must(
    "an answer counts by its status, whatever becomes of its body",
    [counts, answers],
    function* () {
      const body = "x".repeat(Limits.bodyBytes)
      for (const behaviour of ["drip", "break off", { status: 200, body }] as const) {
        const { port } = yield* subject.receiver(behaviour)
        const outcome = yield* post(subject, to(port))
        same(errorOf(outcome), { error: null, response_status: 200 }, String(behaviour))
        assert.notStrictEqual(outcome.response_excerpt, null, "what came of the body is not kept")
      }
    }
  ),

  resolving(subject, ["127.0.0.1"]).must(
    "a request whose connection broke is not sent again, whatever the connection carried before",
    [once],
    function* () {
      const { port, received } = yield* subject.receiver({ status: 200 }, "hang up", { status: 204 })
      const outcomes = []
      for (let turn = 0; turn < 3; turn++) outcomes.push(errorOf(yield* post(subject, to(port))))
      same(outcomes, [
        { error: null, response_status: 200 },
        { error: "connection_failed", response_status: null },
        { error: null, response_status: 204 }
      ])
      assert.lengthOf(received, 3)
    }
  ),

  must("a host that never resolves is ended, and one without address is an outcome", [ends, answers], function* () {
    const never = subject.layer(() => new Promise(() => undefined))
    const slow = yield* Effect.provide(post(subject, to(80)), never)
    same(errorOf(slow), { error: "timeout", response_status: null })
    const unknown = subject.layer(() => Promise.reject(new Error("not known")))
    const failed = yield* Effect.provide(post(subject, to(80)), unknown)
    same(errorOf(failed), { error: "dns_failed", response_status: null })
  }),

  resolving(subject, ["127.0.0.1"]).must(
    "a broken connection, a refused one and a URL that is none are outcomes",
    [answers],
    function* () {
      const broken = yield* subject.receiver("hang up")
      same(errorOf(yield* post(subject, to(broken.port))), { error: "connection_failed", response_status: null })
      const { port } = yield* Effect.scoped(subject.receiver({ status: 200 }))
      same(errorOf(yield* post(subject, to(port))), { error: "connection_failed", response_status: null })
      const { error } = yield* post(subject, to(port, { url: "no URL" }))
      assert.strictEqual(error, "address_refused")
    }
  )
]

/** The laws of {@link WebhookTransport}. TLS cannot be tried with receivers of plain HTTP. */
export const transports = <E>(subject: TransportSubject<E>): ReadonlyArray<Check> => [
  ...deliveries(subject),
  ...refusals(subject),
  ...shares(subject),
  ...failures(subject)
]
