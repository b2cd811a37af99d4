/** What every keyed write of the Fastify baseline does: one transaction, one round trip for each statement. */
import { createHash } from "node:crypto"
import { newId } from "./ids.mjs"

export const refuse = (status, code, message) => ({ refusal: { status, code, message } })

async function reserve(client, operation, { caller, key, rawBody }) {
  const { key_id, organisation_id } = caller
  const bodyHash = createHash("sha256").update(rawBody).digest("hex")
  const { rows: locks } = await client.query("select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held", [
    `${organisation_id} ${key_id} ${operation} ${key}`
  ])
  if (!locks[0].held) return { found: refuse(409, "conflict", "the same request is being worked on") }
  const { rows: records } = await client.query(
    `select body_hash, status, response from idempotency
     where organisation_id = $1 and key_id = $2 and operation = $3 and idempotency_key = $4`,
    [organisation_id, key_id, operation, key]
  )
  if (records.length === 0) return { bodyHash }
  return {
    found:
      records[0].body_hash === bodyHash
        ? { status: records[0].status, response: records[0].response }
        : refuse(409, "idempotency_conflict", "the key was used with another body")
  }
}

/** Writes events, and a delivery of each to every endpoint that takes it. */
export async function writeEvents(client, organisation, types, data, at) {
  const events = types.map((type) => ({
    id: newId("evt"),
    type,
    body: JSON.stringify({ type, occurred_at: at, organisation_id: organisation, data })
  }))
  const rows = events.map((_, row) => `($1, $${row * 3 + 3}, $${row * 3 + 4}, $2, $${row * 3 + 5})`)
  await client.query(`insert into events (organisation_id, id, type, occurred_at, body) values ${rows}`, [
    organisation,
    at,
    ...events.flatMap(({ body, id, type }) => [id, type, body])
  ])
  const { rows: endpoints } = await client.query(
    `select id, event_types from webhook_endpoints
     where organisation_id = $1 and status = 'ACTIVE' and event_types && $2`,
    [organisation, types]
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

async function perform(client, operation, request, work) {
  const { bodyHash, found } = await reserve(client, operation, request)
  if (found !== undefined) return found
  const { key_id, organisation_id } = request.caller
  const at = new Date().toISOString()
  const { action, record, refusal, status } = await work(client, request, at)
  if (refusal !== undefined) return { refusal }
  await client.query("insert into audit values ($1, $2, $3, $4, $5, $6, $7)", [
    organisation_id,
    newId("aud"),
    key_id,
    action,
    record.id,
    request.requestId,
    at
  ])
  const response = JSON.stringify(record)
  await client.query("insert into idempotency values ($1, $2, $3, $4, $5, $6, $7, $8)", [
    organisation_id,
    key_id,
    operation,
    request.key,
    bodyHash,
    status,
    response,
    at
  ])
  return { status, response }
}

/**
 * Does `work(client, request, at)`, which gives `{ action, record, status }` or `{ refusal }`, once for each
 * Idempotency-Key: `{ status, response }`, or `{ refusal }`.
 */
export async function keyed(pool, operation, request, work) {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const result = await perform(client, operation, request, work)
    await client.query(result.refusal === undefined ? "commit" : "rollback")
    client.release()
    return result
  } catch (error) {
    client.release(error)
    throw error
  }
}
