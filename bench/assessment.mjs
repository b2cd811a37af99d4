/**
 * What the assessment of disclosures costs a keyed gift, 16 at a time: gifts under a code that is assigned to a jurisdiction
 * beside gifts under one that is not, in turns on one service. `node bench/assessment.mjs` prints the ratio.
 */
import pg from "pg"
import { startPostgres } from "../harness/Postgres.mjs"
import { gift } from "../harness/Requests.mjs"
import { quantity } from "../harness/Table.mjs"
import { openAlmoner } from "./Almoner.mjs"
import { rates } from "./figures.mjs"

const postgres = await startPostgres()
const url = await postgres.createDatabase("assessment")
const ours = await openAlmoner(url, [])

await ours.post("/api/v1/revenue-codes", { code: "FEDERAL" })
await ours.post("/api/v1/revenue-codes", { code: "SHOP" })
const client = new pg.Client({ connectionString: url })
await client.connect()
await client.query("UPDATE revenue_codes SET jurisdiction = 'AU', is_fca = true WHERE code = 'FEDERAL'")

const task = (revenue_code) => ({
  url: `${ours.baseUrl}/api/v1/donations`,
  method: "POST",
  headers: ours.headers,
  connections: 16,
  keyed: true,
  bodies: ours.donorIds.map((id) => ({ ...gift(id), revenue_code }))
})

const found = await rates(
  { rounds: 3, seconds: 4 },
  { assessed: task("FEDERAL"), plain: task("SHOP"), none: task(null) }
)
await client.end()
await ours.stop()
await postgres.stop()
console.log(
  `assessed ${quantity(found.assessed, "gifts/s")}, with a code of no jurisdiction ${quantity(found.plain, "gifts/s")}, without a code ${quantity(found.none, "gifts/s")}: ratio ${(found.assessed / found.plain).toFixed(2)}`
)
