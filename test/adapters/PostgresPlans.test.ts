import { assert } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Donor from "../../src/domain/giving/Donor.ts"
import { firstDay, lastDay } from "../../src/domain/kernel/CalendarDate.ts"
import { DonorId, idPrefixes, OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { type ListSpec, parse } from "../../src/domain/kernel/Listing.ts"
import { CapStore, DeliveryStore, DisclosureStore, DonorStore, IdempotencyStore } from "../../src/ports.ts"
import { at } from "../../src/testing/conformance/Records.ts"
import { fieldsOf } from "../support/Answer.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { withLayer } from "../support/Steps.ts"
import { type Node, planOf } from "./ListPlans.ts"
import { storesOn } from "./PostgresStores.ts"

const id = (prefix: string, n: number) => `${prefix}_01h2xcejqtf2nbrexx3v${String(n).padStart(6, "0")}`
const organisation = OrganisationId.make(id(idPrefixes.organisation, 1))

/** Rows of one large tenant; their numbers are the digits of their ids, 1 the newest. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const digits = sql.literal("'_01h2xcejqtf2nbrexx3v' || lpad(g::text, 6, '0')")
  yield* sql`
    INSERT INTO organisations
    VALUES (${organisation}, 's', 'n', false, 'UTC', 'AUD', NULL, NULL, 'FREE', '{}', now(), now())`
  yield* sql`
    INSERT INTO donors (organisation_id, id, donor_type, email, country, do_not_contact, profile_revision, created_at,
      updated_at, email_key, last_name_key)
    SELECT ${organisation}, 'dnr' || ${digits}, CASE WHEN g % 200 = 0 THEN 'TRUST' ELSE 'INDIVIDUAL' END, 'e' || g || '@x.org',
      'AU', false, 1, now() - g * interval '1 minute', now() + g * interval '1 minute', 'e' || g || '@x.org', 'name' || g % 999
    FROM generate_series(1, 4000) AS g`
  yield* sql`
    INSERT INTO donor_words (organisation_id, donor_id, word)
    SELECT organisation_id, id, word FROM donors, unnest(ARRAY[email, last_name_key, 'common']) AS word`
  yield* sql`
    INSERT INTO revenue_codes (organisation_id, id, code, code_key, namespace, is_fca, created_at, updated_at)
    SELECT ${organisation}, 'rev' || ${digits}, 'c' || g, 'c' || g, 'INTERNAL', false, now() - g * interval '1 minute', now()
    FROM generate_series(1, 2000) AS g`
  yield* sql`
    INSERT INTO donations (organisation_id, id, donor_id, source, status, amount_cents, refunded_amount_cents, currency,
      donation_type, donation_date, donation_day, revenue_code_id, campaign_id, is_recurring, consent_responses, created_at,
      updated_at)
    SELECT ${organisation}, 'don' || ${digits}, 'dnr_01h2xcejqtf2nbrexx3v' || lpad((1 + g % 4000)::text, 6, '0'),
      CASE WHEN g % 500 = 0 THEN 'GATEWAY' ELSE 'MANUAL' END, CASE WHEN g % 300 = 0 THEN 'FAILED' ELSE 'CONFIRMED' END,
      1 + g % 3000, 0, CASE WHEN g % 400 = 0 THEN 'NZD' ELSE 'AUD' END,
      CASE WHEN g % 600 = 0 THEN 'IN_KIND' ELSE 'MONETARY' END, now(), now()::date - g % 365,
      CASE WHEN g % 100 = 0 THEN 'rev_01h2xcejqtf2nbrexx3v000001' END,
      CASE WHEN g % 150 = 0 THEN 'cmp_01h2xcejqtf2nbrexx3v000001' END, g % 250 = 0, '[]', now() - g * interval '1 minute',
      now()
    FROM generate_series(1, 12000) AS g`
  yield* sql`
    INSERT INTO pending_deliveries (organisation_id, id, endpoint_id, event_id, event_type, attempt_count, next_attempt_at,
      created_at, updated_at)
    SELECT ${organisation}, 'dlv' || ${digits}, 'whe_01h2xcejqtf2nbrexx3v00000' || g % 4, 'evt' || ${digits}, 'donor.created', 0,
      ${new Date(at(0).epochMilliseconds)}::timestamptz + g * interval '1 second', now(), now()
    FROM generate_series(1, 8000) AS g`
  yield* sql`
    INSERT INTO events (organisation_id, id, type, occurred_at, created_at, body)
    SELECT organisation_id, event_id, event_type, created_at, created_at, '{}' FROM pending_deliveries`
  yield* sql`
    INSERT INTO finished_deliveries (organisation_id, id, endpoint_id, event_id, event_type, status, attempt_count,
      created_at, updated_at, completed_at)
    SELECT organisation_id, id, endpoint_id, event_id, event_type, 'DELIVERED', 1, created_at, updated_at, next_attempt_at
    FROM pending_deliveries`
  yield* sql`
    INSERT INTO delivery_attempts (organisation_id, delivery_id, number, attempted_at)
    SELECT organisation_id, id, 1, completed_at FROM finished_deliveries`
  yield* sql`
    INSERT INTO idempotency_records (organisation_id, scope, body_hash, created_at)
    SELECT organisation_id, id, 'hash', completed_at FROM finished_deliveries`
  yield* sql`
    INSERT INTO payments (organisation_id, id, payment_status, currency, total_amount_cents, payment_method_type,
      platform_fee_cents, processor_fee_cents, created_at, updated_at, payer_email_key)
    SELECT ${organisation}, 'pay' || ${digits}, 'PENDING', 'AUD', 1, 'card', 0, 0, now(), now(), 'e' || g || '@x.org'
    FROM generate_series(1, 8000) AS g`
  yield* sql`ANALYZE`
})

const query = (spec: ListSpec, text: string) => Result.getOrThrow(parse(spec, new URLSearchParams(text)))

const uses = (plan: ReadonlyArray<Node>, index: string, text: string) => {
  const types = plan.map(({ type }) => type)
  const indexes = plan.flatMap((node) => node.index ?? [])
  const seen = `${text}: ${JSON.stringify(plan)}`
  assert.include(indexes, index, seen)
  assert.notInclude(types, "Seq Scan", seen)
  assert.notInclude(types, "Sort", seen)
}

const filled = Layer.effectDiscard(Effect.orDie(fill)).pipe(Layer.provideMerge(storesOn(layerFresh)))

withLayer(filled, { excludeTestServices: true })("the indexes", ({ effect }) => {
  effect("of donors answer a search for a common word in their order", function* () {
    const store = yield* DonorStore
    const text = "search=com"
    uses(yield* planOf(store.list(organisation, query(Donor.listing, text))), "donors_created", text)
  })

  effect("of assessed gifts lead to the donor's of the period", function* () {
    const store = yield* DisclosureStore
    const donor = DonorId.make(id("dnr", 100))
    const plan = yield* planOf(store.giftsOf(organisation, donor, firstDay, lastDay))
    const indexes = plan.flatMap((node) => node.index ?? [])
    assert.include(indexes, "donations_assessed", JSON.stringify(plan))
  })

  effect("of payments under way lead to those of the one who gives", function* () {
    const store = yield* CapStore
    const plan = yield* planOf(store.pendingGifts(organisation, { donor_id: null, email: "e7@x.org" }))
    const indexes = plan.flatMap((node) => node.index ?? [])
    assert.includeMembers(indexes, ["payments_payer", "payments_link_donor"], JSON.stringify(plan))
    const scans = plan.filter(({ table, type }) => table === "payments" && type === "Seq Scan")
    assert.deepStrictEqual(scans, [], JSON.stringify(plan))
  })

  effect("of what the sweeper forgets lead to the oldest, whoever's they are", function* () {
    const [deliveries, answers] = [yield* DeliveryStore, yield* IdempotencyStore]
    uses(yield* planOf(deliveries.trim(at(60), 10)), "finished_deliveries_ended", "deliveries")
    uses(yield* planOf(answers.forget(at(60), 10)), "idempotency_records_made", "answers")
  })

  effect("of donors whose words are to be made anew lead to no others", function* () {
    const store = yield* DonorStore
    uses(yield* planOf(store.reindex(200)), "donors_words_stale", "stale")
    const sql = yield* SqlClient.SqlClient
    const settled = Effect.gen(function* () {
      yield* sql`UPDATE donors SET words_revision = profile_revision WHERE organisation_id = ${organisation}`
      uses(yield* planOf(store.reindex(200)), "donors_words_stale", "none stale")
      return yield* Effect.fail("undo")
    })
    yield* Effect.exit(sql.withTransaction(settled))
  })

  effect("of words lead to the few donors that a rare word names", function* () {
    const store = yield* DonorStore
    const plan = yield* planOf(store.list(organisation, query(Donor.listing, "search=e777")))
    const indexes = plan.flatMap((node) => node.index ?? [])
    assert.includeMembers(indexes, ["donor_words_word", "donors_pkey"], JSON.stringify(plan))
  })

  effect(
    "of pending deliveries lead a claim, and the look for what is due next, to each endpoint's first",
    function* () {
      const store = yield* DeliveryStore
      const claim = store.claim({
        lease_id: "lease",
        lease_millis: 20_000,
        limit: 50,
        endpoints: { known: new Map(), others: 8 },
        organisations: { known: new Map(), others: 50 }
      })
      for (const plan of [yield* planOf(claim), yield* planOf(store.untilDue)]) {
        const scans = plan.filter(({ index, type }) => type === "Seq Scan" && index === undefined)
        assert.deepStrictEqual(scans, [], JSON.stringify(plan))
        assert.include(fieldsOf(plan, "index"), "pending_deliveries_free")
      }
    }
  )
})
