import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CampaignId, idPrefixes, OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { CampaignStore, ScoreStore } from "../../src/ports.ts"
import { campaignOf } from "../../src/testing/conformance/Insight.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { withLayer } from "../support/Steps.ts"
import { type Node, planOf } from "./ListPlans.ts"
import { storesOn } from "./PostgresStores.ts"

const stem = "_01h2xcejqtf2nbrexx3v"
const id = (prefix: string, n: number) => `${prefix}${stem}${String(n).padStart(6, "0")}`
const organisation = OrganisationId.make(id(idPrefixes.organisation, 1))
const campaign = CampaignId.make(id(idPrefixes.campaign, 1))

const donorCount = 20_000

/** A large tenant: a score for each donor, campaigns, and gifts of which few came through one. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const digits = sql.literal(`'${stem}' || lpad(g::text, 6, '0')`)
  yield* sql`
    INSERT INTO organisations
    VALUES (${organisation}, 's', 'n', false, 'UTC', 'AUD', NULL, NULL, 'FREE', '{}', now(), now())`
  yield* sql`
    INSERT INTO donors (organisation_id, id, donor_type, country, do_not_contact, profile_revision, created_at, updated_at,
      last_name_key, archived_at)
    SELECT ${organisation}, 'dnr' || ${digits}, 'INDIVIDUAL', 'AU', g % 50 = 0, 1, now(), now(), 'n',
      CASE WHEN g % 20 = 0 THEN now() END
    FROM generate_series(1, ${donorCount}::int) AS g`
  yield* sql`
    INSERT INTO donor_scores (organisation_id, donor_id, currency, play, opportunity_cents, reason, factors, scoring_version,
      computed_at, last_gift_at)
    SELECT ${organisation}, 'dnr' || ${digits}, 'AUD', 'upgrade', g % 997, 'r',
      '{"upgrade": [], "lapse": [], "reactivation": []}', 1, now(), now() - g * interval '1 minute'
    FROM generate_series(1, ${donorCount}::int) AS g`
  yield* sql`
    INSERT INTO donations (organisation_id, id, donor_id, source, status, amount_cents, refunded_amount_cents, currency,
      donation_type, donation_date, donation_day, campaign_id, is_recurring, consent_responses, created_at, updated_at)
    SELECT ${organisation}, 'don' || ${digits}, ${id("dnr", 1)}, 'MANUAL', 'CONFIRMED', 100, 0, 'AUD', 'MONETARY', now(),
      now()::date, CASE WHEN g % 500 = 0 THEN ${campaign} END, false, '[]', now(), now()
    FROM generate_series(1, 12000) AS g`
  yield* sql`
    INSERT INTO payments (organisation_id, id, payment_status, currency, total_amount_cents, payment_method_type,
      platform_fee_cents, processor_fee_cents, campaign_id, created_at, updated_at)
    SELECT ${organisation}, 'rsp' || ${digits}, 'SUCCEEDED', 'AUD', 100, 'card', 0, 0,
      CASE WHEN g % 500 = 0 THEN ${campaign} END, now(), now()
    FROM generate_series(1, 6000) AS g`
  yield* sql`ANALYZE`
})

const indexesOf = (plan: ReadonlyArray<Node>) => plan.flatMap(({ index }) => index ?? [])

const filled = Layer.effectDiscard(Effect.orDie(fill)).pipe(Layer.provideMerge(storesOn(layerFresh)))

withLayer(filled, { excludeTestServices: true })("the indexes", ({ effect }) => {
  effect("of campaigns lead to the few gifts and payments that one brought", function* () {
    const store = yield* CampaignStore
    for (const [destination_type, index, amount_cents] of [
      ["donation_form", "donations_campaign_id", 2_400],
      ["recommendation_set", "payments_campaign", 1_200]
    ] as const) {
      const asked = { ...(yield* campaignOf(organisation, { destination_type })), id: campaign }
      assert.include(indexesOf(yield* planOf(store.attributed(asked))), index)
      assert.strictEqual((yield* store.attributed(asked)).amount_cents, amount_cents)
    }
  })

  effect("of scores give the beginning of the worklist without sorting the whole", function* () {
    const store = yield* ScoreStore
    const plan = yield* planOf(store.standing(organisation, 100))
    assert.include(indexesOf(plan), "donor_scores_opportunity", JSON.stringify(plan))
    const { actionable_count, leading, scored_count } = yield* store.standing(organisation, 100)
    assert.strictEqual(scored_count, donorCount - donorCount / 20)
    assert.strictEqual(actionable_count, scored_count - donorCount / 50 + donorCount / 100)
    assert.lengthOf(leading, 100)
  })
})
