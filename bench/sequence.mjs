/**
 * One caller in a process of its own that waits for each answer before it asks again. It is sent one task
 * `{ url, method, headers, bodies, count, pauseMillis, keyed }` and answers `{ p50Millis, p95Millis, p99Millis, maxMillis, failed }`,
 * timed by itself because autocannon counts whole milliseconds.
 */
import { randomUUID } from "node:crypto"
import { Pool } from "undici"
import { percentile } from "../harness/Percentile.mjs"

async function run({ bodies, count, headers, keyed = false, method = "GET", pauseMillis = 0, url }) {
  const { origin, pathname, search } = new URL(url)
  const pool = new Pool(origin, { connections: 1 })
  const times = []
  let failed = 0
  for (let sent = 0; sent < count; sent++) {
    const start = performance.now()
    const answer = await pool.request({
      path: pathname + search,
      method,
      headers: keyed ? { ...headers, "idempotency-key": randomUUID() } : headers,
      ...(bodies === undefined ? {} : { body: JSON.stringify(bodies[sent % bodies.length]) })
    })
    await answer.body.arrayBuffer()
    times.push(performance.now() - start)
    if (answer.statusCode >= 300) failed++
    if (pauseMillis > 0) await new Promise((resolve) => setTimeout(resolve, pauseMillis))
  }
  await pool.close()
  return {
    p50Millis: percentile(times, 50),
    p95Millis: percentile(times, 95),
    p99Millis: percentile(times, 99),
    maxMillis: Math.max(...times),
    failed
  }
}

process.once("message", async (task) => {
  process.send(await run(task), () => process.disconnect())
})
