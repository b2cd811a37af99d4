import { DateTime, Effect, Layer, Predicate, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { AssignedGift } from "../../../domain/compliance/Assessment.ts"
import { byDefaultRule, DefaultCode } from "../../../domain/compliance/DefaultCode.ts"
import { Disclosure } from "../../../domain/compliance/Disclosure.ts"
import { NamedDonor, NamedGift } from "../../../domain/compliance/DisclosureExport.ts"
import { Election } from "../../../domain/compliance/Election.ts"
import { UncodedSum } from "../../../domain/compliance/UncodedGifts.ts"
import { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { Instant } from "../../../domain/kernel/Timestamp.ts"
import { DefaultCodeStore, type IncomingLink } from "../../../ports/compliance/DefaultCodeStore.ts"
import { type DisclosureSpan, DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import { ElectionStore } from "../../../ports/compliance/ElectionStore.ts"
import { holdByChange, readBeside, readForChange } from "../connection/DeferredTransaction.ts"
import { insertRecord, makeRecords, readOrDie, runOrDie, storeOf } from "../records/Records.ts"
import { integer, rowsOf } from "../records/Rows.ts"
import { giftConditions } from "./GiftConditions.ts"

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

interface Difference {
  readonly donor_id: string
  readonly counted_cents: bigint | number
  readonly recorded_cents: bigint | number | null
}

const recountRows = rowsOf(
  Schema.Struct({
    organisation_id: OrganisationId,
    due_at: Instant,
    after_donor_id: Schema.String,
    is_asked: Schema.Boolean
  })
)

const giftRows = rowsOf(AssignedGift, { jurisdiction: { select: () => "c.jurisdiction" } })

interface Due {
  readonly organisation_id: OrganisationId
}

const donorNameRows = rowsOf(NamedDonor)
const uncodedRows = rowsOf(UncodedSum, {
  gifts: integer,
  donors: integer,
  sum_cents: integer,
  crossing_donors: integer,
  over_donors: integer
})
const namedGiftRows = rowsOf(NamedGift)

type Recounts = Pick<
  DisclosureStore["Service"],
  "donorsAfter" | "dueRecount" | "moveRecount" | "recountOf" | "requestRecount" | "requestRecounts"
>

const recountsOn = (sql: SqlClient.SqlClient): Recounts => {
  const columns = sql.literal(recountRows.columns("t"))
  const { codes, countable, present } = giftConditions(sql)
  return {
    requestRecount: (organisation_id, due_at) =>
      runOrDie(sql`
        INSERT INTO disclosure_recounts (organisation_id, due_at, after_donor_id, is_asked)
        VALUES (${organisation_id}, ${DateTime.toDateUtc(due_at)}, '', true)
        ON CONFLICT (organisation_id) DO UPDATE SET due_at = excluded.due_at, after_donor_id = '', is_asked = true`),
    requestRecounts: (due_at) =>
      runOrDie(sql`
        UPDATE /* every organisation */ disclosure_recounts AS t
        SET due_at = ${DateTime.toDateUtc(due_at)}, after_donor_id = '', is_asked = true`),
    dueRecount: (now) =>
      recountRows.first(sql`
        SELECT ${columns} FROM /* every organisation */ disclosure_recounts AS t
        WHERE t.due_at <= ${DateTime.toDateUtc(now)} ORDER BY t.due_at LIMIT 1`),
    recountOf: (organisation_id) =>
      recountRows.first(sql`
        SELECT ${columns} FROM disclosure_recounts AS t WHERE t.organisation_id = ${organisation_id}`),
    moveRecount: ({ after_donor_id, due_at, organisation_id }, next) =>
      runOrDie(sql`
        UPDATE disclosure_recounts AS t
        SET due_at = ${DateTime.toDateUtc(next.due_at)}, after_donor_id = ${next.after_donor_id}, is_asked = ${next.is_asked}
        WHERE t.organisation_id = ${organisation_id} AND t.due_at = ${DateTime.toDateUtc(due_at)}
          AND t.after_donor_id = ${after_donor_id}`),
    // Each side by itself, in the order of an index: a step reads as many donors as it takes, however many there are.
    donorsAfter: (organisation_id, after, limit) =>
      readOrDie(
        sql<{ readonly donor_id: string }>`
          SELECT s.donor_id FROM ((
            SELECT DISTINCT t.donor_id FROM disclosures AS t
            WHERE t.organisation_id = ${organisation_id} AND t.donor_id > ${after} AND ${present}
            ORDER BY t.donor_id LIMIT ${limit}
          ) UNION (
            SELECT DISTINCT t.donor_id FROM donations AS t
            ${codes}
            WHERE t.organisation_id = ${organisation_id} AND c.organisation_id = ${organisation_id}
              AND t.donor_id > ${after} AND c.jurisdiction IS NOT NULL AND ${countable}
            ORDER BY t.donor_id LIMIT ${limit}
          )) AS s ORDER BY s.donor_id LIMIT ${limit}`,
        (rows) => rows.map(({ donor_id }) => DonorId.make(donor_id))
      )
  }
}

const differencesOn = (sql: SqlClient.SqlClient): Pick<DisclosureStore["Service"], "differences"> => {
  const { codes, countable, present } = giftConditions(sql)
  return {
    differences: (organisation_id, { currency, ends_on, jurisdiction, least_cents, starts_on }, limit) =>
      readOrDie(
        sql<Difference>`
          SELECT s.donor_id, sum(s.counted)::int8 AS counted_cents, max(s.recorded)::int8 AS recorded_cents
          FROM (
            SELECT t.donor_id, t.amount_cents::int8 - t.refunded_amount_cents AS counted, NULL::int8 AS recorded
            FROM donations AS t
            ${codes}
            WHERE t.organisation_id = ${organisation_id} AND c.organisation_id = ${organisation_id}
              AND t.donation_day >= ${starts_on}::date AND t.donation_day <= ${ends_on}::date
              AND t.currency = ${currency} AND c.jurisdiction = ${jurisdiction} AND ${countable}
            UNION ALL
            SELECT t.donor_id, 0, t.total_cents FROM disclosures AS t
            WHERE t.organisation_id = ${organisation_id} AND t.jurisdiction = ${jurisdiction}
              AND t.starts_on = ${starts_on} AND ${present}
          ) AS s
          GROUP BY s.donor_id
          HAVING sum(s.counted) <> max(s.recorded) OR max(s.recorded) IS NULL
            AND sum(s.counted) >= ${least_cents}::int8
          ORDER BY s.donor_id LIMIT ${limit}`,
        (rows) =>
          rows.map(({ counted_cents, donor_id, recorded_cents }) => ({
            donor_id: DonorId.make(donor_id),
            counted_cents: Number(counted_cents),
            recorded_cents: recorded_cents === null ? null : Number(recorded_cents)
          }))
      )
  }
}

const uncodedOn = (sql: SqlClient.SqlClient): Pick<DisclosureStore["Service"], "uncoded"> => {
  const { codesIfAny, countableAtAll, isByDefault } = giftConditions(sql)
  return {
    uncoded: (organisation_id, { currency, ends_on, jurisdiction, least_cents, starts_on }) =>
      uncodedRows.all(sql`
        WITH gifts AS (
          SELECT t.id, t.donor_id, t.amount_cents::int8 - t.refunded_amount_cents AS cents, c.id AS revenue_code_id, c.code,
            c.namespace, c.jurisdiction, ${isByDefault} AS is_by_default
          FROM donations AS t
          ${codesIfAny}
          WHERE t.organisation_id = ${organisation_id} AND t.donation_day >= ${starts_on}::date
            AND t.donation_day <= ${ends_on}::date AND t.currency = ${currency} AND ${countableAtAll}
        ), counted AS (
          SELECT donor_id, sum(cents) AS cents FROM gifts WHERE jurisdiction = ${jurisdiction} GROUP BY donor_id
        ), sums AS (
          SELECT g.revenue_code_id, g.code, g.namespace, g.is_by_default, g.donor_id, count(*) AS gifts, sum(g.cents) AS cents,
            coalesce(max(c.cents), 0) AS counted
          FROM gifts AS g LEFT JOIN counted AS c USING (donor_id)
          WHERE g.jurisdiction IS NULL GROUP BY g.revenue_code_id, g.code, g.namespace, g.is_by_default, g.donor_id
        )
        SELECT t.revenue_code_id, t.code, t.namespace, t.is_by_default, sum(t.gifts)::int8 AS gifts, count(*) AS donors,
          sum(t.cents)::int8 AS sum_cents,
          count(*) FILTER (WHERE t.counted < ${least_cents}::int8 AND t.counted + t.cents >= ${least_cents}::int8)
            AS crossing_donors,
          count(*) FILTER (WHERE t.counted >= ${least_cents}::int8) AS over_donors,
          ARRAY(
            SELECT g.id FROM gifts AS g WHERE g.jurisdiction IS NULL AND g.is_by_default = t.is_by_default
              AND g.revenue_code_id IS NOT DISTINCT FROM t.revenue_code_id
            ORDER BY g.cents DESC, g.id LIMIT ${Limits.uncodedGiftsShown}
          ) AS donation_ids
        FROM sums AS t
        GROUP BY t.revenue_code_id, t.code, t.namespace, t.is_by_default
        ORDER BY t.code COLLATE "C" NULLS LAST, t.revenue_code_id NULLS LAST, t.is_by_default DESC`)
  }
}

const jurisdictionsOn = (sql: SqlClient.SqlClient): Pick<DisclosureStore["Service"], "jurisdictionOf"> => ({
  jurisdictionOf: (gift) => {
    const { organisation_id, recipient_account_link_id, revenue_code_id } = gift
    const isByDefault = Rule.holds(byDefaultRule, gift)
    if (revenue_code_id === null && !isByDefault) return Effect.succeed(null)
    const id = isByDefault
      ? sql`(
            SELECT d.revenue_code_id FROM default_codes AS d WHERE d.organisation_id = ${organisation_id}
              AND (d.recipient_account_link_id = ${recipient_account_link_id} OR d.recipient_account_link_id IS NULL)
            ORDER BY d.recipient_account_link_id NULLS LAST LIMIT 1)`
      : sql`${revenue_code_id}`
    return readOrDie(
      readForChange(sql, {
        table: "revenue_codes",
        strength: "FOR SHARE",
        organisation_id,
        select: sql`t.id, t.jurisdiction`,
        where: sql`WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`
      }),
      ([code]) => (Predicate.isString(code?.["jurisdiction"]) ? code["jurisdiction"] : null)
    )
  }
})

const disclosureStore = storeOf(DisclosureStore, (sql) => {
  const select = sql`SELECT ${sql.literal(disclosureRows.columns("t"))} FROM disclosures AS t`
  const { codes, countable, present } = giftConditions(sql)

  return {
    ...makeRecords(sql, { rows: disclosureRows, table: "disclosures" }),
    hold: ({ donor_id, jurisdiction, organisation_id, starts_on }: DisclosureSpan) =>
      Effect.orDie(
        holdByChange(sql, {
          table: "disclosure_spans",
          organisation_id,
          id: [donor_id, jurisdiction, starts_on].join(" ")
        })
      ),
    ...jurisdictionsOn(sql),
    giftsOf: (organisation_id, donor_id, from, to): Effect.Effect<ReadonlyArray<AssignedGift>> =>
      giftRows.all(
        readBeside(sql`
          SELECT ${sql.literal(giftRows.columns("t"))}
          FROM donations AS t
          ${codes}
          WHERE t.organisation_id = ${organisation_id} AND c.organisation_id = ${organisation_id}
            AND t.donor_id = ${donor_id} AND t.donation_day >= ${from}::date AND t.donation_day <= ${to}::date
            AND c.jurisdiction IS NOT NULL AND ${countable}`)
      ),
    ofSpan: ({ donor_id, jurisdiction, organisation_id, starts_on }) =>
      disclosureRows.first(
        readBeside(sql`
          ${select} WHERE t.organisation_id = ${organisation_id} AND t.donor_id = ${donor_id}
            AND t.jurisdiction = ${jurisdiction} AND t.starts_on = ${starts_on} AND ${present}`)
      ),
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
        WHERE t.organisation_id = ${organisation_id} AND t.id = ANY(${[...ids]}::text[])`),
    ...recountsOn(sql),
    ...differencesOn(sql),
    ...uncodedOn(sql)
  }
})

const defaultRows = rowsOf(DefaultCode)

const defaultNames = defaultRows.names.join(", ")

const defaultCodeStore = storeOf(DefaultCodeStore, (sql) => ({
  set: (code) =>
    runOrDie(sql`
      ${insertRecord(sql, "default_codes", code)}
      ON CONFLICT (organisation_id, coalesce(recipient_account_link_id, ''))
      DO UPDATE SET revenue_code_id = EXCLUDED.revenue_code_id, created_at = EXCLUDED.created_at`),
  clear: (organisation_id, link) =>
    runOrDie(sql`
      DELETE FROM default_codes AS t
      WHERE t.organisation_id = ${organisation_id} AND t.recipient_account_link_id IS NOT DISTINCT FROM ${link}`),
  ofOrganisation: (organisation_id) =>
    defaultRows.all(sql`
      SELECT ${sql.literal(defaultNames)} FROM default_codes AS t WHERE t.organisation_id = ${organisation_id}
      ORDER BY t.recipient_account_link_id NULLS FIRST`),
  incomingLinks: (organisation_id) =>
    readOrDie(
      sql<IncomingLink>`
        SELECT t.id, t.organisation_id AS from_organisation_id, t.recipient_account_label AS account_label
        FROM /* every organisation */ recipient_accounts AS t
        WHERE t.recipient_organisation_id = ${organisation_id} ORDER BY t.id`,
      (rows) => rows
    )
}))

const electionRows = rowsOf(Election)

const electionStore = storeOf(ElectionStore, (sql) => {
  const all = electionRows.all(
    readBeside(sql`
      SELECT ${sql.literal(electionRows.columns("t"))} FROM elections AS t ORDER BY t.jurisdiction, t.writ_on`)
  )
  return {
    all,
    allForUpdate: Effect.andThen(runOrDie(sql`SELECT pg_advisory_xact_lock(hashtextextended('elections', 0))`), all),
    add: (election) => runOrDie(insertRecord(sql, "elections", election)),
    remove: ({ jurisdiction, writ_on }) =>
      runOrDie(sql`DELETE FROM elections AS t WHERE t.jurisdiction = ${jurisdiction} AND t.writ_on = ${writ_on}::date`)
  }
})

export const layer = Layer.mergeAll(disclosureStore, defaultCodeStore, electionStore)
