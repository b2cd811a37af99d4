import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import pg from "pg"
import { Almoner } from "../../dist/index.js"
import { postgres as backend } from "../../dist/postgres.js"
import { encryptionKeys, ended, seconds } from "../../harness/Program.mjs"
import { between } from "../UnderLoad.mjs"

const kills = 36
const gifts = 1_000
const patienceSeconds = 180
const host = fileURLToPath(new URL("../Host.mjs", import.meta.url))

const user = { organisation: "riverside", user: "ada", scope: "WRITE" }

/** What is there at one moment, counted by the database alone. */
const counts = `SELECT
  (SELECT count(*) FROM donations)::int gifts,
  (SELECT count(*) FROM receipts)::int receipts,
  (SELECT count(*) FROM receipts JOIN donations ON id = donation_id)::int pairs,
  (SELECT count(*) FROM events WHERE type IN ('donation.created', 'donation.succeeded'))::int events,
  (SELECT count(*) FROM told)::int told,
  (SELECT count(DISTINCT (type, donation_id)) FROM told)::int "toldOnce",
  (SELECT count(*) FROM consumed_events WHERE status = 'PARKED')::int parked`

/** The organisation, its donor, and the tables of the host. */
async function prepare(pool) {
  const almoner = await Almoner.open({ backend: backend({ pool }), keys: encryptionKeys })
  await almoner.organisations.create({
    slug: user.organisation,
    name: "Riverside Shelter",
    timezone: "Australia/Sydney",
    default_currency: "AUD"
  })
  const donor = await almoner.donors.create(await almoner.caller(user), { first_name: "Mary" })
  await pool.query("CREATE TABLE receipts (number int PRIMARY KEY, donation_id text NOT NULL)")
  await pool.query("CREATE TABLE told (event_id text, type text, donation_id text)")
  await almoner.close()
  return donor.id
}

/** Runs the host over what is not known to be committed; `mustDie` says at each message whether it is killed. */
async function runHost(url, { donor_id, orders }, answered, mustDie) {
  const child = spawn(process.execPath, [host], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  const gone = ended(child)
  let isDying = false
  child.on("message", async (message) => {
    if (message === "ready") child.send({ donor_id, orders, user })
    else answered.add(message)
    if (isDying || !mustDie()) return
    isDying = true
    await seconds(between(0, 0.008))
    child.kill("SIGKILL")
  })
  return { child, gone }
}

/** The library in a process of a host's own: what it commits with the host's rows, and what it tells, is there once. */
export const hostKilled = {
  title: "A host killed (`kill -9`) 36 times as it takes 1,000 gifts by the library",
  recoverWithin: 120,
  async run({ postgres, size }) {
    const [all, most] = [gifts * size, kills * size]
    const url = await postgres.createDatabase("chaos_host")
    const pool = new pg.Pool({ connectionString: url, max: 2 })
    try {
      const donor_id = await prepare(pool)
      const answered = new Set()
      const broken = []
      const look = async () => (await pool.query(counts)).rows[0]
      const start = (mustDie) => {
        const orders = Array.from({ length: all }, (_, order) => order).filter((order) => !answered.has(order))
        return runHost(url, { donor_id, orders }, answered, mustDie)
      }
      let uncertain = 0
      for (let kill = 1; kill <= most; kill++) {
        const { child, gone } = await start(() => answered.size >= (kill * all) / (most + 1))
        await gone
        if (child.signalCode !== "SIGKILL") broken.push(`the host ended by itself with ${child.exitCode}`)
        const { gifts: found, pairs, receipts } = await look()
        if (found !== pairs || receipts !== pairs) broken.push(`${found} gifts beside ${receipts} rows of the host`)
        uncertain += found - answered.size
      }
      const endedAt = performance.now()
      const { child, gone } = await start(() => false)
      let now = await look()
      while (now.toldOnce < 2 * all && performance.now() < endedAt + patienceSeconds * 1_000) {
        await seconds(0.1)
        now = await look()
      }
      const recoverySeconds = now.toldOnce < 2 * all ? null : (performance.now() - endedAt) / 1_000
      child.disconnect()
      await gone
      now = await look()
      if (now.gifts !== all || now.pairs !== all) broken.push(`${now.gifts} gifts, ${now.pairs} with a row of the host`)
      if (now.events !== 2 * all) broken.push(`${now.events} events of ${all} gifts`)
      return {
        expected: 2 * all,
        arrived: now.toldOnce,
        lost: 2 * all - now.toldOnce,
        doubled: now.told - now.toldOnce,
        repeated: 0,
        failedEarly: now.parked,
        recoverySeconds,
        notes: [
          `${most} kills; ${now.gifts} gifts, ${uncertain} of them committed and not answered when it was killed`
        ],
        broken
      }
    } finally {
      await pool.end()
      await postgres.dropDatabase("chaos_host")
    }
  }
}
