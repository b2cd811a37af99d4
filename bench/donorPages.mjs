/** What is measured of the pages of donors, in the manner of figures.mjs. */
import { request } from "node:http"
import { median } from "../harness/Percentile.mjs"
import { stop } from "../harness/Program.mjs"
import { openAlmoner } from "./Almoner.mjs"
import { startScript } from "./Child.mjs"
import { giftOf, loaded, newDatabase, pause, rates } from "./figures.mjs"
import { openGivingSetup } from "./GivingSetup.mjs"
import { paint } from "./Paint.mjs"
import { row } from "./Row.mjs"

/** The text of a page. `fetch` names the host by the address alone. */
const read = (url, headers) =>
  new Promise((resolve, reject) => {
    const asked = request(url, { headers }, async (answer) => {
      const chunks = []
      for await (const chunk of answer) chunks.push(chunk)
      resolve(Buffer.concat(chunks).toString())
    })
    asked.once("error", reject).end()
  })

/** A form's page, and its first screen as a donor sends it: the two tasks of one server. */
async function tasksOf(baseUrl, { form, organisation }) {
  const url = `${baseUrl}/f/${form}`
  const host = `${organisation}.localhost:${new URL(baseUrl).port}`
  const [, token] = /name="token" value="([^"]+)"/.exec(await read(url, { host })) ?? []
  if (token === undefined) throw new Error(`${url} shows no form`)
  const typed = {
    token,
    amount: "5000",
    cadence: "ONE_TIME",
    name: "Ada Lovelace",
    email: "ada@example.org",
    step: "who"
  }
  const sent = { host, "content-type": "application/x-www-form-urlencoded" }
  return {
    page: { url, headers: { host } },
    typed: { url, method: "POST", headers: sent, texts: [String(new URLSearchParams(typed))], fromMany: true }
  }
}

/** How long a page takes at most while the API is asked for as much as it can: 20 pages a second, compressed as for a browser. */
async function besideApi({ rounds, seconds }, almoner, page) {
  const task = {
    ...page,
    headers: { ...page.headers, "accept-encoding": "br" },
    connections: 4,
    perSecond: 20,
    seconds
  }
  const found = { alone: [], beside: [] }
  for (let round = 0; round < rounds; round++) {
    found.alone.push((await loaded(task)).p99Millis)
    const load = loaded({ ...giftOf(almoner), seconds: seconds + 2 })
    await pause(1_000)
    found.beside.push((await loaded(task)).p99Millis)
    await load
  }
  return { alone: median(found.alone), beside: median(found.beside) }
}

export async function donorPages(context) {
  const databaseUrl = await newDatabase(context.postgres)
  // The baseline reads what the service has made.
  // An address may send few forms, so that each comes from another one.
  const proxy = { TRUSTED_PROXIES: "127.0.0.0/8", PROXY_HEADER: "x-forwarded-for" }
  const almoner = await openAlmoner(databaseUrl, [], proxy)
  const byHand = await startScript("baselines/page.mjs", { DATABASE_URL: databaseUrl })
  try {
    const giving = await openGivingSetup(almoner, databaseUrl)
    const ours = await tasksOf(almoner.baseUrl, giving)
    const plain = await tasksOf(`http://127.0.0.1:${byHand.ready.port}`, giving)
    const pages = await rates(context, { plain: plain.page, ...(context.ours ? { ours: ours.page } : {}) })
    const typed = await rates(context, { plain: plain.typed, ...(context.ours ? { ours: ours.typed } : {}) })
    const rows = [
      row("(r) page of a form, to Fastify + pg", "pages/s", pages.ours ?? null, pages.plain, "≥ 0.8"),
      row("(r) first screen sent, to Fastify + pg", "pages/s", typed.ours ?? null, typed.plain, "≥ 0.8")
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
