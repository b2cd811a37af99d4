/** The tables of the Fastify baseline, and the one organisation it serves. */
import { createHash, randomBytes } from "node:crypto"
import { newId } from "./ids.mjs"

const tables = `
  create table if not exists organisations (
    id text primary key,
    slug text not null unique,
    plan text not null,
    currency text not null,
    is_sandbox boolean not null
  );
  create table if not exists api_keys (
    id text primary key,
    organisation_id text not null references organisations,
    key_hash text not null unique,
    scope text not null,
    revoked_at timestamptz
  );
  create table if not exists donors (
    organisation_id text not null references organisations,
    id text not null,
    donor_type text not null,
    email text,
    phone text,
    archived_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organisation_id, id)
  );
  create table if not exists donations (
    organisation_id text not null,
    id text not null,
    donor_id text not null,
    external_id text,
    source text not null,
    status text not null,
    amount_cents bigint not null,
    refunded_amount_cents bigint not null,
    currency text not null,
    donation_type text not null,
    in_kind_category text,
    in_kind_description text,
    donation_date timestamptz not null,
    received_date timestamptz,
    payment_method text,
    revenue_code text,
    revenue_code_id text,
    recommendation_set_id text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organisation_id, id),
    foreign key (organisation_id, donor_id) references donors (organisation_id, id)
  );
  create index if not exists donations_by_time on donations (organisation_id, created_at desc, id desc);
  create index if not exists donations_by_donor on donations (organisation_id, donor_id, created_at desc, id desc);
  create unique index if not exists donations_external_id on donations (organisation_id, external_id)
    where external_id is not null;
  create table if not exists recipient_accounts (
    organisation_id text not null references organisations,
    id text not null,
    label text not null,
    recipient_org_name text not null,
    is_active boolean not null,
    primary key (organisation_id, id)
  );
  create table if not exists recommendation_sets (
    organisation_id text not null references organisations,
    id text not null,
    name text not null,
    slug text not null,
    url_key text not null,
    amount_mode text not null,
    created_at timestamptz not null,
    primary key (organisation_id, id),
    unique (organisation_id, url_key),
    unique (organisation_id, slug)
  );
  create table if not exists set_allocations (
    organisation_id text not null,
    id text not null,
    recommendation_set_id text not null,
    position integer not null,
    recipient_org_account_link_id text not null,
    amount_cents integer not null,
    primary key (organisation_id, id),
    foreign key (organisation_id, recommendation_set_id) references recommendation_sets (organisation_id, id),
    foreign key (organisation_id, recipient_org_account_link_id) references recipient_accounts (organisation_id, id)
  );
  create index if not exists set_allocations_of_set on set_allocations (organisation_id, recommendation_set_id, position);
  create table if not exists events (
    organisation_id text not null,
    id text not null,
    type text not null,
    occurred_at timestamptz not null,
    body text not null,
    primary key (organisation_id, id)
  );
  create table if not exists webhook_endpoints (
    organisation_id text not null references organisations,
    id text not null,
    url text not null,
    secret text not null,
    event_types text[] not null,
    status text not null,
    primary key (organisation_id, id)
  );
  create table if not exists deliveries (
    organisation_id text not null,
    id text not null,
    event_id text not null,
    endpoint_id text not null,
    status text not null,
    attempts integer not null,
    due_at timestamptz,
    primary key (organisation_id, id)
  );
  create index if not exists deliveries_due on deliveries (due_at) where status = 'PENDING';
  create table if not exists audit (
    organisation_id text not null,
    id text not null,
    key_id text not null,
    action text not null,
    record_id text not null,
    request_id text not null,
    at timestamptz not null,
    primary key (organisation_id, id)
  );
  create table if not exists idempotency (
    organisation_id text not null,
    key_id text not null,
    operation text not null,
    idempotency_key text not null,
    body_hash text not null,
    status integer not null,
    response text not null,
    created_at timestamptz not null,
    primary key (organisation_id, key_id, operation, idempotency_key)
  );
`

/** Creates the tables, an organisation with a key and donors, and an endpoint subscribed to what a gift emits. */
export async function prepare(pool, endpointUrl, donors) {
  const organisation = newId("org")
  const donorIds = Array.from({ length: donors }, () => newId("dnr"))
  const key = `alm_${randomBytes(24).toString("base64url")}`
  await pool.query(tables)
  await pool.query("insert into organisations values ($1, $2, 'ENTERPRISE', 'AUD', true)", [
    organisation,
    `${organisation}-sandbox`
  ])
  await pool.query("insert into api_keys values ($1, $2, $3, 'WRITE', null)", [
    newId("key"),
    organisation,
    createHash("sha256").update(key).digest("hex")
  ])
  await pool.query("insert into donors select $1, unnest($2::text[]), 'INDIVIDUAL', null, null, null, now(), now()", [
    organisation,
    donorIds
  ])
  await pool.query("insert into webhook_endpoints values ($1, $2, $3, $4, $5, 'ACTIVE')", [
    organisation,
    newId("whe"),
    endpointUrl,
    `whs_${randomBytes(16).toString("hex")}`,
    ["donation.created", "donation.succeeded"]
  ])
  const linkIds = Array.from({ length: 20 }, () => newId("roal"))
  await pool.query("insert into recipient_accounts select $1, unnest($2::text[]), 'Main', 'Food Bank', true", [
    organisation,
    linkIds
  ])
  return { write_key: key, donor_ids: donorIds, link_ids: linkIds }
}
