/**
 * A gift by card as a good engineer writes it by hand with `pg`: the same records as the service in two transactions, with the bank
 * between them, one statement after the other.
 *
 * What a crash needs is written, too: the look at a charge is planned, and the card's token is kept, sealed, until the bank has
 * answered. Declines of a page's cards are counted, a receipt is written, and the bank tells of each charge, which is heard and held
 * against the charge; `work` does what comes after an answer.
 *
 * What it leaves out: the bank has no rules; nobody looks at a charge that a crash cut off, though it is known when; answers to consent
 * prompts, links and campaigns are not looked for; and deliveries are written, and sent by nobody.
 */
import { createCipheriv, createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { writeEvents } from "./idempotent.mjs"
import { newId } from "./ids.mjs"

/** The tables beside those of the Fastify baseline. */
export const giftTables = `
  create index if not exists donors_by_email on donors (organisation_id, email);
  create table if not exists forms (
    organisation_id text not null, id text not null, slug text not null, status text not null,
    suggested_cents integer[] not null, currency text not null, primary key (organisation_id, id)
  );
  create unique index if not exists forms_by_slug on forms (organisation_id, slug);
  create table if not exists charges (
    organisation_id text not null, id text not null, donation_id text not null, submission_id text not null,
    method text not null, amount_cents bigint not null, currency text not null, status text not null, reference text,
    fee_cents bigint, created_at timestamptz not null, ended_at timestamptz, token bytea, look_at timestamptz,
    primary key (organisation_id, id),
    unique (organisation_id, submission_id), unique (reference)
  );
  create index if not exists charges_by_time on charges (organisation_id, created_at, id);
  create index if not exists charges_by_look on charges (look_at) where look_at is not null;
  create index if not exists charges_by_donation on charges (organisation_id, donation_id);
  create table if not exists ledger (
    organisation_id text not null, id text not null, charge_id text not null, cause text not null,
    from_account text not null, to_account text not null, amount_cents bigint not null, created_at timestamptz not null,
    primary key (organisation_id, id)
  );
  create index if not exists ledger_by_charge on ledger (organisation_id, charge_id);
  create table if not exists bank_charges (
    id text primary key, idempotency_key text not null unique, amount_cents bigint not null, status text not null,
    fee_cents bigint, created_at timestamptz not null
  );
  create table if not exists card_credits (subject text primary key, credit integer not null, at timestamptz not null);
  create table if not exists donor_caps (
    organisation_id text not null, donor_id text not null, cap_cents bigint not null, primary key (organisation_id, donor_id)
  );
  create table if not exists bank_notices (
    id text primary key, reference text not null, body text not null, signature text not null, sent_at timestamptz
  );
  create index if not exists bank_notices_to_send on bank_notices (id) where sent_at is null;
  create table if not exists notices (id text primary key, reference text not null, applied_at timestamptz);
  create index if not exists notices_to_apply on notices (id) where applied_at is null;
  create table if not exists mails (
    id text primary key, organisation_id text not null, donation_id text not null, sent_at timestamptz
  );
  create index if not exists mails_to_send on mails (id) where sent_at is null;
`

export const amount = 5_000

/** Does something in a transaction of its own. */
async function transaction(pool, work) {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const result = await work(client)
    await client.query("commit")
    client.release()
    return result
  } catch (error) {
    client.release(error)
    throw error
  }
}

const audit = (client, organisation, action, id, at) =>
  client.query("insert into audit values ($1, $2, 'donor', $3, $4, 'req_bench', $5)", [
    organisation,
    newId("aud"),
    action,
    id,
    at
  ])

async function donorOf(client, organisation, email, at) {
  const { rows } = await client.query(
    "select id from donors where organisation_id = $1 and email = $2 and archived_at is null order by created_at limit 1",
    [organisation, email]
  )
  if (rows.length > 0) return rows[0].id
  const donor = { id: newId("dnr"), donor_type: "INDIVIDUAL", email, created_at: at, updated_at: at }
  await client.query("insert into donors values ($1, $2, 'INDIVIDUAL', $3, null, null, $4, $4)", [
    organisation,
    donor.id,
    email,
    at
  ])
  await writeEvents(client, organisation, ["donor.created"], donor, at)
  await audit(client, organisation, "donor.create", donor.id, at)
  return donor.id
}

const insertDonation = `insert into donations (
    organisation_id, id, donor_id, source, status, amount_cents, refunded_amount_cents, currency, donation_type,
    donation_date, payment_method, created_at, updated_at
  ) values ($1, $2, $3, 'PAYMENT_PROCESSOR', 'PENDING', $4, 0, $5, 'MONETARY', $6, 'card', $6, $6)`

