import { randomBytes } from "node:crypto"
import { Almoner } from "almoner"
import { postgres } from "almoner/postgres"
import pg from "pg"

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
pool.on("error", (error) => console.error(error.message))
const keys = `2026-01:${randomBytes(32).toString("base64")}`
const almoner = await Almoner.open({ backend: postgres({ pool }), keys })

await almoner.organisations.create({
  slug: "riverside",
  name: "Riverside Shelter",
  timezone: "Australia/Sydney",
  default_currency: "AUD"
})
const caller = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
const donor = await almoner.donors.create(caller, { first_name: "Mary" })
await pool.query("CREATE TABLE pledges (donor_id text PRIMARY KEY, amount_cents bigint NOT NULL)")

/** The host's row and the library's gift: both are there after COMMIT, neither after ROLLBACK. */
const fulfil = async (ending) => {
  const client = await pool.connect()
  let broken
  try {
    await client.query("BEGIN")
    await client.query("INSERT INTO pledges VALUES ($1, 5000)", [donor.id])
    const gift = { donor_id: donor.id, amount_cents: 5_000, donation_type: "MONETARY", donation_date: "2025-06-30" }
    await almoner.within(client).donations.create(caller, gift)
    await client.query(ending)
  } catch (error) {
    // A session that is not rolled back must not go to somebody else.
    await client.query("ROLLBACK").catch((failed) => {
      broken = failed
    })
    throw error
  } finally {
    client.release(broken)
  }
}

const count = (name, found) => `${found} ${name}${found === 1 ? "" : "s"}`
const tell = async (ending) => {
  const { rows } = await pool.query("SELECT * FROM pledges")
  const { data } = await almoner.donations.list(caller)
  console.log(`${ending}: ${count("pledge", rows.length)}, ${count("donation", data.length)}`)
}

await fulfil("ROLLBACK")
await tell("rolled back")
await fulfil("COMMIT")
await tell("committed")

await almoner.close()
await pool.end()
