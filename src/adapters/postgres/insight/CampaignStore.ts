import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Attribution, Campaign, settledDonation, settledPayment } from "../../../domain/insight/Campaign.ts"
import type { CampaignId } from "../../../domain/kernel/Ids.ts"
import { CampaignStore } from "../../../ports/insight/CampaignStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { ruleOf } from "../records/Rules.ts"

/** `int8` arrives as a bigint. */
const rows = rowsOf(Campaign, {
  ask_total_cents: { read: (value) => (typeof value === "bigint" ? Number(value) : value) }
})

interface Sums {
  readonly amount_cents: bigint
  readonly refunded_amount_cents: bigint
  readonly donors_given: number
}

const none: Attribution = { amount_cents: 0, refunded_amount_cents: 0, donors_given: 0 }

const attributionOf = ([sums]: ReadonlyArray<Sums>): Attribution =>
  sums === undefined
    ? none
    : {
        amount_cents: Number(sums.amount_cents),
        refunded_amount_cents: Number(sums.refunded_amount_cents),
        donors_given: sums.donors_given
      }

export const layer: Layer.Layer<CampaignStore, never, SqlClient.SqlClient> = Layer.effect(
  CampaignStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const fromDonations = ({ id, organisation_id }: Campaign) => sql<Sums>`
      SELECT coalesce(sum(d.amount_cents), 0)::int8 AS amount_cents,
        coalesce(sum(d.refunded_amount_cents), 0)::int8 AS refunded_amount_cents,
        count(DISTINCT d.donor_id)::int4 AS donors_given
      FROM donations AS d
      WHERE d.organisation_id = ${organisation_id} AND d.campaign_id = ${id} AND ${ruleOf(sql, settledDonation, "d")}`

    const fromPayments = ({ id, organisation_id }: Campaign) => sql<Sums>`
      SELECT coalesce(sum(p.total_amount_cents), 0)::int8 AS amount_cents, 0::int8 AS refunded_amount_cents,
        count(DISTINCT p.donor_id)::int4 AS donors_given
      FROM payments AS p
      WHERE p.organisation_id = ${organisation_id} AND p.campaign_id = ${id} AND ${ruleOf(sql, settledPayment, "p")}`

    return CampaignStore.of({
      ...makeRecords<Campaign, CampaignId>(sql, { rows, table: "campaigns" }),
      attributed: (campaign) =>
        Effect.orDie(
          Effect.map(
            campaign.destination_type === "donation_form" ? fromDonations(campaign) : fromPayments(campaign),
            attributionOf
          )
        )
    })
  })
)
