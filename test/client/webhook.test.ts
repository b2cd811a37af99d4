import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { verifyWebhook, WebhookRejected } from "../../src/client.ts"
import { forEveryAsync } from "../support/Property.ts"

const vector = {
  secret: "whs_4f9c2d7e8b1a4c6d9e0f1a2b3c4d5e6f",
  body: `{"type":"donor.created","occurred_at":"2026-01-01T00:00:00.000Z","organisation_id":"org_1","data":{"id":"don_1"}}`,
  headers: {
    "webhook-id": "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
    "webhook-timestamp": "1674087231",
    "webhook-signature": "v1,tBLJPJ4mZGRILMhwjXwcN8VPJaeJXxV2k0sl8YrihBE="
  },
  now: 1_674_087_231_000
}

const event = fc
  .record({ name: fc.string({ unit: "grapheme" }), id: fc.stringMatching(/^[a-z0-9]{1,8}$/) })
  .map((data) => ({ type: "donor.created", occurred_at: "2026-01-01T00:00:00.000Z", organisation_id: "org_1", data }))
const secret = fc.stringMatching(/^whs_[A-Za-z0-9_éß漢]{1,60}$/u)
const id = fc.stringMatching(/^whd_[a-z0-9]{1,40}$/)
const seconds = fc.integer({ min: 1_600_000_000, max: 2_000_000_000 })

const signatureOf = (secret: string, id: string, timestampSeconds: number, body: string): string =>
  new Webhook(Buffer.from(secret, "utf8").toString("base64")).sign(id, new Date(timestampSeconds * 1000), body)

const signed = fc.record({ event, secret, id, seconds }).map(({ event, id, seconds, secret }) => {
  const body = JSON.stringify(event)
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatureOf(secret, id, seconds, body)
  }
  return { event, delivery: { body, headers, secret, now: seconds * 1000 } }
})

const reasonOf = async (options: Parameters<typeof verifyWebhook>[0]): Promise<string> => {
  const outcome = await verifyWebhook(options).outcome()
  return outcome.ok ? "verified" : outcome.failure.reason
}

