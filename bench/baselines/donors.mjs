/** What the Fastify baseline does for donors. */
import { keyed, refuse, writeEvents } from "./idempotent.mjs"

const lock = `
  select id, donor_type, email, phone, archived_at, created_at, updated_at
  from donors where organisation_id = $1 and id = $2 for no key update`

async function update(client, { caller, id, input }, at) {
  const { organisation_id } = caller
  const { rows } = await client.query(lock, [organisation_id, id])
  const [before] = rows
  if (before === undefined) return refuse(404, "not_found", "there is no such donor")
  if (before.archived_at !== null) return refuse(409, "conflict", "the donor is archived")
  const phone = input.phone === undefined ? before.phone : input.phone
  const donor = { ...before, phone, updated_at: at }
  if (phone !== before.phone) {
    await client.query("update donors set phone = $3, updated_at = $4 where organisation_id = $1 and id = $2", [
      organisation_id,
      id,
      phone,
      at
    ])
    await writeEvents(client, organisation_id, ["donor.updated"], donor, at)
  }
  return { action: "donor.update", record: donor, status: 200 }
}

/** Changes a donor once for each Idempotency-Key: `{ status, response }`, or `{ refusal }`. */
export const updateDonor = (pool, request) => keyed(pool, "PATCH /api/v1/donors/:id", request, update)
