import { type Attempt, attemptOf, type Outcome } from "./Attempt.ts"
import type { EventDataByType, EventType, HostEventType } from "./generated/Records.ts"
import type { DeclaredOnly } from "./HostEvents.ts"
import { encoder, macOf, secretsOf, signedBytes } from "./Signature.ts"
import type { OutputOf, StandardSchema } from "./StandardSchema.ts"

/** A delivered event of a type. `id` is the `webhook-id`: the same on every retry of a delivery, so dedupe on it. */
export type EventOf<T extends EventType> = {
  readonly [K in T]: {
    readonly id: string
    readonly type: K
    readonly occurred_at: string
    readonly organisation_id: string
    readonly data: EventDataByType[K]
  }
}[T]

/** Any delivered event; `type` tells which data it has. A later version of the service may send other types, too. */
export type WebhookEvent = EventOf<EventType>

/** A delivered event of a type that the host declares. `id` as in {@link EventOf}; the data are what its schema gives. */
export type HostEventOf<Events> = {
  readonly [T in keyof Events & HostEventType]: {
    readonly id: string
    readonly type: T
    readonly occurred_at: string
    readonly organisation_id: string
    readonly data: OutputOf<Events[T]>
  }
}[keyof Events & HostEventType]

/**
 * The reasons for which a request is not a delivery of the service: a header is missing or unreadable, its time is
 * further away than the tolerance, no signature is right, the
 * signed body is not an event, or its data do not fit the schema given for its type.
 */
export type WebhookRejectedReason = "headers" | "timestamp" | "signature" | "body" | "data"

const sentences: Readonly<Record<WebhookRejectedReason, string>> = {
  headers: "A header of the delivery is missing or unreadable.",
  timestamp: "The delivery was signed too long ago, or in the future.",
  signature: "No signature is right.",
  body: "The body is not an event.",
  data: "The data of the event do not fit the schema of its type."
}

/** A request that is not a delivery of the service. Answer it with 400. */
export class WebhookRejected extends Error {
  override readonly name = "WebhookRejected"
  readonly reason: WebhookRejectedReason

  constructor(reason: WebhookRejectedReason) {
    super(sentences[reason])
    this.reason = reason
  }
}

/** Headers as the web standard has them, or as a record whatever the case of its names. */
export type ReceivedHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A delivery to verify, and the secrets to verify it with. */
export interface VerifyOptions<Events = unknown> {
  /** The body as it arrived: its bytes, or their text, before any JSON parser. */
  readonly body: string | Uint8Array | ArrayBuffer
  readonly headers: ReceivedHeaders
  /** The endpoint's secret; several while one is being rotated. */
  readonly secret: string | ReadonlyArray<string>
  /** Milliseconds since the epoch, in place of the clock. */
  readonly now?: number
  /** Seconds that the signature's time may be away. 300. service-spec, Limits. */
  readonly toleranceSeconds?: number
  /**
   * The schemas of the data of event types that a host declares, as it gave them to `Almoner.open`: an event of such a type
   * is read by its schema, and has its type. Any library's that has Standard Schema version 1; one of Effect by
   * `Schema.toStandardSchemaV1`.
   */
  readonly events?: (Events & DeclaredOnly<Events>) | undefined
}

const isGettable = (headers: ReceivedHeaders): headers is { get(name: string): string | null } =>
  typeof headers["get"] === "function"

const headerOf = (headers: ReceivedHeaders, name: string): string => {
  if (isGettable(headers)) return headers.get(name) ?? ""
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === "string" ? value : ""
}

/** The MAC of a `v1` signature; empty for another version, or where it is not base64. */
const bytesOf = (signature: string): Uint8Array => {
  const [version, text = ""] = signature.split(",")
  try {
    return version === "v1" ? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)) : new Uint8Array()
  } catch {
    return new Uint8Array()
  }
}

