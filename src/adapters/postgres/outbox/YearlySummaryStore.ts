import { Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import {
  GiftSum,
  readerRule,
  SummarisedGift,
  summarisedRule,
  type YearDays,
  YearlySummary
} from "../../../domain/outbox/YearlySummary.ts"
import { YearlySummaryStore } from "../../../ports/outbox/YearlySummaryStore.ts"
import { insertRecord, readOrDie, runOrDie, storeOf } from "../records/Records.ts"
import { integer, rowsOf, ruleOf } from "../records/Rows.ts"

const rows = rowsOf(YearlySummary)
const giftRows = rowsOf(SummarisedGift)
const sumRows = rowsOf(GiftSum, { gift_count: integer, amount_cents: integer, refunded_amount_cents: integer })

const saved = rows.names.map((name) => `${name} = EXCLUDED.${name}`).join(", ")

const isSummarised = (sql: SqlClient.SqlClient, year: YearDays) => sql`
  ${ruleOf(sql, summarisedRule, "t")}
  AND t.donation_day >= ${year.starts_on}::date AND t.donation_day <= ${year.ends_on}::date`

export const layer = storeOf(YearlySummaryStore, (sql) => {
  const columns = sql.literal(rows.columns("t"))
  const ofDonor = (organisation_id: OrganisationId, donor_id: DonorId, year: YearDays) => sql`
    donations AS t
    WHERE t.organisation_id = ${organisation_id} AND t.donor_id = ${donor_id} AND ${isSummarised(sql, year)}`

  return {
    organisationsWithout: (ends_on, after, limit) =>
      readOrDie(
        sql<{ readonly id: OrganisationId }>`
          SELECT o.id FROM /* every organisation */ organisations AS o
          WHERE o.id > ${after} AND NOT EXISTS (
            SELECT 1 FROM /* every organisation */ yearly_summaries AS t
            WHERE t.organisation_id = o.id AND t.ends_on = ${ends_on}::date AND t.completed_at IS NOT NULL
          )
          ORDER BY o.id LIMIT ${limit}::int4`,
        (found) => found.map(({ id }) => id)
      ),
    ofOrganisation: (organisation_id) =>
      rows.all(sql`
        SELECT ${columns} FROM yearly_summaries AS t WHERE t.organisation_id = ${organisation_id}
        ORDER BY t.ends_on DESC`),
    begin: (summary) =>
      runOrDie(sql`
        ${insertRecord(sql, "yearly_summaries", summary)} ON CONFLICT (organisation_id, ends_on) DO NOTHING`),
    openForUpdate: (organisation_id) =>
      rows.first(sql`
        SELECT ${columns} FROM yearly_summaries AS t
        WHERE t.organisation_id = ${organisation_id} AND t.completed_at IS NULL
        ORDER BY t.ends_on LIMIT 1 FOR UPDATE`),
    save: (summary) =>
      runOrDie(sql`
        ${insertRecord(sql, "yearly_summaries", summary)}
        ON CONFLICT (organisation_id, ends_on) DO UPDATE SET ${sql.literal(saved)}`),
    // As many donors are looked at as a step has, however few of them gave anything: none takes longer than another.
    donorsAfter: (organisation_id, year, after, limit) =>
      readOrDie(
        sql<{ readonly id: DonorId; readonly is_owed: boolean }>`
          SELECT d.id, (${ruleOf(sql, readerRule, "d")} AND EXISTS (
            SELECT 1 FROM donations AS t
            WHERE t.organisation_id = ${organisation_id} AND t.donor_id = d.id AND ${isSummarised(sql, year)}
          )) AS is_owed
          FROM donors AS d WHERE d.organisation_id = ${organisation_id} AND d.id > ${after}
          ORDER BY d.id LIMIT ${limit + 1}::int4`,
        (found) => {
          const looked = found.slice(0, limit)
          return {
            donors: looked.filter(({ is_owed }) => is_owed).map(({ id }) => id),
            last: found.length > limit ? (looked.at(-1)?.id ?? null) : null
          }
        }
      ),
    giftsOf: (organisation_id, donor_id, year, limit) =>
      giftRows.all(sql`
        SELECT ${sql.literal(giftRows.columns("t"))} FROM ${ofDonor(organisation_id, donor_id, year)}
        ORDER BY t.donation_day, t.id LIMIT ${limit}::int4`),
    languageOf: (organisation_id, donor_id, year) =>
      readOrDie(
        sql<{ readonly language: string }>`
          SELECT t.language FROM ${ofDonor(organisation_id, donor_id, year)} AND t.language IS NOT NULL
          ORDER BY t.donation_day DESC, t.id DESC LIMIT 1`,
        ([last]) => Option.fromUndefinedOr(last?.language)
      ),
    sumsOf: (organisation_id, donor_id, year) =>
      sumRows.all(sql`
        SELECT t.currency, count(*) AS gift_count, sum(t.amount_cents)::int8 AS amount_cents,
          sum(t.refunded_amount_cents)::int8 AS refunded_amount_cents
        FROM ${ofDonor(organisation_id, donor_id, year)} GROUP BY t.currency ORDER BY t.currency COLLATE "C"`)
  }
})
