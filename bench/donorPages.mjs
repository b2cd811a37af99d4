/** What is measured of the pages of donors, in the manner of figures.mjs. */
import { Agent, request } from "node:http"
import pg from "pg"
import { median } from "../harness/Percentile.mjs"
import { stop } from "../harness/Program.mjs"
import { openAlmoner } from "./Almoner.mjs"
import { addressOf } from "./baselines/addresses.mjs"
import { startScript } from "./Child.mjs"
import { connections, giftOf, loaded, newDatabase, pause, rates } from "./figures.mjs"
import { openGivingSetup } from "./GivingSetup.mjs"
import { paint } from "./Paint.mjs"
import { row } from "./Row.mjs"

const agent = new Agent({ keepAlive: true, maxSockets: connections })

/** The answer of a page; to a form that is sent where there are fields. `fetch` names the host by the address alone. */
const visit = (url, headers, fields) =>
  new Promise((resolve, reject) => {
    const sent = fields === undefined ? {} : { method: "POST" }
    const asked = request(url, { ...sent, agent, headers }, async (answer) => {
      const chunks = []
      for await (const chunk of answer) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      const [, token] = /name="token" value="([^"]+)"/.exec(text) ?? []
      resolve({ status: answer.statusCode, location: answer.headers.location, token })
    })
    asked.once("error", reject).end(fields === undefined ? undefined : String(new URLSearchParams(fields)))
  })

let donors = 0

/** What a donor types on the first screen. */
const typedWith = (token, email = "ada@example.org") => ({
  token,
  amount: "5000",
  cadence: "ONE_TIME",
  name: "Ada Lovelace",
  email,
  step: "who"
})

/** A form's page, its first screen as a donor sends it, and gifts through it: the tasks of one server. */
async function tasksOf(baseUrl, { form, organisation }) {
  const url = `${baseUrl}/f/${form}`
  const host = `${organisation}.localhost:${new URL(baseUrl).port}`
  const { token } = await visit(url, { host })
  if (token === undefined) throw new Error(`${url} shows no form`)
  const sent = { host, "content-type": "application/x-www-form-urlencoded" }
  const typed = { ...sent, "accept-encoding": "br" }
  const fromAnother = () => {
    const donor = ++donors
    return { ...sent, "x-forwarded-for": `10.${(donor >> 16) & 255}.${(donor >> 8) & 255}.${donor & 255}` }
  }
  return {
    page: { url, headers: { host, "accept-encoding": "br" } },
    typed: {
      url,
      method: "POST",
      headers: typed,
      texts: [String(new URLSearchParams(typedWith(token)))],
      fromMany: true
    },
    /** The token of a second screen, of which nobody has given. */
    async prepare() {
      const first = await visit(url, { host })
      return (await visit(url, fromAnother(), typedWith(first.token, addressOf(donors)))).token
    },
    async give(prepared) {
      const means = { token: prepared, method: "card", "payment_token.card": "4242 4242 4242 4242" }
      const { location, status } = await visit(url, fromAnother(), means)
      if (status !== 303 || !/\/p\/[^/]+$/.test(location)) throw new Error(`a gift was answered ${status}`)
    }
  }
}

/** Does something as often as there are values, with as many under way at a time as every figure has, until the time is over. */
async function inFlight(values, act, seconds = Number.POSITIVE_INFINITY) {
  const start = performance.now()
  const elapsedSeconds = () => (performance.now() - start) / 1_000
  const done = []
  const one = async () => {
    while (values.length > 0 && elapsedSeconds() < seconds) done.push(await act(values.pop()))
  }
  await Promise.all(Array.from({ length: connections }, one))
  return { done, perSecond: done.length / elapsedSeconds() }
}

const confirmedGifts = async (databaseUrl) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query("select count(*)::int as count from donations where status = 'CONFIRMED'")
  await client.end()
  return rows[0].count
}

/** More gifts than either makes in a second, as long as nothing is known of its rate. */
const mostPerSecond = 600

/**
 * Gifts a second by the second screen, in turns. Each is of a screen of its own, which is opened before; in the end as many are
 * CONFIRMED as were answered.
 */
