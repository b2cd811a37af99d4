import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { records } from "../../src/adapters/postgres/migrations/0017_records.ts"
import { payerAddresses } from "../../src/adapters/postgres/migrations/0069_payer_addresses.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import { fieldsOf } from "../support/Answer.ts"
import { withFresh } from "../support/Steps.ts"
import { databases } from "./PostgresStores.ts"

const id = (prefix: string, n: number) => `${prefix}_01h2xcejqtf2nbrexx3v${String(n).padStart(6, "0")}`
const organisation_id = id("org", 1)

const insert = Effect.fnUntraced(function* (table: string, record: object) {
  const sql = yield* SqlClient.SqlClient
  const now = "2026-01-20T00:00:00Z"
  const row = { organisation_id, created_at: now, updated_at: now, ...record }
  const names = sql.literal(Object.keys(row).join(", "))
  yield* sql`
    INSERT INTO ${sql(table)} (${names}) SELECT ${names}
    FROM jsonb_populate_record(NULL::${sql(table)}, ${JSON.stringify(row)}::jsonb)`
})

/**
 * Records from before the migration: gifts without a day of arrival, codes with other keys, and sets that share a slug.
 */
const former = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Migrations.run
  yield* sql`ALTER TABLE recommendation_sets DROP CONSTRAINT recommendation_sets_slug`
  yield* sql`ALTER TABLE donations DROP COLUMN received_day`
  for (const [n, timezone] of ["Australia/Sydney", "Nowhere/Land"].entries()) {
    yield* sql`
      INSERT INTO organisations
      VALUES (${id("org", n + 1)}, ${`s${n}`}, 'n', false, ${timezone}, 'AUD', NULL, NULL, 'FREE', '{}', now(), now())`
  }
  for (const n of [1, 2]) {
    const owner = { organisation_id: id("org", n) }
    yield* insert("donors", {
      ...owner,
      ...{ id: id("dnr", n), donor_type: "INDIVIDUAL", country: "AU", do_not_contact: false, profile_revision: 1 },
      last_name_key: "x"
    })
    for (const received_date of ["2026-01-14T14:30:00Z", null]) {
      yield* insert("donations", {
        ...owner,
        ...{
          id: id("don", received_date === null ? n : n + 5),
          donor_id: id("dnr", n),
          source: "OTHER",
          received_date
        },
        ...{ status: "CONFIRMED", amount_cents: 1, refunded_amount_cents: 0, currency: "AUD", is_recurring: false },
        ...{ donation_type: "MONETARY", donation_date: "2026-01-10T00:00:00Z", donation_day: "2026-01-10" },
        consent_responses: []
      })
    }
  }
  const codes = ["E\u0301te\u0301", "\u00c9t\u00e9", "Strasse", "Stra\u00dfe", "X"]
  for (const [n, code] of codes.entries()) {
    yield* insert("revenue_codes", {
      ...{ id: id("rev", n), code, code_key: code.toLowerCase(), namespace: "INTERNAL", is_fca: false },
      created_at: `2026-01-0${9 - n}T00:00:00Z`
    })
  }
  for (const n of [1, 2, 3]) {
    yield* insert("recommendation_sets", {
      ...{ id: id("rset", n), name: "n", slug: "winter", url_key: `${n}`, is_active: true, amount_mode: "FIXED" },
      ...{ total_amount_cents: 1, allocation_count: 1, created_at: `2026-01-0${n}T00:00:00Z` }
    })
  }
})

/** Payments to sets from before their payers were found by address. */
const formerPayments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Migrations.run
  yield* sql`ALTER TABLE payments DROP COLUMN payer_email_key`
  yield* sql`CREATE INDEX payments_in_flight ON payments (organisation_id, id)`
  yield* sql`
    INSERT INTO organisations
    VALUES (${organisation_id}, 's', 'n', false, 'UTC', 'AUD', NULL, NULL, 'FREE', '{}', now(), now())`
  const statuses = ["PENDING", "AWAITING_FUNDS", "SUCCEEDED", "PENDING"]
  for (const [n, payment_status] of statuses.entries()) {
    yield* insert("payments", {
      ...{ id: id("rsp", n), payment_status, currency: "AUD", total_amount_cents: 1, payment_method_type: "card" },
      ...{ platform_fee_cents: 0, processor_fee_cents: 0, consent_responses: [] },
      submitted_donor: n === 3 ? null : { email: " Kim@B\u00fccher.example" }
    })
  }
})

describe.each(databases)("records of before on %s", (_name, database) => {
  const { live } = withFresh(Layer.fresh(database))

  live("that are payments under way are found by the address of whoever pays", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* formerPayments
    yield* payerAddresses
    const keys = yield* sql`SELECT payer_email_key AS key FROM payments ORDER BY id`
    const kim = "kim@xn--bcher-kva.example"
    assert.deepStrictEqual(fieldsOf(keys, "key"), [kim, kim, null, null])
  })

  live("get days, keys and slugs of their own, and lose nothing", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* former
    yield* records
    const days = yield* sql`SELECT id, received_day::text AS day FROM donations ORDER BY id`
    assert.deepStrictEqual(days, [
      { id: id("don", 1), day: null },
      { id: id("don", 2), day: null },
      { id: id("don", 6), day: "2026-01-15" },
      { id: id("don", 7), day: "2026-01-14" }
    ])
    const codes = yield* sql`SELECT code, code_key FROM revenue_codes ORDER BY id`
    assert.deepStrictEqual(codes, [
      { code: "E\u0301te\u0301 (2)", code_key: "\u00e9t\u00e9 (2)" },
      { code: "\u00c9t\u00e9", code_key: "\u00e9t\u00e9" },
      { code: "Strasse", code_key: "strasse" },
      { code: "Stra\u00dfe (2)", code_key: "strasse (2)" },
      { code: "X", code_key: "x" }
    ])
    const slugs = yield* sql`SELECT slug FROM recommendation_sets ORDER BY id`
    assert.deepStrictEqual(fieldsOf(slugs, "slug"), [
      "winter",
      ...[2, 3].map((n) => `winter-${id("rset", n).slice(-26)}`)
    ])
  })
})
