import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { PendingGift, pendingRule } from "../../../domain/compliance/PendingGift.ts"
import { type DonorKind, usualKind } from "../../../domain/compliance/Regime.ts"
import type { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { emailKey } from "../../../domain/kernel/Text.ts"
import { inFlight } from "../../../domain/sharing/Payment.ts"
import { CapStore } from "../../../ports/compliance/CapStore.ts"
import { readAside, readBeside } from "../connection/DeferredTransaction.ts"
import { readOrDie, runOrDie, storeOf } from "../records/Records.ts"
import { rowsOf, ruleOf } from "../records/Rows.ts"
import { giftConditions } from "./GiftConditions.ts"

const pendingRows = rowsOf(PendingGift, { jurisdiction: { select: () => "c.jurisdiction" } })

const pendingOn = (sql: SqlClient.SqlClient): Pick<CapStore["Service"], "pendingGifts"> => {
  const { codes } = giftConditions(sql)
  const isWaiting = ruleOf(sql, pendingRule, "g")
  const isInFlight = ruleOf(sql, inFlight, "p")

  /** The keys of the addresses that lead to a donor. */
  const keysOf = (organisation_id: OrganisationId, donor_id: DonorId) =>
    readOrDie(
      sql<{ readonly email_key: string }>`
        WITH RECURSIVE known AS (
          SELECT d.id, d.email_key FROM donors AS d WHERE d.organisation_id = ${organisation_id} AND d.id = ${donor_id}
          UNION
          SELECT d.id, d.email_key FROM known AS k
          JOIN donors AS d ON d.organisation_id = ${organisation_id} AND d.merged_into_donor_id = k.id
        )
        SELECT k.email_key FROM known AS k WHERE k.email_key IS NOT NULL`,
      (found) => found.map(({ email_key }) => email_key)
    )

  return {
    pendingGifts: Effect.fnUntraced(function* (organisation_id, { donor_id, email }) {
      const known = donor_id === null ? [] : yield* keysOf(organisation_id, donor_id)
      const keys = [...known, ...(email === null ? [] : [emailKey(email)])]
      return yield* pendingRows.all(sql`
        SELECT ${sql.literal(pendingRows.columns("t"))} FROM (
          SELECT g.organisation_id, g.source, g.revenue_code_id, g.recipient_account_link_id, g.amount_cents, g.currency,
            g.payment_method, g.donation_date
          FROM donations AS g
          WHERE g.organisation_id = ${organisation_id} AND g.donor_id = ${donor_id} AND ${isWaiting}
          UNION ALL
          SELECT s.organisation_id, 'PAYMENT_PROCESSOR', s.revenue_code_id, NULL, i.amount_cents, i.currency, h.method,
            h.created_at
          FROM subscriptions AS s
          JOIN invoices AS i ON i.organisation_id = s.organisation_id AND i.subscription_id = s.id
          JOIN charges AS h ON h.organisation_id = i.organisation_id AND h.id = i.charge_id AND h.purpose = 'invoice'
          WHERE s.organisation_id = ${organisation_id} AND s.donor_id = ${donor_id} AND h.ended_at IS NULL
          UNION ALL
          SELECT a.recipient_organisation_id, 'RECOMMENDATION_SET', NULL, a.recipient_org_account_link_id,
            a.gross_amount_cents, p.currency, p.payment_method_type, p.created_at
          FROM /* every organisation */ payments AS p
          JOIN payment_allocations AS a ON a.organisation_id = p.organisation_id AND a.payment_id = p.id
          WHERE p.payer_email_key = ANY(${keys}::text[]) AND ${isInFlight}
            AND a.recipient_organisation_id = ${organisation_id} AND a.gross_amount_cents > 0
          UNION ALL
          SELECT r.recipient_organisation_id, 'RECOMMENDATION_SET', NULL, r.id, a.gross_amount_cents, p.currency,
            p.payment_method_type, p.created_at
          FROM /* every organisation */ recipient_accounts AS r
          JOIN donors AS d ON d.organisation_id = r.organisation_id AND d.email_key = ANY(${keys}::text[])
          JOIN payments AS p ON p.organisation_id = d.organisation_id AND p.link_donor_id = d.id AND ${isInFlight}
          JOIN payment_allocations AS a ON a.organisation_id = p.organisation_id AND a.payment_id = p.id
            AND a.recipient_org_account_link_id = r.id AND a.gross_amount_cents > 0
          WHERE r.recipient_organisation_id = ${organisation_id}
        ) AS t
        ${codes}
        WHERE t.organisation_id = ${organisation_id} AND c.organisation_id = ${organisation_id}
          AND c.jurisdiction IS NOT NULL`)
    })
  }
}

const isThere = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0

export const layer = storeOf(CapStore, (sql) => ({
  ...pendingOn(sql),
  isBlocking: (organisation_id) =>
    readOrDie(readAside(sql`SELECT 1 FROM cap_blocks AS t WHERE t.organisation_id = ${organisation_id}`), isThere),
  setBlocking: (organisation_id, is_blocking) =>
    runOrDie(
      is_blocking
        ? sql`INSERT INTO cap_blocks (organisation_id) VALUES (${organisation_id}) ON CONFLICT (organisation_id) DO NOTHING`
        : sql`DELETE FROM cap_blocks AS t WHERE t.organisation_id = ${organisation_id}`
    ),
  kindOf: (organisation_id, donor_id) =>
    readOrDie(
      readBeside(sql<{ readonly donor_kind: DonorKind }>`
        SELECT t.donor_kind FROM donor_kinds AS t
        WHERE t.organisation_id = ${organisation_id} AND t.donor_id = ${donor_id}`),
      ([row]) => row?.donor_kind ?? usualKind
    ),
  setKind: (organisation_id, donor_id, donor_kind) =>
    runOrDie(sql`
      INSERT INTO donor_kinds (organisation_id, donor_id, donor_kind)
      VALUES (${organisation_id}, ${donor_id}, ${donor_kind})
      ON CONFLICT (organisation_id, donor_id) DO UPDATE SET donor_kind = EXCLUDED.donor_kind`)
}))