async function submissions({ rounds, seconds }, sides) {
  const found = sides.map(() => [])
  const given = sides.map(() => 0)
  const most = sides.map(() => mostPerSecond)
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { tasks }] of sides.entries()) {
      // The first round warms up.
      const time = round === 0 ? 1 : seconds
      const { done: prepared } = await inFlight(Array.from({ length: time * most[index] }), tasks.prepare)
      const { done, perSecond } = await inFlight(prepared, tasks.give, time)
      if (prepared.length === 0) throw new Error(`more than ${most[index]} gifts were made in a second`)
      most[index] = 50 + Math.ceil(2 * perSecond)
      given[index] += done.length
      if (round > 0) found[index].push(perSecond)
    }
  }
  for (const [index, { databaseUrl }] of sides.entries()) {
    const confirmed = await confirmedGifts(databaseUrl)
    if (confirmed !== given[index]) throw new Error(`of ${given[index]} gifts ${confirmed} are CONFIRMED`)
  }
  return found.map((rates) => median(rates))
}

/**
 * How long a page takes at most while the API is asked for as much as it can: 20 pages a second, and enough of them that a
 * hundredth is more than one.
 */
async function besideApi({ rounds, seconds }, almoner, page) {
  const task = { ...page, connections: 4, perSecond: 20, seconds: 5 * seconds }
  const found = { alone: [], beside: [] }
  for (let round = 0; round < rounds; round++) {
    found.alone.push((await loaded(task)).p99Millis)
    const load = loaded({ ...giftOf(almoner), seconds: 5 * seconds + 2 })
    await pause(1_000)
    found.beside.push((await loaded(task)).p99Millis)
    await load
  }
  return { alone: median(found.alone), beside: median(found.beside) }
}

export async function donorPages(context) {
  const databaseUrl = await newDatabase(context.postgres)
  const giftsUrl = await newDatabase(context.postgres)
  // The baseline reads what the service has made, and keeps its gifts apart.
  // An address may send few forms, so that each comes from another one.
  const proxy = { TRUSTED_PROXIES: "127.0.0.0/8", PROXY_HEADER: "x-forwarded-for" }
  const almoner = await openAlmoner(databaseUrl, [], proxy)
  const byHand = await startScript("baselines/page.mjs", { DATABASE_URL: databaseUrl, GIFTS_URL: giftsUrl })
  try {
    const giving = await openGivingSetup(almoner, databaseUrl)
    const ours = await tasksOf(almoner.baseUrl, giving)
    const plain = await tasksOf(`http://127.0.0.1:${byHand.ready.port}`, giving)
    const pages = await rates(context, { plain: plain.page, ...(context.ours ? { ours: ours.page } : {}) })
    const typed = await rates(context, { plain: plain.typed, ...(context.ours ? { ours: ours.typed } : {}) })
    const sides = [{ tasks: plain, databaseUrl: giftsUrl }, ...(context.ours ? [{ tasks: ours, databaseUrl }] : [])]
    const [plainGifts, ourGifts = null] = await submissions(context, sides)
    const rows = [
      row("(r) page of a form, to Fastify + pg", "pages/s", pages.ours ?? null, pages.plain, "≥ 0.8"),
      row("(r) first screen sent, to Fastify + pg", "pages/s", typed.ours ?? null, typed.plain, "≥ 0.8"),
      row("(r) gift by card sent, to Fastify + pg", "gifts/s", ourGifts, plainGifts, "≥ 0.8")
    ]
    if (!context.ours) return rows
    const { alone, beside } = await besideApi(context, almoner, ours.page)
    const shown = await paint(almoner.baseUrl, giving)
    return [
      ...rows,
      row("(r) page beside keyed gifts over REST, to alone, p99", "ms", beside, alone, "≤ 100 ms"),
      row("(r) largest paint of a page, slow 4G and a processor four times slower", "ms", shown, null, "≤ 1,200 ms")
    ]
  } finally {
    await stop(byHand.child)
    await almoner.stop()
  }
}
