/**
 * How long a healthy endpoint waits beside hanging ones and beside another organisation's backlog, as a ratio to how long
 * it waits alone, in the manner of figures.mjs. The waits run from the commit's `occurred_at` to the receiver.
 */
import pg from "pg"
import { addBacklog } from "../harness/Backlog.mjs"
import { seconds } from "../harness/Program.mjs"
import { gift, giftEvents, post } from "../harness/Requests.mjs"
import { openTarPit } from "../harness/TarPit.mjs"
import { createTenant, endpointsMost } from "../harness/Tenants.mjs"
import { openAlmoner } from "./Almoner.mjs"
import { checked, newDatabase, openReceiver } from "./figures.mjs"
import { row } from "./Row.mjs"

const sandboxNetworks = { WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" }
const pauseMillis = 50
const goal = "< 1,000 ms"

/** The service with one healthy endpoint; what else is in it, `disturb({ almoner, databaseUrl })` brings there; it may give how that ends. */
async function healthyWaits(context, disturb) {
  const receiver = await openReceiver()
  const databaseUrl = await newDatabase(context.postgres)
  const almoner = await openAlmoner(databaseUrl, [receiver.url], sandboxNetworks)
  let restore
  try {
    await checked("sequence.mjs", { ...giftsOf(almoner), count: 50 })
    await received(receiver, 50)
    await receiver.report()
    const count = context.seconds * 20
    restore = await disturb({ almoner, databaseUrl })
    await checked("sequence.mjs", { ...giftsOf(almoner), count, pauseMillis })
    await received(receiver, count)
    return await receiver.report()
  } finally {
    await almoner.stop()
    await receiver.stop()
    restore?.()
  }
}

const giftsOf = ({ baseUrl, donorIds, headers }) => ({
  url: `${baseUrl}/api/v1/donations`,
  method: "POST",
  headers,
  bodies: donorIds.map(gift),
  keyed: true
})

/** Waits until the events of so many gifts have come; what takes longer than five minutes is an error. */
async function received(receiver, gifts) {
  const count = gifts * giftEvents.length
  for (let tries = 0; tries < 3_000; tries++) {
    if ((await receiver.count()) >= count) return
    await seconds(0.1)
  }
  throw new Error(`${await receiver.count()} of ${count} deliveries came within five minutes`)
}

async function subscribe({ baseUrl }, { headers }, urls) {
  for (const url of urls) await post(baseUrl, "/api/v1/webhook-endpoints", headers, { url, event_types: giftEvents })
}

async function give({ baseUrl }, { donorIds, headers }, count) {
  for (let n = 0; n < count; n++) await post(baseUrl, "/api/v1/donations", headers, gift(donorIds[n % donorIds.length]))
}

const ofOwn = ({ almoner: { donorIds, headers } }) => ({ headers, donorIds })

async function ofOthers({ almoner, databaseUrl }, count) {
  const tenants = []
  for (let n = 0; n < count; n++) {
    tenants.push(await createTenant({ baseUrl: almoner.baseUrl, databaseUrl, slug: `neighbour-${n}` }))
  }
  return tenants
}

/** Ten gifts' events wait for each hanging endpoint before the healthy one is measured, and those have had five seconds. */
const hanging = (count, isOwn) => async (world) => {
  const pit = await openTarPit()
  const urls = Array.from({ length: count }, (_, n) => pit.url(n))
  const tenants = isOwn ? [ofOwn(world)] : await ofOthers(world, Math.ceil(count / endpointsMost))
  for (const [index, tenant] of tenants.entries()) {
    await subscribe(world.almoner, tenant, urls.slice(index * endpointsMost, (index + 1) * endpointsMost))
    await give(world.almoner, tenant, 10)
  }
  await seconds(5)
  return () => pit.close()
}

const compared = (what, found, alone) => [
  row(`${what}, p50`, "ms", found.p50Millis, alone.p50Millis),
  row(`${what}, p99`, "ms", found.p99Millis, alone.p99Millis, goal)
]

const hangingOnes = [
  { count: 1, isOwn: true },
  { count: 16, isOwn: true },
  { count: 1, isOwn: false },
  { count: 16, isOwn: false },
  { count: 140, isOwn: false }
]

const nothing = async () => {}

/** Beside endpoints that accept and never answer; the baseline is the same endpoint alone. */
export async function besideHanging(context) {
  if (!context.ours) return []
  const alone = await healthyWaits(context, nothing)
  const rows = []
  for (const { count, isOwn } of hangingOnes) {
    const found = await healthyWaits(context, hanging(count, isOwn))
    const whose = isOwn ? "its own organisation" : "other organisations"
    rows.push(...compared(`(l) commit to receipt beside ${count} hanging of ${whose}`, found, alone))
  }
  return rows
}

/** A neighbour whose endpoints all answer has so many deliveries before them. */
const backlog =
  ({ pending }, sink) =>
  async (world) => {
    const [busy] = await ofOthers(world, 1)
    const urls = Array.from({ length: endpointsMost }, (_, n) => `${sink.url}/${n}`)
    await subscribe(world.almoner, busy, urls)
    await give(world.almoner, busy, 1)
    await received(sink, endpointsMost)
    await seconds(1)
    const client = new pg.Client({ connectionString: world.databaseUrl })
    await client.connect()
    const query = async (text, values) => (await client.query(text, values)).rows
    const { organisationId } = busy
    await addBacklog(query, { count: pending, endpoints: endpointsMost, organisationId })
    await client.end()
  }

/** Beside one neighbour's long backlog; the baseline is the same endpoint alone. */
export async function besideBacklog(context) {
  if (!context.ours) return []
  const sink = await openReceiver()
  try {
    const alone = await healthyWaits(context, nothing)
    const found = await healthyWaits(context, backlog(context, sink))
    return compared(`(m) commit to receipt beside ${context.pending} pending of another organisation`, found, alone)
  } finally {
    await sink.stop()
  }
}
