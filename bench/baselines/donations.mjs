/** What a gift writes in the Fastify baseline: one transaction, one round trip for each statement. */
import { createHash } from "node:crypto"
import { newId } from "./ids.mjs"

const operation = "POST /api/v1/donations"

const insertDonation = `insert into donations (
    organisation_id, id, donor_id, external_id, source, status, amount_cents, refunded_amount_cents, currency,
    donation_type, donation_date, payment_method, created_at, updated_at
  ) values ($1, $2, $3, $4, 'MANUAL', 'CONFIRMED', $5, 0, $6, $7, $8, $9, $10, $10)`

const refuse = (status, code, message) => ({ refusal: { status, code, message } })

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

async function writeEvents(client, organisation, donation, at) {
  const events = ["donation.created", "donation.succeeded"].map((type) => ({
    id: newId("evt"),
    type,
    body: JSON.stringify({ type, occurred_at: at, organisation_id: organisation, data: donation })
  }))
  await client.query(
    `insert into events (organisation_id, id, type, occurred_at, body)
     values ($1, $2, $3, $4, $5), ($1, $6, $7, $4, $8)`,
    [organisation, events[0].id, events[0].type, at, events[0].body, events[1].id, events[1].type, events[1].body]
  )
  const { rows: endpoints } = await client.query(
    `select id, event_types from webhook_endpoints
     where organisation_id = $1 and status = 'ACTIVE' and event_types && $2`,
    [organisation, events.map(({ type }) => type)]
  )
  const deliveries = endpoints.flatMap((endpoint) =>
    events
      .filter(({ type }) => endpoint.event_types.includes(type))
      .map((event) => [newId("dlv"), event.id, endpoint.id])
  )
  if (deliveries.length === 0) return
  const values = deliveries.map((_, row) => `($1, $${row * 3 + 3}, $${row * 3 + 4}, $${row * 3 + 5}, 'PENDING', 0, $2)`)
  await client.query(
    `insert into deliveries (organisation_id, id, event_id, endpoint_id, status, attempts, due_at) values ${values}`,
    [organisation, at, ...deliveries.flat()]
  )
}

async function perform(client, { caller, input, key, rawBody, requestId }) {
  const { key_id, organisation_id } = caller
  const bodyHash = createHash("sha256").update(rawBody).digest("hex")
  const { rows: locks } = await client.query("select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held", [
    `${organisation_id} ${key_id} ${operation} ${key}`
  ])
  if (!locks[0].held) return refuse(409, "conflict", "the same request is being worked on")
  const { rows: records } = await client.query(
    `select body_hash, status, response from idempotency
     where organisation_id = $1 and key_id = $2 and operation = $3 and idempotency_key = $4`,
    [organisation_id, key_id, operation, key]
  )
  if (records.length > 0) {
    return records[0].body_hash === bodyHash
      ? { status: records[0].status, response: records[0].response }
      : refuse(409, "idempotency_conflict", "the key was used with another body")
  }
  const { rows: organisations } = await client.query("select plan, currency from organisations where id = $1", [
    organisation_id
  ])
  const { rows: donors } = await client.query(
    "select id from donors where organisation_id = $1 and id = $2 and archived_at is null",
    [organisation_id, input.donor_id]
  )
  if (donors.length === 0) return refuse(400, "validation_failed", "donor_id names no donor")
  const at = new Date().toISOString()
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
  await writeEvents(client, organisation_id, donation, at)
  await client.query("insert into audit values ($1, $2, $3, 'donation.create', $4, $5, $6)", [
    organisation_id,
    newId("aud"),
    key_id,
    id,
    requestId,
    at
  ])
  const response = JSON.stringify(donation)
  await client.query("insert into idempotency values ($1, $2, $3, $4, $5, 201, $6, $7)", [
    organisation_id,
    key_id,
    operation,
    key,
    bodyHash,
    response,
    at
  ])
  return { status: 201, response }
}

/** Creates a donation once for each Idempotency-Key: `{ status, response }`, or `{ refusal }`. */
export async function createDonation(pool, request) {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const result = await perform(client, request)
    await client.query(result.refusal === undefined ? "commit" : "rollback")
    client.release()
    return result
  } catch (error) {
    client.release(error)
    throw error
  }
}