async function begin(client, organisation, { currency, email, submission_id }, at) {
  const donor_id = await donorOf(client, organisation, email, at)
  const donation = { id: newId("don"), donor_id, amount_cents: amount, currency, status: "PENDING", created_at: at }
  const chargeId = newId("chg")
  await client.query(insertDonation, [organisation, donation.id, donor_id, amount, currency, at])
  await client.query("select cap_cents from donor_caps where organisation_id = $1 and donor_id = $2", [
    organisation,
    donor_id
  ])
  await client.query(
    `insert into charges values
     ($1, $2, $3, $4, 'card', $5, $6, 'NEW', null, null, $7, null, $8, $7::timestamptz + interval '1 minute')`,
    [organisation, chargeId, donation.id, submission_id, amount, currency, at, sealed("4242 4242 4242 4242")]
  )
  await audit(client, organisation, "checkouts.submit", donation.id, at)
  await writeEvents(client, organisation, ["donation.created"], donation, at)
  return { chargeId, donation }
}

const key = randomBytes(32)

function sealed(text) {
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, iv)
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
}

const macOf = (body) => createHmac("sha256", key).update(body).digest("hex")

/** The bank keeps its charges in the same database, as the test processor does: made, taken with a notice, read back. */
async function takeAtBank(pool, chargeId) {
  const id = `bank_${chargeId}`
  await pool.query("insert into bank_charges values ($1, $2, $3, 'created', null, now()) on conflict do nothing", [
    id,
    chargeId,
    amount
  ])
  const body = JSON.stringify({ type: "charge.succeeded", reference: id, fee_cents: 118 })
  await pool.query(
    `with taken as (update bank_charges set status = 'succeeded', fee_cents = 118 where id = $1 returning id)
     insert into bank_notices select $2, id, $3, $4, null from taken`,
    [id, newId("ntc"), body, macOf(body)]
  )
  const { rows } = await pool.query("select id, status, fee_cents::int from bank_charges where idempotency_key = $1", [
    chargeId
  ])
  return rows[0]
}

/** Counts a card that is about to be tried, or that succeeded, for its page and its organisation: in one order, so that none wait in a circle. */
async function count(pool, subjects, change) {
  const { rows } = await pool.query(
    `insert into card_credits select subject, 30, now() from unnest($1::text[]) subject order by subject
     on conflict (subject) do update set credit = least(30, card_credits.credit + $2), at = excluded.at returning credit`,
    [subjects, change]
  )
  if (rows.some(({ credit }) => credit < -1_000)) throw new Error("cards are closed")
}

async function settle(client, organisation, { chargeId, donation }, theirs, at) {
  await client.query("select status from charges where organisation_id = $1 and id = $2 for no key update", [
    organisation,
    chargeId
  ])
  await client.query("select status from donations where organisation_id = $1 and id = $2 for no key update", [
    organisation,
    donation.id
  ])
  await client.query(
    `update charges set status = 'SUCCEEDED', reference = $3, fee_cents = $4, ended_at = $5, token = null, look_at = null
     where organisation_id = $1 and id = $2`,
    [organisation, chargeId, theirs.id, theirs.fee_cents, at]
  )
  await client.query(
    "update donations set status = 'CONFIRMED', received_date = $3, updated_at = $3 where organisation_id = $1 and id = $2",
    [organisation, donation.id, at]
  )
  await client.query(
    `insert into ledger values
     ($1, $2, $4, 'charge', 'donor', 'organisation', $5, $7), ($1, $3, $4, 'charge', 'organisation', 'processor_fees', $6, $7)`,
    [organisation, newId("led"), newId("led"), chargeId, amount, theirs.fee_cents, at]
  )
  await client.query("insert into mails values ($1, $2, $3, null)", [newId("mail"), organisation, donation.id])
  await audit(client, organisation, "charges.settle", donation.id, at)
  await writeEvents(client, organisation, ["donation.succeeded"], { ...donation, status: "CONFIRMED" }, at)
}

