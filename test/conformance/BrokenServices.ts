import { createHmac } from "node:crypto"
import { Clock, Effect, Layer, Option, Queue, Stream } from "effect"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"
import * as LocalRateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import * as StatementMarkupAdapter from "../../src/adapters/processors/bank/StatementMarkup.ts"
import * as AddressGuard from "../../src/adapters/webhooks/AddressGuard.ts"
import * as Transport from "../../src/adapters/webhooks/Transport.ts"
import { AddressRefused } from "../../src/domain/outbox/WebhookAddress.ts"
import type { MarkupParser, MarkupPart } from "../../src/domain/payments/Markup.ts"
import { RateLimiter } from "../../src/ports/access/RateLimiter.ts"
import { Macs as MacsPort } from "../../src/ports/kernel/Macs.ts"
import { SecretBox } from "../../src/ports/kernel/SecretBox.ts"
import { WebhookSigner } from "../../src/ports/kernel/Signer.ts"
import { Tokens as TokensPort } from "../../src/ports/kernel/Tokens.ts"
import { DeliverySignal } from "../../src/ports/outbox/DeliverySignal.ts"
import { MailTransport } from "../../src/ports/outbox/MailTransport.ts"
import { WebhookAddresses } from "../../src/ports/outbox/WebhookAddresses.ts"
import { WebhookTransport } from "../../src/ports/outbox/WebhookTransport.ts"
import { StatementContent } from "../../src/ports/payments/StatementContent.ts"
import { StatementMarkup } from "../../src/ports/payments/StatementMarkup.ts"
import type * as Conformance from "../../src/testing/Conformance.ts"
import { changePort } from "../support/ChangePort.ts"
import { rateLimiter, statementText, webhookTransport } from "./Adapters.ts"
import { keyRing } from "./KeyRings.ts"

/** A signal that ends as many waits as it was raised. */
export const countingSignal = Layer.effect(
  DeliverySignal,
  Effect.map(Queue.unbounded<void>(), (raised) =>
    DeliverySignal.of({ raise: Effect.asVoid(Queue.offer(raised, undefined)), wait: Queue.take(raised) })
  )
)

const tokens = (change: (good: TokensPort["Service"]) => Partial<TokensPort["Service"]>) =>
  changePort(TokensPort, change).pipe(Layer.provide(Tokens.layer))

/** The identifier that another one is but for its last digit. It has the form of its kind as the other has. */
const twinOf = <A extends string>(id: A, other: string): A => `${other.slice(0, -1)}${id.slice(-1)}` as A

/** Identifiers that differ in their last digits only, two by two. */
export const repeatingTokens = tokens((good) => {
  let made: string | null = null
  return {
    id: (kind) =>
      Effect.map(good.id(kind), (id) => {
        const again = made === null ? id : twinOf(id, made)
        made = made === null ? id : null
        return again
      })
  }
})

export const biasedTokens = tokens((good) => ({
  base62: (length) => Effect.map(good.base62(length), (text) => text.replaceAll("z", "0"))
}))

const limiter = (
  worse: (good: RateLimiter["Service"]) => Partial<RateLimiter["Service"]>
): Conformance.LimiterSubject<never> => ({
  ...rateLimiter,
  layer: (size) => changePort(RateLimiter, worse).pipe(Layer.provide(LocalRateLimiter.layer({ size })))
})

/** Buckets that refill by the wall clock. */
export const wallBuckets = limiter((good) => ({
  takeAnonymous: (address) =>
    Effect.clockWith((clock) =>
      Effect.provideService(good.takeAnonymous(address), Clock.Clock, {
        ...clock,
        monotonicTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe()
      })
    )
}))

/** Hides a secret without binding it to its context. */
export const unboundBox: Conformance.SecretBoxSubject<never> = {
  layer: () =>
    Layer.succeed(SecretBox, {
      seal: (secret) => Effect.sync(() => `${Math.random()}.${Buffer.from(secret).toString("hex")}`),
      open: (sealed) => Effect.sync(() => Buffer.from(sealed.split(".")[2] ?? "", "hex").toString())
    })
}

/** Codes of one purpose that are good for all. */
export const purposeIgnored: Conformance.MacsSubject<never> = {
  layer: (ring) =>
    Layer.effect(
      MacsPort,
      Effect.map(MacsPort, (good) => ({
        ...good,
        make: (key_id: string, _purpose: string, text: string) => good.make(key_id, "invitation", text)
      }))
    ).pipe(Layer.provide(EncryptionKeys.layerMacs), Layer.provide(keyRing(ring)))
}

