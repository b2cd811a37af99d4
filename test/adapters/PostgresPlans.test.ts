import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Predicate, Result } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as Donation from "../../src/domain/Donation.ts"
import * as Donor from "../../src/domain/Donor.ts"
import { idPrefixes, OrganisationId } from "../../src/domain/Ids.ts"
import { type ListSpec, parse } from "../../src/domain/Listing.ts"
import { DeliveryStore } from "../../src/ports/DeliveryStore.ts"
import { DonationStore } from "../../src/ports/DonationStore.ts"
import { DonorStore } from "../../src/ports/DonorStore.ts"
import { at } from "../../src/testing/conformance/Records.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
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

const query = (spec: ListSpec, text: string) => Result.getOrThrow(parse(spec, new URLSearchParams(text)))

const uses = (plan: ReadonlyArray<Node>, index: string, text: string) => {
  const types = plan.map(({ type }) => type)
  const indexes = plan.flatMap((node) => node.index ?? [])
  const seen = `${text}: ${JSON.stringify(plan)}`
  assert.include(indexes, index, seen)
  assert.notInclude(types, "Seq Scan", seen)
  assert.notInclude(types, "Sort", seen)
}

const donationPlans = {
  "": "donations_created",
  "limit=100": "donations_created",
  "status=FAILED": "donations_status",
  "status[in]=CONFIRMED,FAILED": "donations_created",
  [`donor_id=${id("dnr", 7)}`]: "donations_donor",
  "source=GATEWAY": "donations_source",
  "currency=NZD": "donations_currency",
  "amount_cents=77": "donations_amount",
  "donation_type=IN_KIND": "donations_in_kind",
  "revenue_code_id=rev_01h2xcejqtf2nbrexx3v000001": "donations_revenue_code_id",
  "campaign_id=cmp_01h2xcejqtf2nbrexx3v000001": "donations_campaign_id",
  "is_recurring=true": "donations_recurring",
  "status[in]=CONFIRMED,FAILED&created_at[lt]=2020-01-01": "donations_created",
  [`starting_after=${id("don", 11900)}`]: "donations_created",
  [`status=FAILED&starting_after=${id("don", 11900)}`]: "donations_status"
}

const donorPlans = {
  "": "donors_created",
  "archived=true": "donors_created",
  "sort=last_name": "donors_last_name",
  "sort=-last_name": "donors_last_name",
  "sort=updated_at": "donors_updated",
  "donor_type=TRUST": "donors_type",
  "email=E77@X.org": "donors_email",
  "search=com": "donors_created",
  [`starting_after=${id("dnr", 3900)}`]: "donors_created",
  [`sort=last_name&starting_after=${id("dnr", 3900)}`]: "donors_last_name"
}

const filled = Layer.effectDiscard(Effect.orDie(fill)).pipe(Layer.provideMerge(storesOn(layerFresh)))

layer(filled, { excludeTestServices: true })("the indexes", (it) => {
  for (const [text, index] of Object.entries(donationPlans)) {
    it.effect(`of donations answer "${text}" in their order`, () =>
      Effect.gen(function* () {
        const store = yield* DonationStore
        uses(yield* planOf(store.list(organisation, query(Donation.listing, text))), index, text)
      })
    )
  }

  for (const [text, index] of Object.entries(donorPlans)) {
    it.effect(`of donors answer "${text}" in their order`, () =>
      Effect.gen(function* () {
        const store = yield* DonorStore
        uses(yield* planOf(store.list(organisation, query(Donor.listing, text))), index, text)
      })
    )
  }

  it.effect("of words lead to the few donors that a rare word names", () =>
    Effect.gen(function* () {
      const store = yield* DonorStore
      const plan = yield* planOf(store.list(organisation, query(Donor.listing, "search=e777")))
      const indexes = plan.flatMap((node) => node.index ?? [])
      assert.includeMembers(indexes, ["donor_words_word", "donors_pkey"], JSON.stringify(plan))
    })
  )

  it.effect("of pending deliveries lead a claim, and the look for what is due next, to each endpoint's first", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const claim = store.claim({
        now: at(60),
        lease_id: "lease",
        lease_until: at(80),
        limit: 50,
        per_endpoint: 8,
        room: new Map()
      })
      for (const plan of [yield* planOf(claim), yield* planOf(store.nextDue)]) {
        const scans = plan.filter(({ index, type }) => type === "Seq Scan" && index === undefined)
        assert.deepStrictEqual(scans, [], JSON.stringify(plan))
        assert.include(
          plan.map(({ index }) => index),
          "pending_deliveries_free"
        )
      }
    })
  )
})