describe("verifyWebhook", () => {
  it("verifies the vector of the key rule", async () => {
    const received = await verifyWebhook(vector)
    assert.deepEqual<unknown>(received, { id: vector.headers["webhook-id"], ...JSON.parse(vector.body) })
  })

  it("verifies what the reference library signs, from text or bytes, with headers of any kind", () =>
    forEveryAsync(signed, async ({ delivery, event }) => {
      const { headers } = delivery
      const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
      const kinds = [headers, capitals, new Headers(headers)]
      for (const kind of kinds) {
        for (const body of [delivery.body, new TextEncoder().encode(delivery.body)]) {
          const received = await verifyWebhook({ ...delivery, body, headers: kind })
          assert.deepEqual<unknown>(received, { id: headers["webhook-id"], ...event })
        }
      }
    }))

  it("refuses any change of id, time, body, secret or signature", () =>
    forEveryAsync(signed, fc.nat(), async ({ delivery }, position) => {
      const { body, headers, secret } = delivery
      const at = position % body.length
      const letter = headers["webhook-signature"].charAt(3 + (position % 42))
      const other = headers["webhook-signature"].replaceAll(letter, letter === "A" ? "B" : "A")
      const changes = [
        { body: body.slice(0, at) + (body[at] === "1" ? "2" : "1") + body.slice(at + 1) },
        { body: `${body} ` },
        { secret: `${secret}0` },
        { headers: { ...headers, "webhook-id": `${headers["webhook-id"]}0` } },
        { headers: { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 1) } },
        { headers: { ...headers, "webhook-signature": `v1${other.slice(2)}` } },
        { headers: { ...headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") } },
        { headers: { ...headers, "webhook-signature": "" } },
        { headers: { ...headers, "webhook-signature": "v1,%%%" } },
        { headers: { ...headers, "webhook-signature": "v1," } }
      ]
      for (const change of changes) assert.strictEqual(await reasonOf({ ...delivery, ...change }), "signature")
    }))

  it("takes any one of several signatures and secrets", () =>
    forEveryAsync(signed, secret, secret, async ({ delivery }, second, third) => {
      fc.pre(new Set([delivery.secret, second, third]).size === 3)
      const { headers } = delivery
      const timestampSeconds = Number(headers["webhook-timestamp"])
      const more = signatureOf(second, headers["webhook-id"], timestampSeconds, delivery.body)
      for (const both of [`${headers["webhook-signature"]} ${more}`, `${more} ${headers["webhook-signature"]}`]) {
        const rotating = { ...delivery, headers: { ...headers, "webhook-signature": both } }
        assert.strictEqual(await reasonOf(rotating), "verified")
        assert.strictEqual(await reasonOf({ ...rotating, secret: second }), "verified")
        assert.strictEqual(await reasonOf({ ...rotating, secret: third }), "signature")
      }
      assert.strictEqual(await reasonOf({ ...delivery, secret: [third, delivery.secret] }), "verified")
    }))

  it("takes a time within five minutes, either way, and none beyond", () => {
    const away = fc.oneof(fc.constantFrom(-301, -300, 300, 301), fc.integer({ min: -400, max: 400 }))
    return forEveryAsync(signed, away, async ({ delivery }, awaySeconds) => {
      const reason = await reasonOf({ ...delivery, now: delivery.now + awaySeconds * 1000 })
      assert.strictEqual(reason, Math.abs(awaySeconds) <= 300 ? "verified" : "timestamp")
    })
  })

  it("refuses headers that are missing or unreadable, before anything else", async () => {
    for (const name of ["webhook-id", "webhook-timestamp"]) {
      assert.strictEqual(await reasonOf({ ...vector, headers: { ...vector.headers, [name]: undefined } }), "headers")
    }
    for (const timestamp of ["", "soon", "1674087231.5", "-1674087231", " 1674087231", "1e9"]) {
      const headers = { ...vector.headers, "webhook-timestamp": timestamp }
      assert.strictEqual(await reasonOf({ ...vector, headers }), "headers")
    }
  })

  it("refuses a signed body that is no event", async () => {
    for (const body of ["", "null", "[]", "{}", '{"type":"donor.created"}', '"text"', "{"]) {
      const signature = signatureOf(vector.secret, vector.headers["webhook-id"], vector.now / 1000, body)
      const headers = { ...vector.headers, "webhook-signature": signature }
      assert.strictEqual(await reasonOf({ ...vector, body, headers }), "body")
    }
  })

  it("rejects with a WebhookRejected where its promise is awaited", async () => {
    const failure = await verifyWebhook({ ...vector, secret: "whs_other" }).catch((failure: unknown) => failure)
    assert.instanceOf(failure, WebhookRejected)
  })

  it("takes what arrayBuffer gives, and says in a sentence what a body that was parsed needs", async () => {
    const bytes = new TextEncoder().encode(vector.body)
    await verifyWebhook({ ...vector, body: bytes.buffer })
    const wrong: ReadonlyArray<readonly [options: unknown, says: RegExp]> = [
      [{ ...vector, body: JSON.parse(vector.body) }, /parsed already: give it the bytes.*express\.raw\(\)/],
      [{ ...vector, body: [1, 2] }, /parsed already/],
      [{ ...vector, body: undefined }, /was given no body/],
      [{ ...vector, headers: undefined }, /needs the headers/],
      [undefined, /takes an object with body, headers and secret/],
      [{ ...vector, secret: undefined }, /needs the secret/]
    ]
    for (const [options, says] of wrong) {
      const attempt = verifyWebhook(options as typeof vector)
      const failures = [await attempt.catch((error: unknown) => error), await attempt.outcome().catch((error) => error)]
      for (const failure of failures) {
        assert.instanceOf(failure, TypeError)
        assert.match(failure.message, says)
        assert.match(failure.message, /\.$/)
      }
    }
  })

  it("does not run without a secret: anybody can sign with an empty key", async () => {
    for (const secret of ["", [], [""], ["whs_1", ""]]) {
      const failure = await verifyWebhook({ ...vector, secret })
        .outcome()
        .catch((failure: unknown) => failure)
      assert.instanceOf(failure, TypeError)
    }
  })
})
