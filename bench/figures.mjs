/**
 * What is measured. Each figure gets the context `{ postgres, seconds, rounds, gifts, ours }` and gives rows; with
 * `ours` false only the baselines run. Services take turns in every round, and the median of the rounds is reported.
 */
import { median } from "../harness/Percentile.mjs"
import { stop } from "../harness/Program.mjs"
import { bearer, gift } from "../harness/Requests.mjs"
import { donors, openAlmoner } from "./Almoner.mjs"
import { ask, residentBytes, runScript, startScript } from "./Child.mjs"
import { multiplyGift } from "./Gifts.mjs"
import { row } from "./Row.mjs"

/** Requests, and submissions, that are under way at the same time. */
export const connections = 32
const megabyte = 2 ** 20

let databases = 0
export const newDatabase = (postgres) => postgres.createDatabase(`bench_${++databases}`)

export const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis))

export async function checked(script, task) {
  const result = await runScript(script, task)
  const { answers, failed } = result
  if (failed > 0) throw new Error(`${failed} of ${task.url} failed: ${JSON.stringify(answers)}`)
  return result
}

/** What the load generator says of a task, on as many connections as every figure has. */
export const loaded = (task) => checked("load.mjs", { connections, ...task })

/** The median rate of each named task over the rounds, after one second of warming up. */
export async function rates({ rounds, seconds }, tasks) {
  const found = Object.fromEntries(Object.keys(tasks).map((name) => [name, []]))
  for (const task of Object.values(tasks)) await loaded({ ...task, seconds: 1 })
  for (let round = 0; round < rounds; round++) {
    for (const [name, task] of Object.entries(tasks)) {
      const { perSecond } = await loaded({ ...task, seconds })
      found[name].push(perSecond)
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, median(values)]))
}

export async function openFastify(postgres, endpointUrl) {
  const databaseUrl = await newDatabase(postgres)
  const { child, ready } = await startScript("baselines/fastify.mjs", {
    DATABASE_URL: databaseUrl,
    ENDPOINT_URL: endpointUrl,
    DONORS: String(donors)
  })
  return {
    child,
    databaseUrl,
    baseUrl: `http://127.0.0.1:${ready.port}`,
    headers: bearer(ready.write_key),
    donorIds: ready.donor_ids,
    linkIds: ready.link_ids,
    stop: () => stop(child)
  }
}

export async function openReceiver() {
  const { child, ready } = await startScript("receiver.mjs")
  return {
    url: `http://127.0.0.1:${ready.port}/hook`,
    count: () => ask(child, "count"),
    report: () => ask(child, "report"),
    stop: () => stop(child)
  }
}

const whoamiOf = ({ baseUrl, headers }) => ({ url: `${baseUrl}/api/v1/whoami`, headers })

/** Keyed gifts through REST. */
export const giftOf = ({ baseUrl, donorIds, headers }) => ({
  url: `${baseUrl}/api/v1/donations`,
  method: "POST",
  headers,
  bodies: donorIds.map(gift),
  keyed: true
})

export async function whoami(context) {
  const { child, ready } = await startScript("baselines/bare.mjs")
  const fastify = await openFastify(context.postgres, "http://127.0.0.1:9/")
  const almoner = context.ours ? await openAlmoner(await newDatabase(context.postgres), []) : null
  try {
    const found = await rates(context, {
      bare: { url: `http://127.0.0.1:${ready.port}/api/v1/whoami` },
      fastify: whoamiOf(fastify),
      ...(almoner === null ? {} : { ours: whoamiOf(almoner) })
    })
    const ours = found.ours ?? null
    return [
      row("(a) GET /whoami, to bare node:http", "requests/s", ours, found.bare),
      row("(a) GET /whoami, to Fastify", "requests/s", ours, found.fastify, "≥ 1.0")
    ]
  } finally {
    await almoner?.stop()
    await fastify.stop()
    await stop(child)
  }
}

export async function donations(context) {
  const receiver = await openReceiver()
  const fastify = await openFastify(context.postgres, receiver.url)
  const almoner = context.ours ? await openAlmoner(await newDatabase(context.postgres), [receiver.url]) : null
  try {
    const found = await rates(context, {
      fastify: giftOf(fastify),
      ...(almoner === null ? {} : { ours: giftOf(almoner) })
    })
    const resident = (service) => (service === null ? null : residentBytes(service.child.pid) / megabyte)
    return [
      row(
        "(b) keyed POST /donations, one endpoint, to Fastify + pg",
        "gifts/s",
        found.ours ?? null,
        found.fastify,
        "≥ 2.0"
      ),
      row("memory after (b), PostgreSQL", "MB", resident(almoner), resident(fastify), "≤ 150 MB")
    ]
  } finally {
    await almoner?.stop()
    await fastify.stop()
    await receiver.stop()
  }
}

