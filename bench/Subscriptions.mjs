/** Many recurring gifts in the service's own tables, made from one that the service wrote and charged. */
import pg from "pg"
import { nextId } from "../harness/CountedId.mjs"

/** Whatever a recurring gift consists of, in the order in which rows refer to each other; `s` is the gift that is copied. */
const tables = {
  donors: "t.id = s.donor_id",
  subscriptions: "t.id = s.id",
  mandates: "t.id = s.mandate_id",
  donations: "t.subscription_id = s.id",
  charges: "t.mandate_id = s.mandate_id",
  ledger_entries: "t.charge_id in (select id from charges where mandate_id = s.mandate_id)",
  invoices: "t.subscription_id = s.id",
  test_charges: "t.charge_id in (select id from charges where mandate_id = s.mandate_id)"
}

const rowsOf = (table) => `
  select t.* from ${table} t join subscriptions s on s.organisation_id = t.organisation_id
  where s.id = $1 and ${tables[table]}`

/** The texts by which the rows of one gift name themselves and each other. Other rows share the rest. */
const namesIn = (rows) => {
  const ids = new Set(Object.values(rows).flatMap((all) => all.map(({ id }) => id)))
  return [...ids].filter((id) => !id.startsWith("test_"))
}

/** A row's JSON with every id of the one gift counted on by `n`. Identifiers of the bank contain those of charges. */
const counted = (ids) => ids.reduce((text, id) => `replace(${text}, '${id}', ${nextId(id)})`, "to_jsonb(t)::text")

const copy = (table, ids) => `
  insert into ${table}
  select r.*
  from (${rowsOf(table)}) t, generate_series(1, $2::int) n,
    jsonb_populate_record(null::${table}, ${counted(ids)}::jsonb${
      table === "charges" ? " || jsonb_build_object('submission_id', gen_random_uuid())" : ""
    }) r`

/**
 * Copies a recurring gift with its donor, mandate, first charge, gift, invoice and books, and with what the simulated bank has
 * of it, until there are `count`. The words by which donors are searched, events and audit are not copied: nothing that renews
 * reads them.
 */
export async function multiplySubscription(databaseUrl, subscriptionId, count) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const rows = {}
    for (const table of Object.keys(tables)) rows[table] = (await client.query(rowsOf(table), [subscriptionId])).rows
    const missing = Object.keys(tables).filter((table) => rows[table].length === 0)
    if (missing.length > 0) throw new Error(`the recurring gift has nothing in ${missing.join(", ")}`)
    const ids = namesIn(rows)
    // Whoever works meanwhile would find gifts whose mandates the bank does not know yet, and end them as revoked.
    await client.query("begin")
    for (const table of Object.keys(tables)) await client.query(copy(table, ids), [subscriptionId, count - 1])
    await client.query("commit")
    for (const table of Object.keys(tables)) await client.query(`vacuum analyze ${table}`)
  } finally {
    await client.end()
  }
}
