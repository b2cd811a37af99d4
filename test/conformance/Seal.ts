import { Layer, Option, Redacted } from "effect"
import * as KeyRing from "../../src/adapters/crypto/KeyRing.ts"
import * as SecretBox from "../../src/adapters/crypto/SecretBox.ts"

const keys = Option.some(Redacted.make(`test:${Buffer.alloc(32, 7).toString("base64")}`))

/** A secret box with one key that is known. */
export const secretBox = SecretBox.layer.pipe(
  Layer.provide(KeyRing.layer({ keys, data_dir: Option.none() })),
  Layer.orDie
)
