import type { EventDataByType, EventType, HostEventType } from "./generated/Records.ts"
import { encoder, macOf, secretsOf, signedBytes } from "./Signature.ts"

/** The data of a delivery: of a type that a host declares, whatever it gives. */
type DataOf<T> = T extends EventType ? EventDataByType[T] : Readonly<Record<string, unknown>>

/** A delivery to sign. */
export type SignOptions<T extends EventType | HostEventType> = {
  readonly [K in T]: {
    readonly type: K
    readonly data: DataOf<K>
    /** The endpoint's secret; several for a delivery during a rotation. */
    readonly secret: string | ReadonlyArray<string>
    /** The `webhook-id`; a new one is made when absent. */
    readonly id?: string | undefined
    readonly organisation_id?: string | undefined
    /** The instant of the event, ISO 8601; that of the signature when absent. */
    readonly occurred_at?: string | undefined
    /** The instant of the signature, milliseconds since the epoch, in place of the clock. */
    readonly now?: number | undefined
  }
}[T]

/** A delivery as the service sends it. */
export interface SignedWebhook {
  readonly body: string
  readonly headers: Readonly<Record<"content-type" | "webhook-id" | "webhook-timestamp" | "webhook-signature", string>>
}

const digits = "0123456789abcdefghjkmnpqrstvwxyz"

/** A new id: the first digit of a TypeID is below 8. */
const newId = (prefix: string): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(26))
  return `${prefix}_${Array.from(bytes, (byte, index) => digits[byte % (index === 0 ? 8 : 32)]).join("")}`
}

const signatureOf = async (secret: string, message: Uint8Array<ArrayBuffer>): Promise<string> =>
  `v1,${btoa(String.fromCharCode(...(await macOf(secret, message))))}`

/**
 * Makes a delivery of an event that `verifyWebhook` accepts, for tests of a receiver. Rejects with a `TypeError` without
 * a secret. service-spec, Delivery shape.
 */
export const signWebhook = async <const T extends EventType | HostEventType>(
  options: SignOptions<T>
): Promise<SignedWebhook> => {
  const { data, id = newId("dlv"), now = Date.now(), organisation_id = newId("org"), type } = options
  const secrets = secretsOf("signWebhook", options.secret)
  const occurred_at = options.occurred_at ?? new Date(now).toISOString()
  const body = JSON.stringify({ type, occurred_at, organisation_id, data })
  const timestamp = String(Math.floor(now / 1000))
  const message = signedBytes(id, timestamp, encoder.encode(body))
  const signatures = await Promise.all(secrets.map((secret) => signatureOf(secret, message)))
  return {
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures.join(" ")
    }
  }
}
