/**
 * Gifts by card as a good engineer writes them by hand with `pg` (gift.mjs): the form is looked at, and the gift given. It is sent
 * one task `{ databaseUrl, endpointUrl, seconds, inFlight }` and answers `{ perSecond, failed }`.
 */
import pg from "pg"
import { addressOf } from "./addresses.mjs"
import { amount, giftTables, giveByCard, work } from "./gift.mjs"
import { newId } from "./ids.mjs"
import { prepare } from "./schema.mjs"

const page = `
  select f.id, f.status, f.suggested_cents, f.currency from forms f
  where f.organisation_id = (select id from organisations where slug = $1) and f.slug = 'bench'`

async function give(pool, organisation, turn) {
  const { rows } = await pool.query(page, [`${organisation}-sandbox`])
  const [form] = rows
  if (form?.status !== "ACTIVE" || !form.suggested_cents.includes(amount))
    throw new Error("the form takes no such gift")
  await giveByCard(pool, organisation, { currency: form.currency, email: addressOf(turn) })
}

async function run({ databaseUrl, endpointUrl, inFlight, seconds }) {
  const pool = new pg.Pool({ connectionString: databaseUrl })
  await prepare(pool, endpointUrl, 0)
  await pool.query(giftTables)
  // The newest organisation is the one that was just made.
  const { rows } = await pool.query("select id from organisations order by id desc limit 1")
  const [{ id: organisation }] = rows
  await pool.query("insert into forms values ($1, $2, 'bench', 'ACTIVE', '{5000}', 'AUD')", [
    organisation,
    newId("form")
  ])
  const rest = await work(pool)
  const start = performance.now()
  const elapsedSeconds = () => (performance.now() - start) / 1_000
  let count = 0
  const donor = async () => {
    while (elapsedSeconds() < seconds) await give(pool, organisation, count++)
  }
  await Promise.all(Array.from({ length: inFlight }, donor))
  const perSecond = count / elapsedSeconds()
  const { rows: confirmed } = await pool.query(
    `select count(*)::int as count from donations d join charges c
       on c.organisation_id = d.organisation_id and c.donation_id = d.id and c.status = 'SUCCEEDED'
     where d.organisation_id = $1 and d.status = 'CONFIRMED'`,
    [organisation]
  )
  await rest()
  await pool.end()
  return { perSecond, failed: count - confirmed[0].count }
}

process.once("message", async (task) => {
  process.send(await run(task), () => process.disconnect())
})
