import { createHash } from "node:crypto"
import { Layer, Option, Redacted } from "effect"
import * as KeyRing from "../../src/adapters/crypto/KeyRing.ts"

/** A ring of keys that are made of their names. */
export const keyRing = (names: ReadonlyArray<string>): Layer.Layer<KeyRing.KeyRing> => {
  const keys = names.map((name) => `${name}:${createHash("sha256").update(name).digest("base64")}`).join(",")
  return Layer.orDie(KeyRing.layer({ keys: Option.some(Redacted.make(keys)), data_dir: Option.none() }))
}
