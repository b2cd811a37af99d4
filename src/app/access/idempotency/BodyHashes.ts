import { Effect, Option } from "effect"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"

/** The hashes of a body: the one to store, and those that an older record may have. */
export type BodyHashes = readonly [kept: string, ...older: ReadonlyArray<string>]

/**
 * Makes the hashes by which a request's body is recognised when its Idempotency-Key comes again. The first is the one
 * to store, keyed with the ring's newest key, because a body may hold a passphrase, whose plain digest could be found
 * by trying. The others are those that an older record may have: under the ring's older keys, and the plain digest that
 * records had before hashes were keyed.
 */
export const makeBodyHashes = Effect.gen(function* () {
  const macs = yield* Macs
  const tokens = yield* Tokens

  return Effect.fnUntraced(function* (body: Uint8Array) {
    const digest = yield* tokens.digestBytes(body)
    const under = (key_id: string) =>
      Effect.map(macs.make(key_id, "request_body", digest), (mac) => `${key_id}.${Option.getOrThrow(mac)}`)
    const [newest, ...older] = macs.keyIds
    const hashes: BodyHashes = [yield* under(newest), ...(yield* Effect.forEach(older, under)), digest]
    return hashes
  })
})
