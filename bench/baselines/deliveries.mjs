/**
 * The ceiling of webhook delivery: signed POSTs in a bare loop, nothing stored, nothing retried. It is sent one task
 * `{ url, count, inFlight }` and answers `{ perSecond, failed }`.
 */
import { createHmac, randomUUID } from "node:crypto"
import { Pool } from "undici"

const secret = Buffer.from("whs_4f9c2d7e8b1a4c6d9e0f1a2b3c4d5e6f", "utf8")

const event = () =>
  JSON.stringify({
    type: "donation.succeeded",
    occurred_at: new Date().toISOString(),
    organisation_id: "org_00000000000000000000000000",
    data: {
      id: "don_00000000000000000000000000",
      donor_id: "dnr_00000000000000000000000000",
      external_id: null,
      source: "MANUAL",
      status: "CONFIRMED",
      amount_cents: 5_000,
      refunded_amount_cents: 0,
      currency: "AUD",
      donation_type: "MONETARY",
      donation_date: "2026-01-01T00:00:00.000Z",
      received_date: null,
      payment_method: null,
      revenue_code: null,
      revenue_code_id: null,
      recommendation_set_id: null,
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z"
    }
  })

async function deliver(pool, path) {
  const id = `dlv_${randomUUID()}`
  const timestamp = Math.floor(Date.now() / 1_000)
  const body = event()
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64")
  const answer = await pool.request({
    path,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": `v1,${signature}`
    },
    body
  })
  await answer.body.dump()
  return answer.statusCode < 300
}

async function run({ count, inFlight, url }) {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections: inFlight })
  let left = count
  let failed = 0
  const worker = async () => {
    while (left-- > 0) if (!(await deliver(pool, pathname))) failed++
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: inFlight }, worker))
  const elapsedSeconds = (performance.now() - start) / 1_000
  await pool.close()
  return { perSecond: count / elapsedSeconds, failed }
}

process.once("message", async (task) => {
  process.send(await run(task), () => process.disconnect())
})
