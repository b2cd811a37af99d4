import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { receiver } from "./receiver.mjs"

const secret = "whsec_an-example-that-nobody-uses"
const handled = []
const server = receiver({ secret, handle: (event) => handled.push(event) }).listen(0, "127.0.0.1")
await once(server, "listening")

const body = JSON.stringify({
  type: "donation.succeeded",
  occurred_at: new Date().toISOString(),
  organisation_id: "org_01jqz6x8h4e5vb9m2k7ncw3t5d",
  data: { id: "don_01jqz6x8h4e5vb9m2k7ncw3t5d", status: "CONFIRMED", amount_cents: 5000 }
})

/** What the service does: it signs `id.timestamp.body`. */
const deliver = async (key) => {
  const id = "evt_01jqz6x8h4e5vb9m2k7ncw3t5d"
  const timestamp = Math.floor(Date.now() / 1000)
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  const headers = { "webhook-id": id, "webhook-timestamp": `${timestamp}`, "webhook-signature": `v1,${mac}` }
  const { port } = server.address()
  return (await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body })).status
}

const [first, again, forged] = [await deliver(secret), await deliver(secret), await deliver("whsec_another")]
server.close()

assert.equal(handled.length, 1)
console.log(`${first} ${handled[0].type}, ${again} again, ${forged} forged`)
