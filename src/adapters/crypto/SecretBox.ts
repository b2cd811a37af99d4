import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { SealBroken, SecretBox } from "../../ports/kernel/SecretBox.ts"
import { EncryptionKeys, type RingKey } from "./EncryptionKeys.ts"

const algorithm = "aes-256-gcm"
const version = "v1"
const nonceBytes = 12
const tagBytes = 16

const seal = (key: RingKey, secret: string, context: string): string => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(context, "utf8"))
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
  return [version, key.id, nonce.toString("base64url"), sealed.toString("base64url")].join(".")
}

/** The bytes of a base64url text, of which only the spelling that {@link seal} produces is accepted. */
const decode = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, "base64url")
  return bytes.toString("base64url") === text ? bytes : undefined
}

const open = (key: RingKey, nonceText: string, sealedText: string, context: string): string | undefined => {
  const nonce = decode(nonceText)
  const sealed = decode(sealedText)
  if (nonce?.length !== nonceBytes || sealed === undefined || sealed.length < tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context, "utf8"))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const opened = decipher.update(sealed.subarray(0, -tagBytes))
  try {
    return Buffer.concat([opened, decipher.final()]).toString("utf8")
  } catch {
    return undefined
  }
}

/**
 * AES-256-GCM with a random 96-bit nonce and the context as associated data. The text form is `v1.<key
 * id>.<nonce>.<ciphertext and tag>`, the last two in base64url.
 */
export const layer: Layer.Layer<SecretBox, never, EncryptionKeys> = Layer.effect(
  SecretBox,
  Effect.gen(function* () {
    const ring = yield* EncryptionKeys
    return SecretBox.of({
      seal: (secret, context) => Effect.sync(() => seal(ring.newest, secret, context)),
      open: (sealed, context) =>
        Effect.suspend(() => {
          const [found, key_id = "", nonce = "", text = "", ...rest] = sealed.split(".")
          const key = found === version && rest.length === 0 ? ring.find(key_id) : undefined
          const secret = key === undefined ? undefined : open(key, nonce, text, context)
          return secret === undefined ? Effect.fail(new SealBroken({ key_id })) : Effect.succeed(secret)
        })
    })
  })
)
