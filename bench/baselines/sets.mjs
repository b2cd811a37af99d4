/** What the Fastify baseline does for recommendation sets. */
import { randomBytes } from "node:crypto"
import { keyed, refuse, writeEvents } from "./idempotent.mjs"
import { newId } from "./ids.mjs"

const slugOf = (name) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

/** The first slug of a name that no other set has. */
async function freeSlug(client, organisation_id, name) {
  for (let number = 1; ; number++) {
    const slug = number === 1 ? slugOf(name) : `${slugOf(name)}-${number}`
    const { rowCount } = await client.query(
      "select 1 from recommendation_sets where organisation_id = $1 and slug = $2",
      [organisation_id, slug]
    )
    if (rowCount === 0) return slug
  }
}

async function create(client, { caller, input }, at) {
  const { organisation_id } = caller
  const wanted = input.allocations.map((each) => each.recipient_org_account_link_id)
  const { rows: links } = await client.query(
    `select id, label, recipient_org_name from recipient_accounts
     where organisation_id = $1 and id = any($2) and is_active`,
    [organisation_id, wanted]
  )
  const linkOf = new Map(links.map((link) => [link.id, link]))
  if (linkOf.size !== wanted.length) return refuse(400, "invalid_request", "a link is unknown, inactive or named twice")
  const set = {
    id: newId("rset"),
    name: input.name,
    slug: await freeSlug(client, organisation_id, input.name),
    url_key: randomBytes(18).toString("base64url"),
    amount_mode: "FIXED",
    created_at: at
  }
  await client.query("insert into recommendation_sets values ($1, $2, $3, $4, $5, $6, $7)", [
    organisation_id,
    set.id,
    set.name,
    set.slug,
    set.url_key,
    set.amount_mode,
    at
  ])
  const allocations = input.allocations.map(({ amount_cents, recipient_org_account_link_id }) => ({
    id: newId("all"),
    amount_cents,
    recipient_org_account_link_id,
    link_label: linkOf.get(recipient_org_account_link_id).label,
    recipient_org_name: linkOf.get(recipient_org_account_link_id).recipient_org_name
  }))
  await client.query(
    `insert into set_allocations
     select $1, a.id, $2, a.position - 1, a.link, a.amount_cents
     from unnest($3::text[], $4::text[], $5::int[]) with ordinality as a (id, link, amount_cents, position)`,
    [
      organisation_id,
      set.id,
      allocations.map(({ id }) => id),
      wanted,
      allocations.map(({ amount_cents }) => amount_cents)
    ]
  )
  const record = {
    ...set,
    is_active: true,
    total_amount_cents: allocations.reduce((total, { amount_cents }) => total + amount_cents, 0),
    allocation_count: allocations.length,
    allocations
  }
  await writeEvents(client, organisation_id, ["recommendation_set.created"], record, at)
  return { action: "recommendation_set.create", record, status: 201 }
}

/** Makes a set once for each Idempotency-Key: `{ status, response }`, or `{ refusal }`. */
export const createSet = (pool, request) => keyed(pool, "POST /api/v1/recommendation-sets", request, create)
