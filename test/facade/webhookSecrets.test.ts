import { assert, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { Almoner } from "../../src/index.ts"
import { memory } from "../../src/memory.ts"

const hour = 3_600_000

it("a delivery carries the signature of each secret whose overlap lasts, however often it was rotated since", async () => {
  let now = Date.UTC(2026, 3, 1)
  const sent: Array<{ readonly headers: Readonly<Record<string, string>>; readonly body: string }> = []
  const almoner = await Almoner.open({
    backend: memory(),
    clock: () => now,
    operatorCidrs: ["192.0.2.0/24"],
    webhookTransport: async (request) => {
      sent.push(request)
      return { response_status: 204, response_excerpt: null, retry_after: null, error: null, duration_ms: 1 }
    }
  })
  const { sandbox } = await almoner.organisations.create({
    slug: "riverside",
    name: "Riverside Shelter",
    timezone: "Australia/Sydney",
    default_currency: "AUD"
  })
  const ada = almoner.as(await almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE" }))
  const made = await ada.webhookEndpoints.create({ url: "http://192.0.2.7/", event_types: ["donor.created"] })
  const secrets = [made.secret]
  const rotate = async (overlap_hours: number) => {
    secrets.unshift((await ada.webhookEndpoints.rotateSecret(made.id, { overlap_hours })).secret)
  }
  /** The secrets with which the next delivery verifies at this moment, by their places among all, the newest first. */
  const verifying = async () => {
    await ada.donors.create({ first_name: "Mary" })
    await almoner.dispatch()
    const { body = "", headers = {} } = sent.pop() ?? {}
    const signatures = (headers["webhook-signature"] ?? "").split(" ")
    const expected = secrets.map((secret) => {
      const webhook = new Webhook(Buffer.from(secret, "utf8").toString("base64"))
      return webhook.sign(headers["webhook-id"] ?? "", new Date(Number(headers["webhook-timestamp"]) * 1_000), body)
    })
    assert.isTrue(signatures.every((each) => expected.includes(each)))
    return expected.flatMap((each, index) => (signatures.includes(each) ? [index] : []))
  }

  assert.deepStrictEqual(await verifying(), [0])
  await rotate(48)
  await rotate(24)
  assert.deepStrictEqual(await verifying(), [0, 1, 2])
  now += 24 * hour
  assert.deepStrictEqual(await verifying(), [0, 2])
  await rotate(1)
  assert.deepStrictEqual(await verifying(), [0, 1, 3])
  now += hour
  assert.deepStrictEqual(await verifying(), [0, 3])
  await rotate(0)
  assert.deepStrictEqual(await verifying(), [0])
  await almoner.close()
})