export async function embedded(context) {
  if (!context.ours) return []
  const receiver = await openReceiver()
  const almoner = await openAlmoner(null, [receiver.url])
  try {
    const { ours } = await rates(context, { ours: giftOf(almoner) })
    return [
      row("(c) keyed POST /donations, embedded database", "gifts/s", ours, null, "≥ 1,000 gifts/s"),
      row("memory after (c), embedded database", "MB", residentBytes(almoner.child.pid) / megabyte, null, "≤ 350 MB")
    ]
  } finally {
    await almoner.stop()
    await receiver.stop()
  }
}

/** From the commit's `occurred_at` to the receiver; under load means half of what the service can take. */
export async function commitToReceipt(context) {
  if (!context.ours) return []
  const receiver = await openReceiver()
  const almoner = await openAlmoner(await newDatabase(context.postgres), [receiver.url])
  try {
    const task = giftOf(almoner)
    const { perSecond } = await loaded({ ...task, seconds: context.seconds })
    await drained(receiver)
    await checked("sequence.mjs", { ...task, count: 100, pauseMillis: 50 })
    const idle = await drained(receiver)
    const half = Math.round(perSecond / 2)
    await loaded({ ...task, seconds: context.seconds, perSecond: half })
    const busy = await drained(receiver)
    return [
      row("(d) commit to receipt, idle, p50", "ms", idle.p50Millis, null, "< 10 ms"),
      row("(d) commit to receipt, idle, p99", "ms", idle.p99Millis, null, "< 50 ms"),
      row(`(d) commit to receipt, ${half} gifts/s, p50`, "ms", busy.p50Millis, null),
      row(`(d) commit to receipt, ${half} gifts/s, p99`, "ms", busy.p99Millis, null)
    ]
  } finally {
    await almoner.stop()
    await receiver.stop()
  }
}

/** Waits until nothing has come for two seconds, then reports all that came. */
async function drained(receiver) {
  let seen = -1
  for (let count = await receiver.count(); count !== seen; count = await receiver.count()) {
    seen = count
    await pause(2_000)
  }
  return receiver.report()
}

/** A process that only serves makes a backlog; one that delivers is started on it, and its rate is the receiver's. */
export async function deliveries(context) {
  const receiver = await openReceiver()
  const endpoints = Array.from({ length: 20 }, (_, index) => `${receiver.url}/${index}`)
  const almoner = context.ours
    ? await openAlmoner(await newDatabase(context.postgres), endpoints, { WORKERS: "off" })
    : null
  try {
    const bare = []
    const ours = []
    for (let round = 0; round < context.rounds; round++) {
      const loop = await checked("baselines/deliveries.mjs", {
        url: receiver.url,
        count: 20_000,
        inFlight: connections
      })
      bare.push(loop.perSecond)
      await receiver.report()
      if (almoner === null) continue
      await loaded({ ...giftOf(almoner), amount: 500 })
      const stopDelivering = await almoner.startAnother()
      ours.push((await drained(receiver)).perSecond)
      await stopDelivering()
    }
    const rate = almoner === null ? null : median(ours)
    return [row("(e) deliveries, to a bare loop of signed POSTs", "deliveries/s", rate, median(bare), "≥ 0.5")]
  } finally {
    await almoner?.stop()
    await receiver.stop()
  }
}

export async function pages(context) {
  if (!context.ours) return []
  const pageSize = 100
  const databaseUrl = await newDatabase(context.postgres)
  const almoner = await openAlmoner(databaseUrl, [])
  try {
    const { id } = await almoner.post("/api/v1/donations", gift(almoner.donorIds[0]))
    const cursor = await multiplyGift(databaseUrl, almoner.organisationId, id, context.gifts, pageSize)
    const read = (query) =>
      checked("sequence.mjs", {
        url: `${almoner.baseUrl}/api/v1/donations?limit=${pageSize}${query}`,
        headers: almoner.headers,
        count: 300
      })
    const first = await read("")
    const last = await read(`&starting_after=${cursor}`)
    const lastPage = context.gifts / pageSize
    return [
      row(
        `(f) page ${lastPage} to page 1 of ${context.gifts} gifts, p50`,
        "ms",
        last.p50Millis,
        first.p50Millis,
        "≤ 2"
      ),
      row(`(f) page ${lastPage} to page 1 of ${context.gifts} gifts, p99`, "ms", last.p99Millis, first.p99Millis, "≤ 2")
    ]
  } finally {
    await almoner.stop()
  }
}
