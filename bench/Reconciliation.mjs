/** What a process that works does once soon after its start, and then every hour. */
import pg from "pg"
import { seconds } from "../harness/Program.mjs"

const firstWithinSeconds = 61

/** Waits until the first reconciliation of a process that started at `startedAt` is over, so that it disturbs no figure. */
export async function reconciliationEnd(databaseUrl, startedAt) {
  await seconds(Math.max(0, firstWithinSeconds - (performance.now() - startedAt) / 1_000))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const held = "select from reconciliations where held_until > now()"
    while ((await client.query(held)).rowCount > 0) await seconds(0.2)
  } finally {
    await client.end()
  }
}
