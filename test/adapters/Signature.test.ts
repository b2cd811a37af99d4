import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { sign } from "../../src/adapters/webhooks/Signature.ts"

const verifier = (secret: string) => new Webhook(Buffer.from(secret, "utf8").toString("base64"))

const secret = fc.stringMatching(/^[A-Za-z0-9_éß漢]{1,60}$/u)
const id = fc.stringMatching(/^[a-z0-9_]{1,40}$/)
const body = fc.json()
const now = () => Math.floor(Date.now() / 1000)

const verifies = (secret: string, id: string, timestamp: number, signature: string, body: string): boolean => {
  const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature }
  try {
    verifier(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

describe("the signature", () => {
  it("is the scheme's, with the secret's UTF-8 bytes as the key", () => {
    assert.strictEqual(
      sign(
        ["whs_4f9c2d7e8b1a4c6d9e0f1a2b3c4d5e6f"],
        "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
        1674087231,
        `{"type":"donor.created","occurred_at":"2026-01-01T00:00:00.000Z","organisation_id":"org_1","data":{"id":"don_1"}}`
      ),
      "v1,tBLJPJ4mZGRILMhwjXwcN8VPJaeJXxV2k0sl8YrihBE="
    )
  })

  it("satisfies the reference library for any secret, id and body", () =>
    fc.assert(
      fc.property(secret, id, body, (secret, id, body) => {
        const timestamp = now()
        assert.isTrue(verifies(secret, id, timestamp, sign([secret], id, timestamp, body), body))
      })
    ))

  it("covers every byte of id, timestamp and body", () =>
    fc.assert(
      fc.property(secret, id, body, fc.nat(), (secret, id, body, position) => {
        const timestamp = now()
        const signature = sign([secret], id, timestamp, body)
        const at = position % body.length
        const changed = body.slice(0, at) + (body[at] === "1" ? "2" : "1") + body.slice(at + 1)
        assert.isFalse(verifies(secret, id, timestamp, signature, changed))
        assert.isFalse(verifies(secret, `${id}0`, timestamp, signature, body))
        assert.isFalse(verifies(secret, id, timestamp - 1, signature, body))
        assert.isFalse(verifies(`${secret}0`, id, timestamp, signature, body))
      })
    ))

  it("verifies with each of two secrets during a rotation, and with no third", () =>
    fc.assert(
      fc.property(fc.uniqueArray(secret, { minLength: 3, maxLength: 3 }), id, body, (secrets, id, body) => {
        const timestamp = now()
        const [first = "", second = "", third = ""] = secrets
        const signature = sign([first, second], id, timestamp, body)
        assert.isTrue(verifies(first, id, timestamp, signature, body))
        assert.isTrue(verifies(second, id, timestamp, signature, body))
        assert.isFalse(verifies(third, id, timestamp, signature, body))
      })
    ))
})
