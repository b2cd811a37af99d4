/** What is measured of gifts that are paid and of notices, in the manner of figures.mjs. */
import pg from "pg"
import { median } from "../harness/Percentile.mjs"
import { stop } from "../harness/Program.mjs"
import { openAlmoner } from "./Almoner.mjs"
import { ask, startScript } from "./Child.mjs"
import { checked, connections, giftOf, loaded, newDatabase, openReceiver, pause } from "./figures.mjs"
import { openGivingSetup } from "./GivingSetup.mjs"
import { reconciliationEnd } from "./Reconciliation.mjs"
import { row } from "./Row.mjs"
import { notice } from "./TestNotice.mjs"

/** Opens the face in promises in a process of its own. `submit(task)` is as submission.mjs says. `more` is environment. */
export async function openSubmitting(databaseUrl, giving, more = {}) {
  const { child } = await startScript("submission.mjs", { DATABASE_URL: databaseUrl, ...more })
  return {
    submit: (task) => ask(child, { ...giving, inFlight: connections, ...task }),
    stop: () => stop(child)
  }
}

/** The service with one endpoint, something to give through, and donors who give. `more` is the server's environment. */
async function openMoney(context, receiver, more = {}) {
  const databaseUrl = await newDatabase(context.postgres)
  const almoner = await openAlmoner(databaseUrl, [receiver.url], more)
  const submitting = await openSubmitting(databaseUrl, await openGivingSetup(almoner, databaseUrl))
  await reconciliationEnd(databaseUrl, performance.now())
  return {
    almoner,
    submit: submitting.submit,
    async stop() {
      await submitting.stop()
      await almoner.stop()
    }
  }
}

/** The process that submits is the one that works: the server has only made what there is to give through. */
export async function settledGifts(context) {
  const { ours, rounds, seconds } = context
  const receiver = await openReceiver()
  const money = ours ? await openMoney(context, receiver, { WORKERS: "off" }) : null
  const databaseUrl = await newDatabase(context.postgres)
  const byHand = (task) =>
    checked("baselines/settlement.mjs", { databaseUrl, endpointUrl: receiver.url, inFlight: connections, ...task })
  try {
    const found = { plain: [], settled: [], heard: [] }
    await byHand({ seconds: 1 })
    await money?.submit({ seconds: 1 })
    for (let round = 0; round < rounds; round++) {
      found.plain.push((await byHand({ seconds })).perSecond)
      if (money === null) continue
      const { heardPerSecond, perSecond } = await money.submit({ seconds })
      found.settled.push(perSecond)
      found.heard.push(heardPerSecond)
    }
    const plain = median(found.plain)
    const rate = (all) => (ours ? median(all) : null)
    return [
      row("(n) gifts by card until they are CONFIRMED, to pg by hand", "gifts/s", rate(found.settled), plain),
      row("(n) … and until the bank's notices of them are applied", "gifts/s", rate(found.heard), plain)
    ]
  } finally {
    await money?.stop()
    await receiver.stop()
  }
}

const noticesOf = (baseUrl, integrationId) => ({
  url: `${baseUrl}/processors/${integrationId}/notices`,
  method: "POST",
  headers: { "content-type": "application/json" },
  bodies: [notice],
  noticesTo: integrationId
})

/** One that takes notices in: its task, its database, and how it ends. */
async function openIntake(context, more) {
  const databaseUrl = await newDatabase(context.postgres)
  const almoner = await openAlmoner(databaseUrl, [], more)
  const { integrationId } = await openGivingSetup(almoner, databaseUrl)
  return { databaseUrl, task: noticesOf(almoner.baseUrl, integrationId), stop: () => almoner.stop() }
}

async function openPlainIntake(context) {
  const databaseUrl = await newDatabase(context.postgres)
  const { child, ready } = await startScript("baselines/notices.mjs", { DATABASE_URL: databaseUrl })
  return { databaseUrl, task: noticesOf(`http://127.0.0.1:${ready.port}`, "intg_bench"), stop: () => stop(child) }
}

/** Throws unless each accepted notice is stored once. What was under way when a round ended may be stored and not counted. */
async function requireKept({ databaseUrl }, accepted, rounds) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query(
    "select count(*)::int as kept, count(distinct event_id)::int as events from notices"
  )
  await client.end()
  const [{ events, kept }] = rows
  if (events !== kept || kept < accepted || kept > accepted + rounds * connections) {
    throw new Error(`${accepted} notices were accepted, and ${kept} are kept, of ${events} events`)
  }
}

export async function acceptedNotices(context) {
  const { ours, rounds, seconds } = context
  const intakes = [await openPlainIntake(context)]
  try {
    if (ours) intakes.push(await openIntake(context, { WORKERS: "off" }), await openIntake(context, {}))
    const found = intakes.map((intake) => ({ intake, accepted: 0, rates: [] }))
    const load = async (one, length) => {
      const { perSecond, total } = await loaded({ ...one.intake.task, seconds: length })
      one.accepted += total
      return perSecond
    }
    for (const one of found) await load(one, 1)
    for (let round = 0; round < rounds; round++) for (const one of found) one.rates.push(await load(one, seconds))
    for (const { accepted, intake } of found) await requireKept(intake, accepted, rounds + 1)
    const [plain, alone = null, applying = null] = found.map((one) => median(one.rates))
    return [
      row("(o) notices accepted, to node:http + pg", "notices/s", alone, plain),
      row("(o) notices accepted by a process that applies them, too", "notices/s", applying, plain)
    ]
  } finally {
    for (const { stop: end } of intakes) await end()
  }
}

/** Keyed gifts of staff while donors give by card; the baseline is the same service while nobody else gives. */
export async function besideSettling(context) {
  if (!context.ours) return []
  const { rounds, seconds } = context
  const receiver = await openReceiver()
  const { almoner, submit, stop: end } = await openMoney(context, receiver)
  try {
    const task = giftOf(almoner)
    const found = { alone: [], beside: [], settled: [] }
    await loaded({ ...task, seconds: 1 })
    await submit({ seconds: 1 })
    for (let round = 0; round < rounds; round++) {
      found.alone.push(await loaded({ ...task, seconds }))
      const submitting = submit({ seconds: seconds + 4 })
      let isOver = false
      submitting.finally(() => (isOver = true)).catch(() => {})
      await pause(1_000)
      found.beside.push(await loaded({ ...task, seconds }))
      if (isOver) throw new Error("the gifts by card were settled before those of staff were measured")
      found.settled.push((await submitting).perSecond)
    }
    const of = (results, what) => median(results.map((result) => result[what]))
    const compared = (name, unit, what) => row(`(p) ${name}`, unit, of(found.beside, what), of(found.alone, what))
    return [
      compared("keyed POST /donations beside gifts by card, to alone", "gifts/s", "perSecond"),
      compared("… p99", "ms", "p99Millis"),
      row("(p) gifts by card beside them", "gifts/s", median(found.settled), null)
    ]
  } finally {
    await end()
    await receiver.stop()
  }
}
