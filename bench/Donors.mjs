/** Many donors in the service's own tables, made from one that the service wrote. */
import pg from "pg"
import { countedId } from "../harness/CountedId.mjs"

const copy = `
  insert into donors
  select (jsonb_populate_record(d, jsonb_build_object(
    'id', ${countedId("d.id")},
    'last_name', 'Lovelace' || n % 5000,
    'last_name_key', 'lovelace' || n % 5000,
    'created_at', d.created_at + n * interval '1 millisecond'
  ))).*
  from donors d, generate_series(1, $2::int) n
  where d.id = $1`

const words = `
  insert into donor_words (organisation_id, donor_id, word)
  select organisation_id, id, word from donors, unnest(array[lower(first_name), last_name_key]) as word
  where organisation_id = $1
  on conflict do nothing`

/** Copies a donor until the organisation has `count` more, whose names are Ada and one of five thousand. */
export async function multiplyDonor(databaseUrl, organisationId, donorId, count) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(copy, [donorId, count])
    await client.query(words, [organisationId])
    await client.query("vacuum analyze donors")
    await client.query("vacuum analyze donor_words")
  } finally {
    await client.end()
  }
}
