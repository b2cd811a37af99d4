import { createHash, randomBytes, randomInt } from "node:crypto"
import { Effect, Layer } from "effect"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { effWords } from "./EffWords.ts"
import { typeIdOf } from "./TypeId.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Bytes from here on are thrown away: they would make the first digits more likely. */
const evenBytes = 256 - (256 % alphabet.length)

const base62 = (length: number): string => {
  let text = ""
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < evenBytes) text += alphabet.charAt(byte % alphabet.length)
    }
  }
  return text
}

const words = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, () => effWords[randomInt(effWords.length)] ?? "")

/** TypeIDs, and secrets and digests by the platform's cryptography. */
export const layer: Layer.Layer<Tokens> = Layer.succeed(Tokens, {
  id: (kind) => Effect.sync(() => typeIdOf(kind)),
  base62: (length) => Effect.sync(() => base62(length)),
  words: (count) => Effect.sync(() => words(count)),
  digest: (text) => Effect.sync(() => createHash("sha256").update(text, "utf8").digest("hex")),
  digestBytes: (bytes) => Effect.sync(() => createHash("sha256").update(bytes).digest("hex"))
})
