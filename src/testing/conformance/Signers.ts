import { Effect } from "effect"
import fc from "fast-check"
import { WebhookSigner } from "../../ports/kernel/Signer.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { type Check, law, must, property, runsOf, same, type Thoroughness } from "./Suite.ts"

const keyed = "WebhookSigner.sign MUST take the UTF-8 bytes of the whole secret as the key"

const secret = fc.stringMatching(/^[A-Za-z0-9_éß漢]{1,60}$/u)
const id = fc.stringMatching(/^[a-z0-9_]{1,40}$/)
const timestamp = fc.integer({ min: 0, max: 4_000_000_000 })

/** HMAC-SHA-256 as the platform computes it. */
const signatureOf = (secret: string, signed: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const text = new TextEncoder()
    const algorithm = { name: "HMAC", hash: "SHA-256" }
    const key = await crypto.subtle.importKey("raw", text.encode(secret), algorithm, false, ["sign"])
    const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(signed)))
    return `v1,${btoa(String.fromCharCode(...bytes))}`
  })

/** The laws of {@link WebhookSigner}. */
export const signers = (given: Thoroughness = {}): ReadonlyArray<Check<WebhookSigner>> => [
  must("the published example is signed as it was published", [keyed], function* () {
    const { sign } = yield* WebhookSigner
    const body = `{"type":"donor.created","occurred_at":"2026-01-01T00:00:00.000Z","organisation_id":"org_1","data":{"id":"don_1"}}`
    assert.strictEqual(
      sign(["whs_4f9c2d7e8b1a4c6d9e0f1a2b3c4d5e6f"], "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", 1674087231, body),
      "v1,tBLJPJ4mZGRILMhwjXwcN8VPJaeJXxV2k0sl8YrihBE="
    )
  }),

  property(
    "one signature for each secret, in their order, over id, timestamp and body",
    [keyed],
    runsOf(given),
    fc.tuple(fc.array(secret, { minLength: 1, maxLength: 3 }), id, timestamp, Generators.text(200)),
    function* ([secrets, id, timestamp, body]) {
      const { sign } = yield* WebhookSigner
      const expected = yield* Effect.forEach(secrets, (secret) => signatureOf(secret, `${id}.${timestamp}.${body}`))
      same(sign(secrets, id, timestamp, body), expected.join(" "))
    }
  ),

  law("the same delivery has the same signature", function* () {
    const { sign } = yield* WebhookSigner
    assert.strictEqual(sign(["one"], "evt_1", 1, "{}"), sign(["one"], "evt_1", 1, "{}"))
  })
]