/** A gift through a form, from its donor to its entries in the ledger. One that was sent before is not made again. */
export async function giveByCard(pool, organisation, { form, submission_id = randomUUID(), ...gift }) {
  const now = () => new Date().toISOString()
  const { rows } = await pool.query("select status from charges where organisation_id = $1 and submission_id = $2", [
    organisation,
    submission_id
  ])
  if (rows.length > 0) return
  const subjects = form === undefined ? [] : [form, organisation].toSorted()
  if (form !== undefined) await count(pool, subjects, -1)
  const begun = await transaction(pool, (client) => begin(client, organisation, { ...gift, submission_id }, now()))
  const theirs = await takeAtBank(pool, begun.chargeId)
  if (theirs.status !== "succeeded") throw new Error(`the bank said ${theirs.status}`)
  await transaction(pool, (client) => settle(client, organisation, begun, theirs, now()))
  if (form !== undefined) await count(pool, subjects, 2)
  wake()
}

/** Takes in what the bank tells: signed by it, and kept once. */
async function hear(pool) {
  const { rows: sent } = await pool.query(
    `update bank_notices set sent_at = now() where id in
     (select id from bank_notices where sent_at is null order by id limit 32 for update skip locked)
     returning id, reference, body, signature`
  )
  if (sent.length === 0) return 0
  const heard = sent.filter(({ body, signature }) => timingSafeEqual(Buffer.from(macOf(body)), Buffer.from(signature)))
  await pool.query("insert into notices select *, null from unnest($1::text[], $2::text[]) on conflict do nothing", [
    heard.map(({ id }) => id),
    heard.map(({ reference }) => reference)
  ])
  return sent.length
}

/** Holds notices against their charges, each in a transaction of its own. One of a charge that has not ended waits for its end. */
async function applyNotices(pool) {
  const { rows } = await pool.query("select id, reference from notices where applied_at is null order by id limit 32")
  const applied = await Promise.all(
    rows.map(({ id, reference }) =>
      transaction(pool, async (client) => {
        const { rows: known } = await client.query(
          "select status from charges where reference = $1 for no key update",
          [reference]
        )
        if (known[0]?.status !== "SUCCEEDED") return 0
        await client.query("update notices set applied_at = now() where id = $1", [id])
        return 1
      })
    )
  )
  return applied.reduce((sum, each) => sum + each, 0)
}

const money = new Intl.NumberFormat("en-AU", { style: "currency", currency: "AUD" })
const day = new Intl.DateTimeFormat("en-AU", { dateStyle: "long", timeZone: "Australia/Sydney" })
const escaped = (text) => String(text ?? "").replaceAll(/[&<>"]/g, (found) => `&#${found.codePointAt(0)};`)

function receiptOf({ amount_cents, created_at, email, id, name }) {
  const lines = [`Thank you for your gift to ${name}.`, money.format(amount_cents / 100), day.format(created_at), id]
  const html = `<!doctype html><html lang="en-AU"><body>${lines.map((line) => `<p>${escaped(line)}</p>`).join("")}</body></html>`
  return JSON.stringify({ to: email, subject: `Your gift to ${name}`, text: lines.join("\n"), html })
}

/** Writes receipts into a folder, as the service does where there is no server for mails. */
async function sendReceipts(pool, folder) {
  const { rows } = await pool.query(
    `select m.id as mail, d.id, d.amount_cents::int, d.created_at, n.email, o.slug as name
     from mails m join donations d on d.organisation_id = m.organisation_id and d.id = m.donation_id
       join donors n on n.organisation_id = d.organisation_id and n.id = d.donor_id join organisations o on o.id = d.organisation_id
     where m.sent_at is null order by m.id limit 32`
  )
  await Promise.all(rows.map((row) => writeFile(join(folder, `${row.mail}.json`), receiptOf(row))))
  if (rows.length > 0) {
    await pool.query("update mails set sent_at = now() where id = any($1)", [rows.map(({ mail }) => mail)])
  }
  return rows.length
}

/** Those who wait for something to do. */
const sleepers = []

const wake = () => {
  for (const each of sleepers.splice(0)) each()
}

/** Until a gift is made in this process, or a second has passed: a process that makes none takes nothing from whoever is measured. */
const rest = () => Promise.race([new Promise((resolve) => sleepers.push(resolve)), wait(1_000)])

/** Does what follows the answers, with a rest where there was nothing to do. Gives what ends it. */
export async function work(pool) {
  const folder = await mkdtemp(join(tmpdir(), "almoner-bench-mails-"))
  let isOver = false
  const loop = async (step) => {
    while (!isOver) if ((await step()) === 0) await rest()
  }
  const loops = [() => hear(pool), () => applyNotices(pool), () => sendReceipts(pool, folder)].map(loop)
  return async () => {
    isOver = true
    wake()
    await Promise.all(loops)
    await rm(folder, { recursive: true })
  }
}
