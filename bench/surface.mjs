/** What is measured of lists, changes and sets, in the manner of figures.mjs. */
import pg from "pg"
import { gift } from "../harness/Requests.mjs"
import { openAlmoner } from "./Almoner.mjs"
import { multiplyDonor } from "./Donors.mjs"
import { checked, newDatabase, openFastify, rates } from "./figures.mjs"
import { linkAccounts } from "./Links.mjs"
import { row } from "./Row.mjs"

const nowhere = "http://127.0.0.1:9/"

/** Both services on databases of their own, with accounts to make sets of. */
async function openBoth(context) {
  const fastify = await openFastify(context.postgres, nowhere)
  if (!context.ours) return { fastify, stop: () => fastify.stop() }
  const databaseUrl = await newDatabase(context.postgres)
  const opened = await openAlmoner(databaseUrl, [])
  const linkIds = await linkAccounts(databaseUrl, opened.organisationId, 20)
  return {
    fastify,
    ours: { ...opened, databaseUrl, linkIds },
    async stop() {
      await opened.stop()
      await fastify.stop()
    }
  }
}

/** Gives each of the two services that are open the task that `taskOf` makes for it, and compares their rates. */
async function compare(context, figure, unit, taskOf, fill = () => {}) {
  const both = await openBoth(context)
  try {
    const services = { fastify: both.fastify, ...(both.ours === undefined ? {} : { ours: both.ours }) }
    for (const service of Object.values(services)) await fill(service)
    const tasks = Object.fromEntries(Object.entries(services).map(([name, service]) => [name, taskOf(service)]))
    const found = await rates(context, tasks)
    return [row(figure, unit, found.ours ?? null, found.fastify)]
  } finally {
    await both.stop()
  }
}

/** Records gifts, and counts what is in the database, as its own vacuum does within a minute. */
async function recordGifts({ baseUrl, databaseUrl, donorIds, headers }) {
  await checked("load.mjs", {
    url: `${baseUrl}/api/v1/donations`,
    method: "POST",
    headers,
    bodies: donorIds.map(gift),
    keyed: true,
    connections: 32,
    amount: 5_000
  })
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query("vacuum analyze")
  await client.end()
}

export const filteredLists = (context) =>
  compare(
    context,
    "(g) GET /donations?donor_id, 20 gifts, to Fastify + pg",
    "requests/s",
    ({ baseUrl, donorIds, headers }) => ({
      url: baseUrl,
      paths: donorIds.map((id) => `/api/v1/donations?donor_id=${id}&limit=20`),
      headers
    }),
    recordGifts
  )

/** An odd number of telephones for an even one of donors: every request changes something. */
const phones = Array.from({ length: 101 }, (_, index) => ({ phone: `+61 2 5550 ${String(index).padStart(4, "0")}` }))

export const patches = (context) =>
  compare(context, "(h) keyed PATCH /donors/{id}, to Fastify + pg", "changes/s", ({ baseUrl, donorIds, headers }) => ({
    url: baseUrl,
    paths: donorIds.map((id) => `/api/v1/donors/${id}`),
    method: "PATCH",
    headers,
    bodies: phones,
    keyed: true
  }))

/** Each has a name of its own, short enough that its slug is its own, too, and free. */
const setOf = (linkIds) => ({
  name: "Set {turn}",
  allocations: linkIds.map((id, index) => ({ recipient_org_account_link_id: id, amount_cents: 1_000 + index }))
})

export const sets = (context) =>
  compare(
    context,
    "(i) keyed POST /recommendation-sets, 20 allocations, to Fastify + pg",
    "sets/s",
    ({ baseUrl, headers, linkIds }) => ({
      url: `${baseUrl}/api/v1/recommendation-sets`,
      method: "POST",
      headers,
      bodies: [setOf(linkIds)],
      keyed: true
    })
  )

/** Beginnings that every donor has, that few have and that nobody has, alone and together. */
const searches = ["ad", "lov", "lovelace77", "ada lovelace12", "zz", "lovelace zz", "a lovelace ada lovelace12 lo"]

export async function donorSearch(context) {
  if (!context.ours) return []
  const databaseUrl = await newDatabase(context.postgres)
  const almoner = await openAlmoner(databaseUrl, [])
  try {
    await multiplyDonor(databaseUrl, almoner.organisationId, almoner.donorIds[0], context.donors)
    const rows = []
    for (const words of searches) {
      const { p95Millis } = await checked("sequence.mjs", {
        url: `${almoner.baseUrl}/api/v1/donors?search=${encodeURIComponent(words)}&limit=25`,
        headers: almoner.headers,
        count: 200
      })
      rows.push(row(`(j) donors?search=${words} among ${context.donors}, p95`, "ms", p95Millis, null, "< 50 ms"))
    }
    return rows
  } finally {
    await almoner.stop()
  }
}
