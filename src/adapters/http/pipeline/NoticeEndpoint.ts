import { Cause, Effect, Option } from "effect"
import { makeMonotonic } from "../../../app/kernel/time/Monotonic.ts"
import { type Addressee, type NoticeAddress, NoticeReceiver } from "../../../app/payments/notice/NoticeReceiver.ts"
import { countedAs } from "../../../domain/access/ClientAddress.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { makeBuckets } from "../../../ports/access/Buckets.ts"
import type { BodyShare, makeBodyBudget } from "./BodyMemory.ts"
import { type BodyRead, type EdgeRequest, type EdgeResponse, headerOf } from "./Handler.ts"

/** Addresses that are counted at once. */
const bucketsAtMost = 100_000

const ofIntegration = /^\/processors\/([^/]+)\/notices$/
const ofPlatform = /^\/processors\/platforms\/([^/]+)\/notices$/

/** Where a path takes notices; undefined for every other path. */
export const noticeAddress = (path: string): NoticeAddress | undefined => {
  if (!path.startsWith("/processors/")) return undefined
  const [, processor] = ofPlatform.exec(path) ?? []
  if (processor !== undefined) return { _tag: "Platform", processor }
  const [, id] = ofIntegration.exec(path) ?? []
  return id === undefined ? undefined : { _tag: "Integration", id }
}

/** The path of an address, for the log: what stands in it may be anybody's. */
export const noticeRoute = ({ _tag }: NoticeAddress): string =>
  _tag === "Platform" ? "/processors/platforms/:processor/notices" : "/processors/:integration_id/notices"

const valuesOf = (request: EdgeRequest): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.keys(request.headers).map((name) => [name, headerOf(request, name)]))

const announcesTooMuch = (request: EdgeRequest): boolean =>
  Number(headerOf(request, "content-length") ?? 0) > Limits.noticeBytes

const unreadStatus: Readonly<Record<Exclude<BodyRead["_tag"], "Body">, number>> = {
  TooLarge: 413,
  Crowded: 429,
  TimedOut: 400,
  Broken: 400,
  Taken: 500
}

const bodyTaken =
  "A webhook of a payment processor was not accepted: the server read its body before this API could. Mount the API before any body parser, or keep the bytes as they came."

const answer = (
  request_id: string,
  status: number,
  { close = false, more = {} }: { readonly close?: boolean; readonly more?: Readonly<Record<string, string>> } = {}
): EdgeResponse => ({
  status,
  headers: { "cache-control": "no-store", "x-content-type-options": "nosniff", "x-request-id": request_id, ...more },
  body: "",
  close,
  recognised: status === 200
})

const later = (request_id: string, seconds: number): EdgeResponse =>
  answer(request_id, 429, { close: true, more: { "retry-after": `${seconds}` } })

interface Shared {
  readonly bodies: ReturnType<typeof makeBodyBudget>
  readonly logBreakage: (cause: Cause.Cause<unknown>) => Effect.Effect<void>
}

/**
 * Makes the limit of organisations' own accounts, which sign what they like: a token for each webhook, given back where it was
 * not verified, so that nobody else uses them up.
 */
const makeOwnLimit = (monotonic: () => number) => {
  const accepted = makeBuckets({ perSecond: Limits.noticesOwnPerSecond, burst: Limits.noticesOwnBurst }, bucketsAtMost)
  const idOf = ({ integration }: Addressee): string | undefined =>
    Option.isSome(integration) && integration.value.is_own ? integration.value.id : undefined
  return {
    /** Seconds to wait; 0 where it may be read now. */
    wait: (to: Addressee): number => {
      const id = idOf(to)
      return id === undefined ? 0 : accepted.take(id, monotonic()).retryAfterSeconds
    },
    giveBack: (to: Addressee): void => {
      const id = idOf(to)
      if (id !== undefined) accepted.giveBack(id)
    }
  } as const
}

/**
 * Makes the endpoint for the notices of payment processors, which needs no key and draws on no rate limit of the API.
 * Nobody learns why a notice was refused: answers have no body. A notice that is not verified yet takes a token of the
 * client's address, which verification gives back; those for integrations that are known here have tokens of their own,
 * so that a flood of invented ones does not keep out the processors'. money, section 2: Notice.
 */
export const makeNoticeEndpoint = Effect.fnUntraced(function* ({ bodies, logBreakage }: Shared) {
  const intake = yield* NoticeReceiver
  const monotonic = yield* makeMonotonic
  const buckets = makeBuckets(
    { perSecond: Limits.noticesUnverifiedPerSecond, burst: Limits.noticesUnverifiedBurst },
    bucketsAtMost
  )

  const ofOwn = makeOwnLimit(monotonic)

  const read = Effect.fnUntraced(function* (to: Addressee, request: EdgeRequest, request_id: string, share: BodyShare) {
    if (announcesTooMuch(request)) return answer(request_id, 413, { close: true })
    const body = yield* request.readBody({ maximumBytes: Limits.noticeBytes, hold: share.hold })
    if (body._tag !== "Body") {
      if (body._tag === "Taken") yield* Effect.logError(bodyTaken)
      if (body._tag === "Crowded") return later(request_id, 1)
      return answer(request_id, unreadStatus[body._tag], { close: body._tag !== "Taken" })
    }
    return yield* Effect.match(intake.accept(to, valuesOf(request), body.bytes), {
      onFailure: ({ _tag }) => answer(request_id, _tag === "NoticeTooLarge" ? 413 : 400),
      onSuccess: () => answer(request_id, 200)
    })
  })

  const admitted = Effect.fnUntraced(function* (to: Addressee, request: EdgeRequest, request_id: string, key: string) {
    const taken = buckets.take(key, monotonic())
    if (!taken.allowed) return later(request_id, taken.retryAfterSeconds)
    const wait = ofOwn.wait(to)
    if (wait > 0) {
      buckets.giveBack(key)
      return later(request_id, wait)
    }
    const share = bodies.open(`notices ${key}`)
    const response = yield* Effect.ensuring(read(to, request, request_id, share), Effect.sync(share.release))
    if (response.status === 200) buckets.giveBack(key)
    else ofOwn.giveBack(to)
    return response
  })

  const post = Effect.fnUntraced(function* (request: EdgeRequest, request_id: string, address: NoticeAddress) {
    const client = countedAs(request.clientAddress)
    const own = `${client} ${address._tag === "Platform" ? address.processor : address.id}`
    // Looking for an integration that is not known costs the database something: the address pays until it is found.
    const paid = !intake.isKnown(address)
    if (paid) {
      const taken = buckets.take(client, monotonic())
      if (!taken.allowed) return later(request_id, taken.retryAfterSeconds)
    }
    const to = yield* intake.find(address)
    if (Option.isNone(to)) return answer(request_id, 404)
    if (paid) buckets.giveBack(client)
    return yield* admitted(to.value, request, request_id, own)
  })

  /** The answer to a notice; undefined for every other request. */
  return (request: EdgeRequest, request_id: string): Effect.Effect<EdgeResponse> | undefined => {
    const address = noticeAddress(request.path)
    if (address === undefined) return undefined
    if (request.method !== "POST") return Effect.succeed(answer(request_id, 405, { more: { allow: "POST" } }))
    return Effect.catchCause(post(request, request_id, address), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(
            Effect.annotateLogs(logBreakage(cause), { request_id, method: request.method, path: noticeRoute(address) }),
            answer(request_id, 500)
          )
    )
  }
})
