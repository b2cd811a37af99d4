/** Linked recipient accounts in the service's own tables. */
import pg from "pg"
import { newId } from "./baselines/ids.mjs"

const accounts = `
  insert into integrations (organisation_id, id, label, processor, processor_connect_account_id, charges_enabled,
    settlement_currency, created_at, updated_at)
  select $1, a.id, 'Main', 'test', 'acct_' || a.id, true, 'AUD', now(), now() from unnest($2::text[]) as a (id)`

const links = `
  insert into recipient_accounts (organisation_id, id, label, recipient_organisation_id, recipient_org_name,
    recipient_org_slug, recipient_account_label, recipient_integration_id, processor_connect_account_id,
    charges_enabled, is_active, created_at, updated_at)
  select $1, a.id, 'Main', $1, 'Food Bank', 'food-bank', 'Main', a.account, 'acct_' || a.account, true, true, now(), now()
  from unnest($2::text[], $3::text[]) as a (id, account)`

const prefixOf = { account: "intg", link: "roal" }

/** Links `count` accounts to an organisation, and gives the ids of the links. */
export async function linkAccounts(databaseUrl, organisationId, count) {
  const accountIds = Array.from({ length: count }, () => newId(prefixOf.account))
  const linkIds = accountIds.map(() => newId(prefixOf.link))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(accounts, [organisationId, accountIds])
    await client.query(links, [organisationId, linkIds, accountIds])
    return linkIds
  } finally {
    await client.end()
  }
}
