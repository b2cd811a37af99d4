import { Layer, Option, Redacted } from "effect"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"
import * as Tokens from "../../src/adapters/crypto/Tokens.ts"

const keys = Option.some(Redacted.make(`test:${Buffer.alloc(32, 7).toString("base64")}`))

const ring = EncryptionKeys.layer({ keys, folder: Option.none() })

export const secretBox = EncryptionKeys.layerSecretBox.pipe(Layer.provide(ring), Layer.orDie)

/** Ids, and MACs with that key. */
export const macsAndTokens = Layer.merge(EncryptionKeys.layerMacs, Tokens.layer).pipe(Layer.provide(ring), Layer.orDie)
