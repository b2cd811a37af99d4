/** What is measured of many recurring gifts that are due on one day, in the manner of figures.mjs. */
import pg from "pg"
import { openAlmoner } from "./Almoner.mjs"
import { residentBytes } from "./Child.mjs"
import { giftOf, loaded, newDatabase, pause } from "./figures.mjs"
import { openGivingSetup } from "./GivingSetup.mjs"
import { openSubmitting } from "./money.mjs"
import { reconciliationEnd } from "./Reconciliation.mjs"
import { row } from "./Row.mjs"
import { multiplySubscription } from "./Subscriptions.mjs"

const megabyte = 2 ** 20
const week = 7 * 24 * 3_600 * 1_000

/** How long nothing may be renewed before that is a failure. */
const patienceMillis = 120_000

/** One weekly gift that a donor sets up and pays for the first time, and so many of the same. */
async function setUp({ almoner, client, count, databaseUrl }) {
  const giving = await openGivingSetup(almoner, databaseUrl)
  const submitting = await openSubmitting(databaseUrl, giving)
  try {
    await submitting.submit({ amount: 1, inFlight: 1, frequency: "WEEKLY" })
  } finally {
    await submitting.stop()
  }
  const { rows } = await client.query("select id, status, next_charge_on from subscriptions")
  const [subscription] = rows
  if (rows.length !== 1 || subscription.status !== "ACTIVE") throw new Error("the recurring gift is not ACTIVE")
  await multiplySubscription(databaseUrl, subscription.id, count)
  return subscription.next_charge_on
}

/** The clock of the sandbox is a week ahead from now on, and the second payment of every gift due. */
const moveClock = (client, organisationId) =>
  client.query("insert into sandbox_clocks (organisation_id, ahead_millis) values ($1, $2)", [organisationId, week])

const progress = `
  select count(*) filter (where status = 'PAID')::int as paid, count(*) filter (where status = 'FAILED')::int as failed
  from invoices where organisation_id = $1 and due_on = $2`

/** Every gift has one paid invoice and one CONFIRMED donation of its second day, and there is nothing else. */
const outcome = `
  select
    (select count(*) from subscriptions where organisation_id = $1 and status = 'ACTIVE')::int as subscriptions,
    (select count(*) from invoices where organisation_id = $1 and due_on = $2)::int as invoices,
    (select count(distinct i.subscription_id) from invoices i
     join donations d on d.organisation_id = i.organisation_id and d.id = i.donation_id
       and d.subscription_id = i.subscription_id and d.status = 'CONFIRMED' and d.charge_id = i.charge_id
     join charges c on c.organisation_id = i.organisation_id and c.id = i.charge_id and c.status = 'SUCCEEDED'
     where i.organisation_id = $1 and i.due_on = $2 and i.status = 'PAID')::int as paid,
    (select count(*) from charges where organisation_id = $1 and purpose = 'invoice')::int as charges,
    (select count(*) from donations where organisation_id = $1 and subscription_id is not null)::int as donations,
    (select count(*) from payment_exceptions where organisation_id = $1)::int as exceptions,
    (select extract(epoch from max(ended_at) - min(created_at)) from invoices
     where organisation_id = $1 and due_on = $2)::float8 as seconds`

async function requireRenewed(client, scope, count) {
  const [found] = (await client.query(outcome, scope)).rows
  const all = { subscriptions: count, invoices: count, paid: count, charges: count, donations: 2 * count }
  const expected = { ...all, exceptions: 0 }
  const wrong = Object.keys(expected).filter((name) => found[name] !== expected[name])
  if (wrong.length > 0) {
    throw new Error(`of ${count} recurring gifts: ${wrong.map((name) => `${found[name]} ${name}`).join(", ")}`)
  }
  return found.seconds
}

/** Notes the most memory that a process has until it is told to stop, bytes. */
function watchMemory({ pid }) {
  let peak = 0
  const look = () => {
    peak = Math.max(peak, residentBytes(pid))
  }
  const timer = setInterval(look, 500)
  return () => {
    clearInterval(timer)
    look()
    return peak
  }
}

/** Looks until as many are paid as are asked for, seldom: it counts them all. */
async function untilPaid(client, scope, wanted, pauseMillis) {
  let seen = -1
  let seenAt = performance.now()
  for (;;) {
    const [{ failed, paid }] = (await client.query(progress, scope)).rows
    if (failed > 0) throw new Error(`${failed} renewals failed`)
    if (paid >= wanted) return paid
    if (paid !== seen) [seen, seenAt] = [paid, performance.now()]
    if (performance.now() - seenAt > patienceMillis)
      throw new Error(`${paid} were renewed, and no more for two minutes`)
    await pause(pauseMillis)
  }
}

/** Gifts of staff as fast as they are answered, and how many were renewed a second meanwhile. */
async function besideGifts(client, scope, { count, seconds, task }) {
  const before = await untilPaid(client, scope, 1, 500)
  const start = performance.now()
  const gifts = await loaded({ ...task, seconds })
  const [{ paid }] = (await client.query(progress, scope)).rows
  if (paid === count) throw new Error("all were renewed before the gifts were measured: ask for more --renewals")
  return { gifts, perSecond: ((paid - before) * 1_000) / (performance.now() - start) }
}

async function measure(context, { almoner, client, day }) {
  const { renewals: count, seconds } = context
  const scope = [almoner.organisationId, day]
  const task = giftOf(almoner)
  await loaded({ ...task, seconds })
  const alone = await loaded({ ...task, seconds })
  const stopWatching = watchMemory(almoner.child)
  try {
    await moveClock(client, almoner.organisationId)
    const beside = await besideGifts(client, scope, { count, seconds, task })
    await untilPaid(client, scope, count, 5_000)
    return { alone, beside, elapsed: await requireRenewed(client, scope, count), peak: stopWatching() }
  } finally {
    stopWatching()
  }
}

/** One process serves and works, as `npm start` has it. The gifts of staff are compared with themselves before the day. */
export async function renewalsDue(context) {
  if (!context.ours) return []
  const { renewals: count } = context
  const databaseUrl = await newDatabase(context.postgres)
  const almoner = await openAlmoner(databaseUrl, [])
  const startedAt = performance.now()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const day = await setUp({ almoner, client, count, databaseUrl })
    await reconciliationEnd(databaseUrl, startedAt)
    const { alone, beside, elapsed, peak } = await measure(context, { almoner, client, day })
    return [
      row(`(q) ${count} renewals due on one day`, "renewals/s", count / elapsed, null),
      row("(q) … each", "ms", (elapsed * 1_000) / count, null),
      row("(q) … memory at most", "MB", peak / megabyte, null),
      row("(q) … beside keyed POST /donations", "renewals/s", beside.perSecond, count / elapsed),
      row("(q) keyed POST /donations beside them, to alone", "gifts/s", beside.gifts.perSecond, alone.perSecond),
      row("(q) … p99", "ms", beside.gifts.p99Millis, alone.p99Millis)
    ]
  } finally {
    await client.end()
    await almoner.stop()
  }
}