/** Compares two values of one length in the same time wherever they differ. */
const areEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The service signed the event, so that a check of its envelope is enough. */
const isEvent = (value: unknown): value is WebhookEvent =>
  isRecord(value) &&
  [value["id"], value["type"], value["occurred_at"], value["organisation_id"]].every((it) => typeof it === "string") &&
  isRecord(value["data"])

const eventOf = (id: string, body: Uint8Array): WebhookEvent | null => {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
    const event: unknown = isRecord(parsed) ? { ...parsed, id } : null
    return isEvent(event) ? event : null
  } catch {
    return null
  }
}

/** The event with its data as the schema of its type gives them, where there is one; null where they do not fit. */
const readBySchema = async (event: WebhookEvent, events: object | undefined): Promise<unknown> => {
  if (events === undefined || !Object.hasOwn(events, event.type)) return event
  // The option's type holds what its values are.
  const schema = Reflect.get(events, event.type) as StandardSchema
  const read = await schema["~standard"].validate(event.data)
  return read.issues === undefined ? { ...event, data: read.value } : null
}

/** By its name: it may be of another realm. */
const isArrayBuffer = (body: unknown): body is ArrayBuffer =>
  Object.prototype.toString.call(body) === "[object ArrayBuffer]"

/** The bytes that were signed. JSON that was parsed and written anew is not what was signed. */
const bytesOfBody = (body: unknown): Uint8Array => {
  if (typeof body === "string") return encoder.encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (isArrayBuffer(body)) return new Uint8Array(body)
  throw new TypeError(
    body === undefined || body === null
      ? "verifyWebhook was given no body: give it the bytes of the request, or their text."
      : "verifyWebhook was given a body that was parsed already: give it the bytes of the request, or their text. Read them before a JSON parser does, for example with express.raw(), or with request.text()."
  )
}

const requireHeaders = (headers: unknown): void => {
  if (typeof headers === "object" && headers !== null) return
  throw new TypeError("verifyWebhook needs the headers of the request: a record, or the Headers of the web standard.")
}

const verify = async <Events>(
  options: VerifyOptions<Events>
): Promise<Outcome<WebhookEvent | HostEventOf<Events>, WebhookRejected>> => {
  const rejected = (reason: WebhookRejectedReason) => ({ ok: false, failure: new WebhookRejected(reason) }) as const
  if (typeof options !== "object" || options === null) {
    throw new TypeError("verifyWebhook takes an object with body, headers and secret.")
  }
  const secrets = secretsOf("verifyWebhook", options.secret)
  requireHeaders(options.headers)
  const body = bytesOfBody(options.body)
  const { headers, now = Date.now(), toleranceSeconds = 300 } = options
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  const signatures = headerOf(headers, "webhook-signature").split(" ").map(bytesOf)
  if (id === "" || !/^\d{1,12}$/.test(timestamp)) return rejected("headers")
  if (Math.abs(Math.floor(now / 1000) - Number(timestamp)) > toleranceSeconds) return rejected("timestamp")
  const message = signedBytes(id, timestamp, body)
  const macs = await Promise.all(secrets.map((secret) => macOf(secret, message)))
  if (!macs.some((mac) => signatures.some((signature) => areEqual(mac, signature)))) return rejected("signature")
  const event = eventOf(id, body)
  if (event === null) return rejected("body")
  const value = await readBySchema(event, options.events)
  return value === null ? rejected("data") : { ok: true, value: value as WebhookEvent | HostEventOf<Events> }
}

/**
 * The event of a delivery, once its signature is verified (HMAC-SHA256 over `id.timestamp.body` with the secret's UTF-8
 * bytes). Rejects with `WebhookRejected`; `outcome()` gives either as a value. service-spec, Delivery shape.
 */
export const verifyWebhook = <Events = unknown>(
  options: VerifyOptions<Events>
): Attempt<WebhookEvent | HostEventOf<Events>, WebhookRejected> => attemptOf(verify(options))
