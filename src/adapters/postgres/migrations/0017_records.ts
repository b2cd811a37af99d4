import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "./Statements.ts"

/** The day on which money arrived. Earlier gifts get it by the organisation's timezone as it is now. */
const receivedDays = statements(
  `ALTER TABLE donations ADD COLUMN received_day date`,
  `
    UPDATE donations AS t SET received_day = (t.received_date AT TIME ZONE coalesce(z.name, 'UTC'))::date
    FROM organisations AS o LEFT JOIN pg_timezone_names AS z ON z.name = o.timezone
    WHERE o.id = t.organisation_id AND t.received_date IS NOT NULL`,
  `
    CREATE INDEX donations_received_day ON donations (organisation_id, received_day, created_at, id)
    WHERE received_day IS NOT NULL`
)

/** A gift's ledger is listed in order of creation. */
const refundLists = statements(
  `DROP INDEX refunds_donation`,
  `CREATE INDEX refunds_donation ON refunds (organisation_id, donation_id, created_at, id)`,
  // Among the indexes that hold the id, the planner takes the newest before the first ANALYZE.
  `ALTER TABLE refunds DROP CONSTRAINT refunds_pkey, ADD PRIMARY KEY (organisation_id, id)`
)

interface Code {
  readonly organisation_id: string
  readonly id: string
  readonly namespace: string
  readonly code: string
}

const keyOf = (code: string): string =>
  code.trim().normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC")

/** The text of a code whose own text an older one has: with a number in brackets, within a hundred characters. */
const numbered = (code: string, number: number): string => {
  const suffix = ` (${number})`
  return `${Array.from(code)
    .slice(0, 100 - suffix.length)
    .join("")}${suffix}`
}

/** Codes that differ only in their Unicode form get a number; one of them keeps its text. */
const codesInOneForm = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isTaken = ({ namespace, organisation_id }: Code, key: string) =>
    Effect.map(
      sql`
        SELECT 1 FROM revenue_codes
        WHERE organisation_id = ${organisation_id} AND namespace = ${namespace} AND code_key = ${key}`,
      (found) => found.length > 0
    )
  // The keys of all other texts stay the same.
  const codes = yield* sql<Code>`
    SELECT organisation_id, id, namespace, code FROM revenue_codes WHERE octet_length(code) > char_length(code)
    ORDER BY created_at, id`
  yield* sql`UPDATE revenue_codes SET code_key = chr(1) || id WHERE octet_length(code) > char_length(code)`
  for (const each of codes) {
    let text = each.code
    for (let number = 2; yield* isTaken(each, keyOf(text)); number++) text = numbered(each.code, number)
    yield* sql`
      UPDATE revenue_codes SET code = ${text}, code_key = ${keyOf(text)}
      WHERE organisation_id = ${each.organisation_id} AND id = ${each.id}`
  }
})

/** Of sets that share a slug the first keeps it; the slugs of the others end in the last characters of their ids. */
const setSlugs = statements(
  `
    UPDATE recommendation_sets AS t SET slug = rtrim(left(t.slug, 36), '-') || '-' || right(t.id, 26)
    WHERE EXISTS (
      SELECT FROM recommendation_sets AS o
      WHERE o.organisation_id = t.organisation_id AND o.slug = t.slug AND (o.created_at, o.id) < (t.created_at, t.id))`,
  `
    ALTER TABLE recommendation_sets ADD CONSTRAINT recommendation_sets_slug UNIQUE (organisation_id, slug)`
)

/** Columns and indexes that lists need, and values that become unique. */
export const records = receivedDays.pipe(
  Effect.andThen(refundLists),
  Effect.andThen(codesInOneForm),
  Effect.andThen(setSlugs)
)
