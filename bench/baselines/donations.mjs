/** What the Fastify baseline does for gifts. */

import { keyed, refuse, writeEvents } from "./idempotent.mjs"
import { newId } from "./ids.mjs"

const operation = "POST /api/v1/donations"

const insertDonation = `insert into donations (
    organisation_id, id, donor_id, external_id, source, status, amount_cents, refunded_amount_cents, currency,
    donation_type, donation_date, payment_method, created_at, updated_at
  ) values ($1, $2, $3, $4, 'MANUAL', 'CONFIRMED', $5, 0, $6, $7, $8, $9, $10, $10)`

const donationOf = (input, currency, at) => ({
  id: newId("don"),
  donor_id: input.donor_id,
  external_id: input.external_id ?? null,
  source: "MANUAL",
  status: "CONFIRMED",
  amount_cents: input.amount_cents,
  refunded_amount_cents: 0,
  currency,
  donation_type: input.donation_type,
  in_kind_category: null,
  in_kind_description: null,
  donation_date: new Date(input.donation_date).toISOString(),
  received_date: null,
  payment_method: input.payment_method ?? null,
  revenue_code: null,
  revenue_code_id: null,
  recommendation_set_id: null,
  created_at: at,
  updated_at: at
})

async function create(client, { caller, input }, at) {
  const { organisation_id } = caller
  const { rows: organisations } = await client.query("select plan, currency from organisations where id = $1", [
    organisation_id
  ])
  const { rows: donors } = await client.query(
    "select id from donors where organisation_id = $1 and id = $2 and archived_at is null",
    [organisation_id, input.donor_id]
  )
  if (donors.length === 0) return refuse(400, "validation_failed", "donor_id names no donor")
  const donation = donationOf(input, organisations[0].currency, at)
  const { amount_cents, currency, donation_date, donation_type, donor_id, external_id, id, payment_method } = donation
  await client.query(insertDonation, [
    organisation_id,
    id,
    donor_id,
    external_id,
    amount_cents,
    currency,
    donation_type,
    donation_date,
    payment_method,
    at
  ])
  await writeEvents(client, organisation_id, ["donation.created", "donation.succeeded"], donation, at)
  return { action: "donation.create", record: donation, status: 201 }
}

/** Creates a donation once for each Idempotency-Key: `{ status, response }`, or `{ refusal }`. */
export const createDonation = (pool, request) => keyed(pool, operation, request, create)

const page = `
  select id, donor_id, external_id, source, status, amount_cents::int8, refunded_amount_cents::int8, currency,
    donation_type, in_kind_category, in_kind_description, donation_date, received_date, payment_method, revenue_code,
    revenue_code_id, recommendation_set_id, created_at, updated_at
  from donations where organisation_id = $1 and donor_id = $2 order by created_at desc, id desc limit $3`

/** The newest gifts of a donor: `{ data, has_more }`. */
export async function listDonations(pool, caller, { donor_id, limit }) {
  const { rows } = await pool.query(page, [caller.organisation_id, donor_id, limit + 1])
  const data = rows.slice(0, limit).map((row) => ({
    ...row,
    amount_cents: Number(row.amount_cents),
    refunded_amount_cents: Number(row.refunded_amount_cents)
  }))
  return { data, has_more: rows.length > limit }
}
