import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto"
import { AuditStore, SealBroken, type SecretBox, type WebhookSigner } from "almoner/ports"
import { Effect, Layer } from "effect"

/** Signs deliveries; a key service would be asked here. */
export const signer: WebhookSigner["Service"] = {
  sign: (secrets, id, timestamp, body) =>
    secrets
      .map((secret) => `v1,${createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64")}`)
      .join(" ")
}

const keyOf = (name: string): Buffer => createHash("sha256").update(`key service: ${name}`).digest()

const opened = (name: string, bytes: Buffer, context: string): string => {
  const decipher = createDecipheriv("aes-256-gcm", keyOf(name), bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString("utf8")
}

/** Seals with the first of these keys, and opens with any of them. */
export const boxOf = ([newest, ...older]: readonly [string, ...ReadonlyArray<string>]): SecretBox["Service"] => ({
  seal: (secret, context) =>
    Effect.sync(() => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv("aes-256-gcm", keyOf(newest), nonce).setAAD(Buffer.from(context))
      const bytes = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]
      return `v1.${newest}.${Buffer.concat(bytes).toString("hex")}`
    }),
  open: (sealed, context) => {
    const [, key_id = "", text = ""] = /^v1\.(\w+)\.((?:[0-9a-f]{2}){28,})$/.exec(sealed) ?? []
    return [newest, ...older].includes(key_id)
      ? Effect.try({
          try: () => opened(key_id, Buffer.from(text, "hex"), context),
          catch: () => new SealBroken({ key_id })
        })
      : Effect.fail(new SealBroken({ key_id }))
  }
})

/** The backend's store, with a log beside it: an adapter may ask for the port that it takes the place of. */
export const auditWith = (log: (line: string) => void): Layer.Layer<AuditStore, never, AuditStore> =>
  Layer.effect(
    AuditStore,
    Effect.map(AuditStore, (store) => ({
      append: (entry) =>
        Effect.andThen(
          store.append(entry),
          Effect.sync(() => log(`${entry.operation} by ${entry.actor_id}`))
        ),
      list: (organisation_id, limit) => store.list(organisation_id, limit)
    }))
  )
