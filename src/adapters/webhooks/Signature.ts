import { createHmac } from "node:crypto"
import { Layer } from "effect"
import { WebhookSigner } from "../../ports/kernel/Signer.ts"

/**
 * The `webhook-signature` header of a delivery: one `v1,<base64>` per secret, separated by a space, so that a receiver
 * that still holds the old secret of a rotation verifies it, too. The key is the UTF-8 bytes of the whole secret.
 * service-spec, Delivery shape: Signing.
 */
export const sign = (secrets: ReadonlyArray<string>, id: string, timestampSeconds: number, body: string): string => {
  const signed = `${id}.${timestampSeconds}.${body}`
  return secrets.map((secret) => `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`).join(" ")
}

/** Signs with the `v1` scheme of Standard Webhooks. */
export const layer: Layer.Layer<WebhookSigner> = Layer.succeed(WebhookSigner, { sign })
