/**
 * Donors who give by card through a form, in a process of its own: the service's face in promises on the database that
 * DATABASE_URL names, with its workers, which send mails to the server that SMTP_URL names, if any. Its first message says that it is open; sent
 * `{ organisation, form, seconds, amount, inFlight, frequency, pauseMillis }` it submits for so many seconds, or so many gifts, with as many
 * under way at the same time, waits until all are CONFIRMED, holds them against charges and ledger, and answers
 * `{ count, perSecond, heardPerSecond }`: until they were, and until the bank's notices of them were applied, too. Sent
 * `{ organisation, form, codes, pauseMillis }` it asks for so many codes by mail, one after the other, and answers `{ count }`. Whatever is
 * refused ends the process.
 */
import { randomUUID } from "node:crypto"
import { createTransport } from "nodemailer"
import pg from "pg"
import { Almoner } from "../dist/index.js"
import { postgres } from "../dist/postgres.js"
import { webhookTransport } from "../dist/webhooks.js"
import { encryptionKeys, seconds as waitSeconds } from "../harness/Program.mjs"
import { addressOf } from "./baselines/addresses.mjs"

const patienceSeconds = 300
const url = process.env.DATABASE_URL

/** Sends as the command does. */
function makeMailer(smtpUrl) {
  const transport = createTransport({ url: smtpUrl, pool: true, maxConnections: 8 })
  const from = "Bench <bench@example.org>"
  return async ({ id, subject, text, to }) => {
    await transport.sendMail({ from, to, subject, text, messageId: `<${id}@example.org>` })
    return { _tag: "Sent" }
  }
}

const mailer = process.env.SMTP_URL === undefined ? {} : { mailer: makeMailer(process.env.SMTP_URL) }
const almoner = await Almoner.open({ backend: postgres({ url }), keys: encryptionKeys, webhookTransport, ...mailer })
almoner.workers.start()
const client = new pg.Client({ connectionString: url })
await client.connect()

let turns = 0

async function submit({ form, frequency, organisation }) {
  const submitted = await almoner.checkouts.submit({
    organisation,
    slug: form,
    submission_id: randomUUID(),
    amount_cents: 5_000,
    currency: "AUD",
    method: "card",
    donor: { email: addressOf(turns++), first_name: "Ada" },
    payment_token: "4242 4242 4242 4242",
    request_id: "req_bench",
    ...(frequency === undefined ? {} : { frequency })
  })
  if (submitted.failure_code !== null) throw new Error(`a gift failed: ${submitted.failure_code}`)
}

const settled = `
  select
    (select count(*) from donations where charge_id is not null and status = 'CONFIRMED')::int as gifts,
    (select count(*) from charges where status = 'SUCCEEDED')::int as charges,
    (select count(distinct charge_id) from ledger_entries where cause = 'charge')::int as booked`

const unheard = `
  select (select count(*) from test_notices where send_at is not null)::int
    + (select count(*) from notices where apply_at is not null)::int as count`

const ask = async (text) => (await client.query(text)).rows[0]

/** Asks until something is true. */
async function until(what, isTrue) {
  const start = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - start > patienceSeconds * 1_000) throw new Error(`${what}: not within five minutes`)
    await waitSeconds(0.02)
  }
}

async function run({
  amount = Number.POSITIVE_INFINITY,
  inFlight,
  pauseMillis = 0,
  seconds = patienceSeconds,
  ...given
}) {
  const { gifts: before } = await ask(settled)
  const start = performance.now()
  const elapsedSeconds = () => (performance.now() - start) / 1_000
  let count = 0
  const donor = async () => {
    while (count < amount && elapsedSeconds() < seconds) {
      count++
      await submit(given)
      if (pauseMillis > 0) await waitSeconds(pauseMillis / 1_000)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, donor))
  await until("all gifts are CONFIRMED", async () => (await ask(settled)).gifts >= before + count)
  const perSecond = count / elapsedSeconds()
  const { booked, charges, gifts } = await ask(settled)
  if (gifts !== before + count || charges !== gifts || booked !== gifts) {
    throw new Error(
      `of ${before + count} gifts ${gifts} are CONFIRMED, with ${charges} charges, ${booked} in the ledger`
    )
  }
  await until("all notices are applied", async () => (await ask(unheard)).count === 0)
  return { count, perSecond, heardPerSecond: count / elapsedSeconds() }
}

/** Each for an address of its own, since one gets few. */
async function requestCodes({ codes, form, organisation, pauseMillis }) {
  for (let turn = 0; turn < codes; turn++) {
    const donor = { submission_id: randomUUID(), email: addressOf(turns++) }
    await almoner.checkouts.requestCode({ organisation, slug: form, ...donor })
    await waitSeconds(pauseMillis / 1_000)
  }
  return { count: codes }
}

process.on("message", async (task) => process.send(await (task.codes === undefined ? run(task) : requestCodes(task))))
// Ended in the middle of its work it would keep what it has claimed from the server until its leases are over.
process.once("SIGTERM", async () => {
  await almoner.close()
  process.exit()
})
process.once("disconnect", () => process.exit())
process.send({})