/** Signs with what follows the secret's prefix. */
export const cutSecret = Layer.succeed(WebhookSigner, {
  sign: (secrets, id, timestamp, body) =>
    secrets
      .map((secret) => createHmac("sha256", secret.split("_").at(-1) ?? "").update(`${id}.${timestamp}.${body}`))
      .map((mac) => `v1,${mac.digest("base64")}`)
      .join(" ")
})

export const firstAnswerOnly: Conformance.AddressesSubject<never> = {
  layer: (resolve) => AddressGuard.layerWith(async (hostname) => (await resolve(hostname)).slice(0, 1))
}

/** Keeps what a name resolved to. */
export const resolvedOnce: Conformance.TransportSubject<never> = {
  ...webhookTransport,
  layer: (resolve) => {
    const known = new Map<string, Promise<ReadonlyArray<string>>>()
    return Transport.layerWith({
      resolve: (hostname) => {
        const answers = known.get(hostname) ?? resolve(hostname)
        known.set(hostname, answers)
        return answers
      },
      timeoutMillis: 300
    })
  }
}

/** A transport as `fetch` makes it easy. */
export const fetchTransport: Conformance.TransportSubject<never> = {
  ...webhookTransport,
  layer: () =>
    Layer.succeed(WebhookTransport, {
      post: ({ body, headers, url }) =>
        Effect.promise(async () => {
          const response = await fetch(url.replace("receiver.example.org", "127.0.0.1"), {
            method: "POST",
            headers,
            body
          })
          return {
            response_status: response.status,
            response_excerpt: await response.text(),
            retry_after: Option.getOrNull(Option.fromNullOr(response.headers.get("retry-after"))),
            error: null,
            duration_ms: 1
          }
        })
    })
}

const transporting = (
  worse: (good: WebhookTransport["Service"]) => WebhookTransport["Service"]["post"]
): Conformance.TransportSubject<never> => ({
  ...webhookTransport,
  layer: (resolve) =>
    Layer.effect(
      WebhookTransport,
      Effect.map(WebhookTransport, (good) => ({ post: worse(good) }))
    ).pipe(Layer.provide(webhookTransport.layer(resolve)))
})

/** Sends again what got no answer. */
export const sentTwice = transporting(
  ({ post }) =>
    (request) =>
      Effect.flatMap(post(request), (outcome) =>
        outcome.error === "connection_failed" ? post(request) : Effect.succeed(outcome)
      )
)

/** Counts the deadline from when a request is handed over. */
export const begunAnew = transporting(
  ({ post }) =>
    (request) =>
      Effect.clockWith((clock) =>
        post({ ...request, begun_millis: Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000 })
      )
)

/** Says what a refused name resolved to. */
export const resolvedTold: Conformance.AddressesSubject<never> = {
  layer: (resolve) =>
    Layer.effect(
      WebhookAddresses,
      Effect.map(WebhookAddresses, ({ vet }) => ({
        vet: Effect.fnUntraced(function* (url, rules, organisation) {
          const answers = yield* Effect.promise(() => resolve(new URL(url).hostname).catch(() => []))
          const judged = Effect.mapError(
            vet(url, rules, organisation),
            ({ reason }) => new AddressRefused({ reason: `${reason}: ${answers.join()}` })
          )
          return yield* judged
        })
      }))
    ).pipe(Layer.provide(AddressGuard.layerWith(resolve)))
}

/** A parser that tells a fault again. */
/** A server that is away is taken for one that wants no mail, which is then never sent. */
export const awayForGood = Layer.succeed(MailTransport, {
  send: () => Effect.succeed({ _tag: "Refused", reason: "connect" } as const)
})

export const faultsTwice = changePort(StatementMarkup, ({ open }) => ({
  open: (dialect) =>
    Effect.map(open(dialect), (parser): MarkupParser => {
      let faults: ReadonlyArray<MarkupPart> = []
      const after = (parts: ReadonlyArray<MarkupPart>) => {
        const all = [...faults, ...parts]
        faults = parts.filter(({ _tag }) => _tag === "Fault")
        return all
      }
      return { write: (piece) => after(parser.write(piece)), end: () => after(parser.end()) }
    })
})).pipe(Layer.provide(StatementMarkupAdapter.layer))

/** A content that is gone when it was read. */
export const readOnce: Conformance.ContentSubject<never> = {
  ...statementText,
  layer: Layer.succeed(StatementContent, (content) =>
    Effect.sync(() => {
      let rest = [content]
      return Stream.suspend(() => {
        const pieces = rest
        rest = []
        return Stream.fromIterable(pieces)
      })
    })
  )
}
