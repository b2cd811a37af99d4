import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OrganisationId, SubscriptionId } from "../../../domain/kernel/Ids.ts"
import { lastingRule, Subscription } from "../../../domain/payments/Subscription.ts"
import { type DueSubscription, SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { makeDonorReferences } from "../giving/DonorReferences.ts"
import { type DueRows, leasedInOrder, nextDues } from "../records/FairQueue.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { ruleOf } from "../records/Rules.ts"

const table = "subscriptions"

const rows = rowsOf(Subscription, {
  consent_responses: { read: Schema.decodeUnknownSync(Schema.toCodecJson(Subscription.fields.consent_responses)) }
})

const awaiting: DueRows = { table, due: "look_at", time: "organisation" }

const columns = "t.organisation_id, t.id"

const isDue = Schema.is(Schema.Struct({ organisation_id: OrganisationId, id: SubscriptionId }))

/** Recurring gifts on the database, by its clock. */
export const layer: Layer.Layer<SubscriptionStore, never, SqlClient.SqlClient> = Layer.effect(
  SubscriptionStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    SubscriptionStore.of({
      ...makeRecords<Subscription, SubscriptionId>(sql, { rows, table }),
      ...makeDonorReferences(sql, table),
      lastingOf: (organisation_id, donor_id) =>
        Effect.map(
          rows.all(sql`
            SELECT ${sql.literal(rows.columns("t"))} FROM subscriptions AS t
            WHERE t.organisation_id = ${organisation_id} AND t.donor_id = ${donor_id} AND ${ruleOf(sql, lastingRule, "t")}
            ORDER BY t.id`),
          (found) => found.map(({ id }) => id)
        ),
      claim: (limit, lease, only) =>
        Effect.orDie(
          Effect.map(
            leasedInOrder(sql, awaiting, { columns, lease, limit, only }),
            (found): ReadonlyArray<DueSubscription> => found.filter((row) => isDue(row))
          )
        ),
      ...nextDues(sql, awaiting)
    })
  )
)
