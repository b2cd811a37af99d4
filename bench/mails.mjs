/** How long receipts and codes take to the mail server, alone and beside the summaries of a year, in the manner of figures.mjs. */
import pg from "pg"
import { countedId } from "../harness/CountedId.mjs"
import { percentile } from "../harness/Percentile.mjs"
import { stop } from "../harness/Program.mjs"
import { openAlmoner } from "./Almoner.mjs"
import { ask, startScript } from "./Child.mjs"
import { newDatabase, pause } from "./figures.mjs"
import { openGivingSetup } from "./GivingSetup.mjs"
import { openSubmitting } from "./money.mjs"
import { reconciliationEnd } from "./Reconciliation.mjs"
import { row } from "./Row.mjs"

/** Two donors give, each a tenth of a second after what came of the gift before: as fast as pages do on a busy day. */
const pace = { inFlight: 2, pauseMillis: 100 }

/** Codes that are asked for in a row: an organisation has a hundred mailed in an hour. */
const codes = { codes: 90, pauseMillis: 100 }

/** Cards are closed on each form, so that codes open them. */
const closing = `
  insert into card_guards (organisation_id, subject, credit, credit_at, in_flight, begun_at, closed_until, closings)
  select organisation_id, id, 0, now(), 0, now(), now() + interval '1 hour', 1 from donation_forms
  on conflict (organisation_id, subject) do update set closed_until = excluded.closed_until`

/** The financial year of this moment, by its name. */
function yearNow() {
  const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth() + 1]
  const first = month >= 7 ? year : year - 1
  return `${first}-${String((first + 1) % 100).padStart(2, "0")}`
}

/** `$2` summaries of an organisation's donors who gave, as staff might have asked for them on as many days. */
const fill = `
  with givers as (
    select donor_id, row_number() over (order by donor_id) - 1 as turn, count(*) over () as givers
    from (select distinct donor_id from donations where organisation_id = $1 and source = 'PAYMENT_PROCESSOR') d
  ), last as (select max(id) as id from mails where organisation_id = $1)
  insert into mails (organisation_id, id, template, subject_id, status, attempt_count, next_attempt_at, created_at, lane)
  select $1, ${countedId("last.id")}, 'yearly_summary',
    g.donor_id || ' ' || $3::text || ' ' || (date '2000-01-01' + (n / g.givers)::int)::text,
    'PENDING', 0, now(), now(), 'yearly'
  from last, generate_series(0, $2::int - 1) n join givers g on g.turn = n % g.givers`

async function openMails(context) {
  const { child, ready } = await startScript("mailServer.mjs")
  const databaseUrl = await newDatabase(context.postgres)
  const almoner = await openAlmoner(databaseUrl, [], { WORKERS: "off" })
  const giving = await openGivingSetup(almoner, databaseUrl)
  const submitting = await openSubmitting(databaseUrl, giving, { SMTP_URL: `smtp://127.0.0.1:${ready.port}` })
  await reconciliationEnd(databaseUrl, performance.now())
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const query = async (text, values) => (await client.query(text, values)).rows
  const waiting = async (template) => {
    const text = "select count(*)::int as count from mails where template = $1 and status = 'PENDING'"
    return (await query(text, [template]))[0].count
  }

  /** How long the mails took that `request` asks for, from the time of their rows; throws where one did not come. */
  const waits = async (template, request) => {
    await ask(child, "report")
    const start = Date.now()
    const { count } = await request()
    for (let tries = 0; (await waiting(template)) > 0 && tries < 600; tries++) await pause(100)
    const came = await ask(child, "report")
    const made = await query("select id, created_at from mails where template = $1 and created_at >= $2", [
      template,
      new Date(start)
    ])
    const arrivals = new Map(came)
    const millis = made.map(({ created_at, id }) => arrivals.get(id) - created_at.getTime())
    if (made.length !== count || millis.some(Number.isNaN)) {
      throw new Error(`of ${count} mails (${template}) ${made.length} were made, and ${arrivals.size} mails came`)
    }
    const others = came.length - made.length
    return {
      p50Millis: percentile(millis, 50),
      p99Millis: percentile(millis, 99),
      othersPerSecond: (others * 1_000) / (Date.now() - start)
    }
  }

  return {
    /** Of the receipts of gifts that are given meanwhile. */
    receipts: () => waits("receipt", () => submitting.submit({ ...pace, seconds: context.seconds })),
    /** Of codes that donors request whose cards are closed. Those before are forgotten, as after an hour. */
    async codes() {
      await query(closing)
      await query("delete from email_codes")
      return await waits("card_code", () => submitting.submit({ ...codes }))
    },
    waiting,
    fill: () => query(fill, [almoner.organisationId, context.pending, yearNow()]),
    async stop() {
      await client.end()
      await submitting.stop()
      await almoner.stop()
      await stop(child)
    }
  }
}

/**
 * One process takes the gifts and sends all mails: receipts beside summaries of the same organisation. The baseline is receipts
 * alone.
 */
export async function mailWaits(context) {
  if (!context.ours) return []
  const mails = await openMails(context)
  try {
    await mails.receipts()
    const alone = await mails.receipts()
    await mails.fill()
    while ((await mails.waiting("yearly_summary")) === context.pending) await pause(100)
    const beside = await mails.receipts()
    const codesBeside = await mails.codes()
    if ((await mails.waiting("yearly_summary")) === 0) throw new Error("the summaries were sent before the others")
    const what = `(s) receipt to the mail server beside ${context.pending} summaries of its organisation`
    const code = `(s) code to the mail server beside them, to a receipt alone`
    return [
      row(`${what}, p50`, "ms", beside.p50Millis, alone.p50Millis),
      row(`${what}, p99`, "ms", beside.p99Millis, alone.p99Millis, "< 10,000 ms"),
      row(`${code}, p50`, "ms", codesBeside.p50Millis, alone.p50Millis),
      row(`${code}, p99`, "ms", codesBeside.p99Millis, alone.p99Millis, "< 5,000 ms"),
      row("(s) summaries sent meanwhile", "mails/s", beside.othersPerSecond, null)
    ]
  } finally {
    await mails.stop()
  }
}
