/** A million gifts in the service's own table, made from one that the service wrote. */
import pg from "pg"
import { countedId } from "../harness/CountedId.mjs"

const copy = `
  insert into donations
  select (jsonb_populate_record(d, jsonb_build_object(
    'id', ${countedId("d.id")},
    'created_at', d.created_at + n * interval '1 millisecond',
    'donation_date', d.donation_date + n * interval '1 millisecond'
  ))).*
  from donations d, generate_series(1, $2::int) n
  where d.id = $1`

const nth = `
  select id from donations where organisation_id = $1 order by created_at desc, id desc offset $2 limit 1`

/** Copies a gift until the organisation has `count`. Gives the id after which the last page of `pageSize` begins. */
export async function multiplyGift(databaseUrl, organisationId, donationId, count, pageSize) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(copy, [donationId, count - 1])
    await client.query("vacuum analyze donations")
    const { rows } = await client.query(nth, [organisationId, count - pageSize - 1])
    return rows[0].id
  } finally {
    await client.end()
  }
}
