import { createHash } from "node:crypto"
import { Layer, Option, Redacted } from "effect"
import * as EncryptionKeys from "../../src/adapters/crypto/EncryptionKeys.ts"

export const keyRing = (names: ReadonlyArray<string>): Layer.Layer<EncryptionKeys.EncryptionKeys> => {
  const keys = names.map((name) => `${name}:${createHash("sha256").update(name).digest("base64")}`).join(",")
  return Layer.orDie(EncryptionKeys.layer({ keys: Option.some(Redacted.make(keys)), folder: Option.none() }))
}
