/**
 * A gift by card as a good engineer writes it by hand with `pg`: the same records as the service in two transactions, with the bank
 * between them, one statement after the other.
 *
 * What it leaves out: nothing takes up a gift that a crash cut off, because no look is planned and no confirmation is written
 * before it is sent; the bank has no rules, sends no notices, and is believed at once; the payment token is not sealed; answers
 * to consent prompts, links and campaigns are not looked for; and deliveries are written, and sent by nobody.
 */
import { randomUUID } from "node:crypto"
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
    fee_cents bigint, created_at timestamptz not null, ended_at timestamptz, primary key (organisation_id, id),
    unique (organisation_id, submission_id), unique (reference)
  );
  create index if not exists charges_by_time on charges (organisation_id, created_at, id);
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

async function begin(client, organisation, { currency, email }, at) {
  const donor_id = await donorOf(client, organisation, email, at)
  const donation = { id: newId("don"), donor_id, amount_cents: amount, currency, status: "PENDING", created_at: at }
  const chargeId = newId("chg")
  await client.query(insertDonation, [organisation, donation.id, donor_id, amount, currency, at])
  await client.query("insert into charges values ($1, $2, $3, $4, 'card', $5, $6, 'NEW', null, null, $7, null)", [
    organisation,
    chargeId,
    donation.id,
    randomUUID(),
    amount,
    currency,
    at
  ])
  await audit(client, organisation, "checkouts.submit", donation.id, at)
  await writeEvents(client, organisation, ["donation.created"], donation, at)
  return { chargeId, donation }
}

/** The bank keeps its charges in the same database, as the test processor does: made, taken, read back. */
async function takeAtBank(pool, key) {
  const id = `bank_${key}`
  await pool.query("insert into bank_charges values ($1, $2, $3, 'created', null, now()) on conflict do nothing", [
    id,
    key,
    amount
  ])
  await pool.query("update bank_charges set status = 'succeeded', fee_cents = 118 where id = $1", [id])
  const { rows } = await pool.query("select id, status, fee_cents::int from bank_charges where idempotency_key = $1", [
    key
  ])
  return rows[0]
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
    `update charges set status = 'SUCCEEDED', reference = $3, fee_cents = $4, ended_at = $5
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
  await audit(client, organisation, "charges.settle", donation.id, at)
  await writeEvents(client, organisation, ["donation.succeeded"], { ...donation, status: "CONFIRMED" }, at)
}

/** A gift through a form, from its donor to its entries in the ledger. */
export async function giveByCard(pool, organisation, gift) {
  const now = () => new Date().toISOString()
  const begun = await transaction(pool, (client) => begin(client, organisation, gift, now()))
  const theirs = await takeAtBank(pool, begun.chargeId)
  if (theirs.status !== "succeeded") throw new Error(`the bank said ${theirs.status}`)
  await transaction(pool, (client) => settle(client, organisation, begun, theirs, now()))
}
