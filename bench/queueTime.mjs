/**
 * How long another organisation waits for `GET /whoami` while a request that is too large in some way, or whose answer is, is
 * sent 90 times, 8 at a time: the longest wait of a steady trickle, beside the longest wait while nobody else asks.
 */
import { seconds } from "../harness/Program.mjs"
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
  "numbers and a comma too many, 1 MB": ["POST", "/donors", `[${"1,".repeat(megabyte / 2 - 2)}]`],
  "an unfinished text of 1 MB": ["POST", "/donors", `{"first_name":"${"a".repeat(megabyte - 20)}`],
  "a page of 100 forms, 90 KB each": ["GET", "/forms?limit=100"],
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

const most = { times: 90, together: 8 }

/** A page of the largest records, 100 forms whose texts are as long as they may be. */
async function makeForms({ post }) {
  const text = "€".repeat(10_000)
  const texts = { description: text, thank_you_message: text, disclaimer_text: text }
  for (let n = 0; n < 100; n++) await post("/api/v1/forms", { name: `Form ${n}`, ...texts })
}

/** Asks once; a refusal is an answer. */
async function ask({ baseUrl, headers }, method, path, body) {
  const answer = await fetch(`${baseUrl}/api/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  await answer.arrayBuffer()
  if (answer.status >= 500) throw new Error(`${method} ${path.slice(0, 40)}: ${answer.status}`)
}

/** Sends a request as often, and as many at a time, as one key's rate allows. */
async function flood(almoner, [method, path, body]) {
  let left = most.times
  const caller = async () => {
    while (left-- > 0) await ask(almoner, method, path, body)
  }
  await Promise.all(Array.from({ length: most.together }, caller))
}

/** The longest wait of another caller, who is a process of its own, while something is done or nothing is. */
async function longestWait({ baseUrl, otherHeaders: headers }, during) {
  const task = { url: `${baseUrl}/api/v1/whoami`, headers, count: 600, pauseMillis: 5 }
  const [{ maxMillis }] = await Promise.all([checked("sequence.mjs", task), seconds(0.5).then(during)])
  return maxMillis
}

export async function queueTime(context) {
  if (!context.ours) return []
  const databaseUrl = await newDatabase(context.postgres)
  const almoner = await openAlmoner(databaseUrl, [])
  try {
    await multiplyDonor(databaseUrl, almoner.organisationId, almoner.donorIds[0], context.donors)
    await makeForms(almoner)
    await longestWait(almoner, () => {})
    const idle = await longestWait(almoner, () => {})
    const rows = [row("(k) another caller's longest wait, idle", "ms", idle, null)]
    for (const [what, request] of Object.entries(requests)) {
      const longest = await longestWait(almoner, () => flood(almoner, request))
      rows.push(row(`(k) … beside ${what}`, "ms", longest, idle, "< 200 ms"))
    }
    return rows
  } finally {
    await almoner.stop()
  }
}
