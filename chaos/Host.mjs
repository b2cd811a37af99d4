/**
 * A host that takes gifts by the library, until it is killed: each order's gift and a row of the host's own commit together,
 * under the order's key, and a handler writes down each event in a transaction. It is sent `{ caller, donor_id, orders }`, and
 * sends the number of each order that it has committed. It ends when its parent disconnects.
 */
import { setTimeout } from "node:timers/promises"
import pg from "pg"
import { Almoner } from "../dist/index.js"
import { postgres } from "../dist/postgres.js"
import { encryptionKeys } from "../harness/Program.mjs"

const lanes = 8

/** How often an order is tried before the host ends: its key may be held by a transaction of the dead for a moment. */
const tries = 100

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 2 * lanes })
pool.on("error", () => {})
const almoner = await Almoner.open({ backend: postgres({ pool, migrate: false }), keys: encryptionKeys })

await almoner.events.subscribe(
  { name: "host", types: ["donation.created", "donation.succeeded"], transactional: true },
  ({ data, id, type }, { client }) => client.query("INSERT INTO told VALUES ($1, $2, $3)", [id, type, data.id])
)
almoner.workers.start()

async function fulfil({ donor_id, user }, order) {
  const caller = await almoner.caller(user)
  const client = await pool.connect()
  try {
    await client.query("BEGIN")
    const gift = await almoner.within(client).keyed(`order ${order}`).donations.create(caller, {
      donor_id,
      amount_cents: 5_000,
      donation_type: "MONETARY",
      donation_date: "2026-06-30"
    })
    await client.query("INSERT INTO receipts VALUES ($1, $2) ON CONFLICT (number) DO NOTHING", [order, gift.id])
    await client.query("COMMIT")
  } catch (error) {
    await client.query("ROLLBACK")
    throw error
  } finally {
    client.release()
  }
}

async function work({ orders, ...given }) {
  const left = [...orders]
  const lane = async () => {
    for (let order = left.shift(); order !== undefined; order = left.shift()) {
      for (let attempt = 1; ; attempt++) {
        try {
          await fulfil(given, order)
          break
        } catch (error) {
          if (attempt === tries) throw error
          await setTimeout(50)
        }
      }
      process.send(order)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

process.once("disconnect", async () => {
  await almoner.close()
  await pool.end()
})
process.once("message", work)
process.send("ready")
