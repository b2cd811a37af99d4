import { Effect, Schema } from "effect"
import { type AssignedGift, countableRule } from "../../../domain/compliance/Assessment.ts"
import { Disclosure, presentRule } from "../../../domain/compliance/Disclosure.ts"
import { NamedDonor, NamedGift } from "../../../domain/compliance/DisclosureExport.ts"
import { Donation } from "../../../domain/giving/Donation.ts"
import type { DisclosureId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { type DisclosureSpan, DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import { makeRecords, readOrDie, runOrDie, storeOf } from "../records/Records.ts"
import { integer, rowsOf, ruleOf } from "../records/Rows.ts"

const json = <A>(schema: Schema.Codec<A, unknown>) => ({ read: Schema.decodeUnknownSync(Schema.toCodecJson(schema)) })

const { duties, lodged_gifts, regime } = Disclosure.fields

const disclosureRows = rowsOf(Disclosure, {
  threshold_cents: integer,
  total_cents: integer,
  cap_cents: integer,
  cap_used_cents: integer,
  in_kind_cents: integer,
  duties: json(duties),
  lodged_gifts: json(lodged_gifts),
  regime: json(regime)
})

const giftRows = rowsOf(
  Donation.mapFields((fields) => ({
    id: fields.id,
    donor_id: fields.donor_id,
    donation_day: fields.donation_day,
    donation_date: fields.donation_date,
    donation_type: fields.donation_type,
    status: fields.status,
    currency: fields.currency,
    amount_cents: fields.amount_cents,
    refunded_amount_cents: fields.refunded_amount_cents,
    deleted_at: fields.deleted_at,
    jurisdiction: Schema.NullOr(Schema.String)
  })),
  { jurisdiction: { select: () => "c.jurisdiction" } }
)

interface Due {
  readonly organisation_id: OrganisationId
}

const donorNameRows = rowsOf(NamedDonor)
const namedGiftRows = rowsOf(NamedGift)

const disclosureStore = storeOf(DisclosureStore, (sql) => {
  const select = sql`SELECT ${sql.literal(disclosureRows.columns("t"))} FROM disclosures AS t`
  const present = ruleOf(sql, presentRule, "t")

  return {
    ...makeRecords<Disclosure, DisclosureId>(sql, { rows: disclosureRows, table: "disclosures" }),
    hold: ({ donor_id, jurisdiction, organisation_id, starts_on }: DisclosureSpan) =>
      runOrDie(sql`
        SELECT pg_advisory_xact_lock(hashtextextended(${[organisation_id, donor_id, jurisdiction, starts_on].join(" ")}, 0))`),
    jurisdictionOf: ({ organisation_id, revenue_code_id }) =>
      revenue_code_id === null
        ? Effect.succeed(null)
        : readOrDie(
            sql<{ readonly jurisdiction: string | null }>`
              SELECT c.jurisdiction FROM revenue_codes AS c
              WHERE c.organisation_id = ${organisation_id} AND c.id = ${revenue_code_id}`,
            ([code]) => code?.jurisdiction ?? null
          ),
    giftsOf: (organisation_id, donor_id, from, to): Effect.Effect<ReadonlyArray<AssignedGift>> =>
      giftRows.all(sql`
        SELECT ${sql.literal(giftRows.columns("t"))}
        FROM donations AS t
        JOIN revenue_codes AS c ON c.organisation_id = t.organisation_id AND c.id = t.revenue_code_id
        WHERE t.organisation_id = ${organisation_id} AND c.organisation_id = ${organisation_id}
          AND t.donor_id = ${donor_id} AND t.donation_day >= ${from}::date AND t.donation_day <= ${to}::date
          AND c.jurisdiction IS NOT NULL AND ${ruleOf(sql, countableRule, "t")}`),
    ofSpan: ({ donor_id, jurisdiction, organisation_id, starts_on }) =>
      disclosureRows.first(sql`
        ${select} WHERE t.organisation_id = ${organisation_id} AND t.donor_id = ${donor_id}
          AND t.jurisdiction = ${jurisdiction} AND t.starts_on = ${starts_on} AND ${present}`),
    ofDonor: (organisation_id, donor_id) =>
      disclosureRows.all(sql`
        ${select} WHERE t.organisation_id = ${organisation_id} AND t.donor_id = ${donor_id} AND ${present}`),
    organisationsDue: (until, only) => {
      const due = sql`t.due_at <= ${new Date(until.epochMilliseconds)}`
      return readOrDie(
        only === undefined
          ? sql<Due>`SELECT DISTINCT t.organisation_id FROM /* every organisation */ disclosures AS t WHERE ${due}`
          : sql<Due>`SELECT t.organisation_id FROM disclosures AS t WHERE t.organisation_id = ${only} AND ${due} LIMIT 1`,
        (rows) => rows.map(({ organisation_id }) => organisation_id)
      )
    },
    beginReminder: (organisation_id, day) =>
      readOrDie(
        sql`
          INSERT INTO duty_reminders AS r (organisation_id, day) VALUES (${organisation_id}, ${day})
          ON CONFLICT (organisation_id) DO UPDATE SET day = EXCLUDED.day WHERE r.day < EXCLUDED.day
          RETURNING r.day`,
        (rows) => rows.length > 0
      ),
    donorsNamed: (organisation_id, ids) =>
      donorNameRows.all(sql`
        SELECT ${sql.literal(donorNameRows.columns("t"))} FROM donors AS t
        WHERE t.organisation_id = ${organisation_id} AND t.id = ANY(${[...ids]}::text[])`),
    giftsNamed: (organisation_id, ids) =>
      namedGiftRows.all(sql`
        SELECT ${sql.literal(namedGiftRows.columns("t"))} FROM donations AS t
        WHERE t.organisation_id = ${organisation_id} AND t.id = ANY(${[...ids]}::text[])`)
  }
})

export const layer = disclosureStore
