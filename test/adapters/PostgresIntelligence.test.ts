import { assert } from "@effect/vitest"
import { Effect, Layer, Predicate, Result } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as Campaign from "../../src/domain/insight/Campaign.ts"
import { CampaignId, idPrefixes, OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import { CampaignStore } from "../../src/ports/insight/CampaignStore.ts"
import { ScoreStore } from "../../src/ports/insight/ScoreStore.ts"
import { campaignOf } from "../../src/testing/conformance/IntelligenceRecords.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { withLayer } from "../support/Steps.ts"
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
    INSERT INTO campaigns (organisation_id, id, status, name, audience_type, audience_id, audience_name, destination_type,
      destination_id, destination_name, delivery_method, created_at, updated_at)
    SELECT ${organisation}, 'cmp' || ${digits}, CASE WHEN g % 100 = 0 THEN 'DRAFT' ELSE 'GENERATED' END, 'c',
      CASE WHEN g % 100 = 0 THEN 'revenue_code' ELSE 'segment' END, 'a', 'a',
      CASE WHEN g % 100 = 0 THEN 'recommendation_set' ELSE 'donation_form' END, 'd', 'd', 'CSV',
      now() - g * interval '1 minute', now()
    FROM generate_series(1, 4000) AS g`
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

interface Node {
  readonly type: string
  readonly index: string | undefined
}

/** The steps of a plan that EXPLAIN printed as JSON. */
const nodes = (plan: unknown): ReadonlyArray<Node> => {
  if (Array.isArray(plan)) return plan.flatMap(nodes)
  if (!Predicate.isObject(plan)) return []
  const index = Predicate.hasProperty(plan, "Index Name") ? String(plan["Index Name"]) : undefined
  const here = Predicate.hasProperty(plan, "Node Type") ? [{ type: String(plan["Node Type"]), index }] : []
  return [...here, ...Object.values(plan).flatMap(nodes)]
}

/** The plan of the first statement that an effect sends. */
const planOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
    const watch: Statement.Transformer = (statement) =>
      Effect.sync(() => {
        sent.push(statement.compile())
        return statement
      })
    yield* Effect.provideService(effect, Statement.CurrentTransformer, watch)
    const [text, params] = sent[0] ?? ["", []]
    return nodes(yield* sql.unsafe(`EXPLAIN (FORMAT JSON) ${text}`, params))
  })

const indexesOf = (plan: ReadonlyArray<Node>) => plan.flatMap(({ index }) => index ?? [])

const filled = Layer.effectDiscard(Effect.orDie(fill)).pipe(Layer.provideMerge(storesOn(layerFresh)))

withLayer(filled, { excludeTestServices: true })("the indexes", ({ effect }) => {
  for (const [text, index] of Object.entries({
    "": "campaigns_created",
    "status=DRAFT": "campaigns_status",
    "audience_type=revenue_code": "campaigns_audience_type",
    "destination_type=recommendation_set": "campaigns_destination_type"
  })) {
    effect(`of campaigns answer "${text}" in their order`, function* () {
      const query = Result.getOrThrow(parse(Campaign.listing, new URLSearchParams(text)))
      const plan = yield* planOf(CampaignStore.use((store) => store.list(organisation, query)))
      assert.include(indexesOf(plan), index)
      assert.notInclude(
        plan.map(({ type }) => type),
        "Sort"
      )
    })
  }

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
