/** The service under test with what the figures need in it: donors, and webhook endpoints of its sandbox. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startAlmoner, stop } from "./Child.mjs"

/** Gifts are spread over so many donors. */
export const donors = 100

const eventTypes = ["donation.created", "donation.succeeded"]

export const bearer = (key) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })

export const gift = (donorId) => ({
  donor_id: donorId,
  donation_type: "MONETARY",
  amount_cents: 5_000,
  donation_date: "2026-01-01"
})

/**
 * Starts the service on a database (null: the embedded one) with an endpoint for each of the URLs. Gives
 * `{ child, baseUrl, organisationId, headers, otherHeaders, donorIds, post, startAnother, stop }`. `more` is environment.
 */
export async function openAlmoner(databaseUrl, endpointUrls, more = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "almoner-bench-data-"))
  const env = databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }
  const { baseUrl, child, demo } = await startAlmoner(dataDir, { ...env, ...more })
  const headers = bearer(demo.sandbox.write_key)
  const post = async (path, body) => {
    const answer = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const donorIds = []
  for (let index = 0; index < donors; index++) {
    const donor = { donor_type: "INDIVIDUAL", first_name: "Ada", last_name: `Bench ${index}` }
    donorIds.push((await post("/api/v1/donors", donor)).id)
  }
  for (const url of endpointUrls) await post("/api/v1/webhook-endpoints", { url, event_types: eventTypes })
  return {
    child,
    baseUrl,
    organisationId: demo.sandbox.organisation_id,
    headers,
    /** The headers of another organisation's caller. */
    otherHeaders: bearer(demo.live.read_key),
    donorIds,
    post,
    /** Starts another process on the same database, and gives how to stop it. */
    async startAnother() {
      const another = await startAlmoner(dataDir, env)
      return () => stop(another.child)
    },
    async stop() {
      await stop(child)
      await rm(dataDir, { recursive: true, force: true })
    }
  }
}
