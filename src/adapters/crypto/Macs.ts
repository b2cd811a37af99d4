import { createHmac, timingSafeEqual } from "node:crypto"
import { Effect, Layer, Option } from "effect"
import { type MacPurpose, Macs } from "../../ports/kernel/Macs.ts"
import { EncryptionKeys, type RingKey } from "./EncryptionKeys.ts"

/** The key of a purpose. Each purpose has one of its own, so that a MAC for one never verifies for another. */
const keyFor = (key: RingKey, purpose: MacPurpose): Buffer =>
  createHmac("sha256", key.bytes).update(`almoner ${purpose}`, "utf8").digest()

const macOf = (key: RingKey, purpose: MacPurpose, text: string): Buffer =>
  createHmac("sha256", keyFor(key, purpose)).update(text, "utf8").digest()

const equals = (mac: Buffer, presented: string): boolean => {
  const bytes = Buffer.from(presented, "base64url")
  // Node reads base64url leniently; only the spelling that `make` produces counts.
  return bytes.length === mac.length && bytes.toString("base64url") === presented && timingSafeEqual(bytes, mac)
}

/** HMAC-SHA-256 with a key of the ring for each purpose. */
export const layer: Layer.Layer<Macs, never, EncryptionKeys> = Layer.effect(
  Macs,
  Effect.map(EncryptionKeys, (ring) =>
    Macs.of({
      keyIds: ring.ids,
      make: (key_id, purpose, text) =>
        Effect.sync(() =>
          Option.map(Option.fromNullishOr(ring.find(key_id)), (key) => macOf(key, purpose, text).toString("base64url"))
        ),
      verify: (key_id, purpose, text, mac) =>
        Effect.sync(() => {
          const key = ring.find(key_id)
          return key !== undefined && equals(macOf(key, purpose, text), mac)
        })
    })
  )
)
