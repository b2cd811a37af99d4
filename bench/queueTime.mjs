/**
 * How long another organisation waits for `GET /whoami` while one request that is too large in some way is answered again and
 * again: the longest wait of a steady trickle, beside the longest wait while nobody else asks.
 */
import { openAlmoner } from "./Almoner.mjs"
import { multiplyDonor } from "./Donors.mjs"
import { checked, newDatabase } from "./figures.mjs"
import { row } from "./Row.mjs"

const megabyte = 2 ** 20

/** A body of so many bytes at most, filled with as many elements as there is room for. */
const filled = (before, element, after) => {
  const count = Math.floor((megabyte - before.length - after.length) / (element.length + 1)) - 1
  return `${before}${`${element},`.repeat(count)}${element}${after}`
}

const many = (count, one) => Array.from({ length: count }, (_, index) => one(index)).join(",")

const endpoint = (list) => [
  "POST",
  "/webhook-endpoints",
  filled('{"url":"https://a.example","event_types":[', list, "]}")
]

/** Requests by what is too large about them. */
const requests = {
  "a URL of 160,000 characters": [
    "PATCH",
    "/organisations/me",
    JSON.stringify({ website_url: `https://${"a".repeat(160_000)} ` })
  ],
  "a text of 1 MB": ["PATCH", "/organisations/me", JSON.stringify({ timezone: "a".repeat(megabyte - 100) })],
  "a list of 349,000 lists": endpoint("[]"),
  "a list of 349,000 objects": endpoint("{}"),
  "a list of 65,000 event types": endpoint('"donor.created"'),
  "70,000 unknown names": ["POST", "/donors", `{${many(70_000, (index) => `"name${index}":1`)}}`],
  "500,000 levels": ["POST", "/donors", `${"[".repeat(megabyte / 2)}${"]".repeat(megabyte / 2)}`],
  "7,000 query parameters": ["GET", `/donors?${"a&".repeat(7_000)}`],
  "a filter of 7,000 values": ["GET", `/donors?donor_type[in]=${"a,".repeat(7_000)}`],
  "a search of 7,000 words": ["GET", `/donors?search=${"a+".repeat(7_000)}`],
  "a search of 32 words": ["GET", `/donors?search=${Array.from({ length: 32 }, (_, index) => `l${index}`).join("+")}`],
  "a search of 9 common words": [
    "GET",
    `/donors?search=${Array.from({ length: 9 }, (_, index) => `lovelace${index + 1}`).join("+")}`
  ]
}

/** Asks once; a refusal is an answer. */
async function ask({ baseUrl, headers }, method, path, body) {
  const answer = await fetch(`${baseUrl}/api/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  await answer.arrayBuffer()
  if (answer.status >= 500) throw new Error(`${method} ${path.slice(0, 40)}: ${answer.status}`)
}

/** The longest wait of another caller, who is a process of its own, and how many requests were answered meanwhile. */
async function waits({ baseUrl, headers }, seconds, disturb) {
  let isOver = false
  let answered = 0
  const disturbing = (async () => {
    while (disturb !== undefined && !isOver) {
      await disturb()
      answered += 1
    }
  })()
  const task = { url: `${baseUrl}/api/v1/whoami`, headers, count: Math.ceil(seconds * 100), pauseMillis: 5 }
  const { maxMillis } = await checked("sequence.mjs", task)
  isOver = true
  await disturbing
  return { longest: maxMillis, answered }
}

export async function queueTime(context) {
  if (!context.ours) return []
  const databaseUrl = await newDatabase(context.postgres)
  const almoner = await openAlmoner(databaseUrl, [])
  try {
    await multiplyDonor(databaseUrl, almoner.organisationId, almoner.donorIds[0], context.donors)
    const other = { baseUrl: almoner.baseUrl, headers: almoner.otherHeaders }
    await waits(other, 1)
    const idle = await waits(other, context.seconds)
    const rows = [row("(k) another caller's longest wait, idle", "ms", idle.longest, null)]
    for (const [what, [method, path, body]] of Object.entries(requests)) {
      const { answered, longest } = await waits(other, context.seconds, () => ask(almoner, method, path, body))
      if (answered === 0) throw new Error(`${what} was not answered`)
      rows.push(row(`(k) … beside ${what}`, "ms", longest, idle.longest, "< 200 ms"))
    }
    return rows
  } finally {
    await almoner.stop()
  }
}
