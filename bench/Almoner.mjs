/** The service under test with what the figures need in it: donors, and webhook endpoints of its sandbox. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stop } from "../harness/Program.mjs"
import { bearer, giftEvents, post as send } from "../harness/Requests.mjs"
import { startAlmoner } from "./Child.mjs"

/** Gifts are spread over so many donors. */
export const donors = 100

/**
 * Starts the service on a database (null: the embedded one) with an endpoint for each of the URLs. Gives
 * `{ child, baseUrl, organisationId, headers, otherHeaders, donorIds, post, startAnother, stop }`. `more` is environment.
 */
export async function openAlmoner(databaseUrl, endpointUrls, more = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "almoner-bench-data-"))
  const env = databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }
  const { baseUrl, child, demo } = await startAlmoner(dataDir, { ...env, ...more })
  const headers = bearer(demo.sandbox.write_key)
  const post = (path, body) => send(baseUrl, path, headers, body)
  const donorIds = []
  for (let index = 0; index < donors; index++) {
    const donor = { donor_type: "INDIVIDUAL", first_name: "Ada", last_name: `Bench ${index}` }
    donorIds.push((await post("/api/v1/donors", donor)).id)
  }
  for (const url of endpointUrls) await post("/api/v1/webhook-endpoints", { url, event_types: giftEvents })
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
