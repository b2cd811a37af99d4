import { assert } from "@effect/vitest"
import { type Context, Effect, Layer, Result } from "effect"
import type { SqlClient } from "effect/sql"
import type { OperationName } from "../../src/app/Operations.ts"
import { idPrefixes, OrganisationId } from "../../src/domain/kernel/Ids.ts"
import { type ListQuery, type ListSpec, operatorsOf, parse, within } from "../../src/domain/kernel/Listing.ts"
import { DisclosureStore } from "../../src/ports/compliance/DisclosureStore.ts"
import { CheckoutLinkStore } from "../../src/ports/giving/CheckoutLinkStore.ts"
import { ContactLogStore } from "../../src/ports/giving/ContactLogStore.ts"
import { DonationFormStore } from "../../src/ports/giving/DonationFormStore.ts"
import { DonationStore } from "../../src/ports/giving/DonationStore.ts"
import { DonorStore } from "../../src/ports/giving/DonorStore.ts"
import { RefundStore } from "../../src/ports/giving/RefundStore.ts"
import { RevenueCodeStore } from "../../src/ports/giving/RevenueCodeStore.ts"
import { CampaignStore } from "../../src/ports/insight/CampaignStore.ts"
import { DeliveryStore } from "../../src/ports/outbox/DeliveryStore.ts"
import { Outbox } from "../../src/ports/outbox/Outbox.ts"
import { WebhookEndpointStore } from "../../src/ports/outbox/WebhookEndpointStore.ts"
import { InvoiceStore } from "../../src/ports/payments/InvoiceStore.ts"
import { SubscriptionStore } from "../../src/ports/payments/SubscriptionStore.ts"
import { IntroductionStore } from "../../src/ports/sharing/IntroductionStore.ts"
import { PaymentStore } from "../../src/ports/sharing/PaymentStore.ts"
import { RecipientAccountStore } from "../../src/ports/sharing/RecipientAccountStore.ts"
import { RecommendationSetStore } from "../../src/ports/sharing/RecommendationSetStore.ts"
import { guardedOperations } from "../support/Declaration.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { withLayer } from "../support/Steps.ts"
import type { StorePorts } from "../support/Stores.ts"
import { genericPlanOf, type Node, planOf } from "./ListPlans.ts"
import { type Choices, fillAll, indexesOf, rowCount } from "./ListTables.ts"
import { storesOn } from "./PostgresStores.ts"

const organisation = OrganisationId.make(`${idPrefixes.organisation}_01h2xcejqtf2nbrexx3v000001`)

interface List {
  readonly tables: ReadonlyArray<string>
  /** The column of the record that it is a list of. */
  readonly within?: string
  /** Filters without an index, and why none is needed. */
  readonly unindexed?: Readonly<Record<string, string>>
  readonly ask: (query: ListQuery) => Effect.Effect<unknown, unknown, StorePorts | SqlClient.SqlClient>
}

interface Listable {
  readonly list: (organisation: OrganisationId, query: ListQuery) => Effect.Effect<unknown, unknown>
}

const listOf =
  <I extends StorePorts, S extends Listable>(port: Context.Service<I, S>): List["ask"] =>
  (query) =>
    port.use((store) => store.list(organisation, query))

const ofDonor = "one donor has few entries"

const lists: Partial<Record<OperationName, List>> = {
  "donors.list": { tables: ["donors"], ask: listOf(DonorStore) },
  "contact_logs.list": {
    tables: ["contact_logs"],
    within: "donor_id",
    unindexed: { contact_method: ofDonor, follow_up_open: ofDonor },
    ask: listOf(ContactLogStore)
  },
  "donations.list": { tables: ["donations"], ask: listOf(DonationStore) },
  "donations.list_refunds": {
    tables: ["refunds"],
    within: "donation_id",
    unindexed: { status: "one gift has few refunds" },
    ask: listOf(RefundStore)
  },
  "revenue_codes.list": { tables: ["revenue_codes"], ask: listOf(RevenueCodeStore) },
  "forms.list": { tables: ["donation_forms"], ask: listOf(DonationFormStore) },
  "checkout_links.list": { tables: ["checkout_links"], ask: listOf(CheckoutLinkStore) },
  "recommendation_sets.list": { tables: ["recommendation_sets"], ask: listOf(RecommendationSetStore) },
  "recommendation_sets.list_payments": {
    tables: ["payments"],
    within: "recommendation_set_id",
    ask: listOf(PaymentStore)
  },
  "recipient_accounts.list": { tables: ["recipient_accounts"], ask: listOf(RecipientAccountStore) },
  "introductions.list": { tables: ["introductions"], ask: listOf(IntroductionStore) },
  "campaigns.list": { tables: ["campaigns"], ask: listOf(CampaignStore) },
  "webhook_endpoints.list": {
    tables: ["webhook_endpoints"],
    unindexed: { is_active: "an organisation has twenty endpoints at most" },
    ask: listOf(WebhookEndpointStore)
  },
  "webhook_deliveries.list": { tables: ["finished_deliveries", "pending_deliveries"], ask: listOf(DeliveryStore) },
  "subscriptions.list": { tables: ["subscriptions"], ask: listOf(SubscriptionStore) },
  "subscriptions.list_invoices": {
    tables: ["invoices"],
    within: "subscription_id",
    unindexed: { status: "one recurring gift has few invoices" },
    ask: listOf(InvoiceStore)
  },
  "disclosures.list": {
    tables: ["disclosures"],
    ask: listOf(DisclosureStore)
  },
  "events.list": { tables: ["events"], ask: listOf(Outbox) }
}

/** A view that groups an organisation's linked accounts: it reads them all, and they are as few as its partners. */
const grouped: OperationName = "organisations.list"

const samples = {
  boolean: ["true", "false"],
  day: ["2026-01-10", "2026-01-10T00:00:00Z"],
  integer: ["77"],
  text: ["AUD", "dnr_01h2xcejqtf2nbrexx3v000001"],
  timestamp: ["2026-01-10T00:00:00Z"]
} as const

/** A record near the end of each list. */
const farId = `id${String(rowCount - 100).padStart(6, "0")}`

/** Every query with one filter, with each of its operators. */
const queriesOf = (spec: ListSpec): ReadonlyArray<string> =>
  Object.entries(spec.filters).flatMap(([name, dimension]) => {
    const values = dimension.kind === "enum" ? (dimension.values ?? []) : samples[dimension.kind]
    return operatorsOf(dimension).flatMap((operator) =>
      values.slice(0, 2).map((value) => `${name}[${operator}]=${encodeURIComponent(value)}`)
    )
  })

const sortsOf = (spec: ListSpec): ReadonlyArray<string> =>
  Object.keys(spec.sorts ?? {}).flatMap((name) => [`sort=${name}`, `sort=-${name}`])

/** Deliveries wait for a day at most, and each one would pay for the index. */
const waiting = "pending_deliveries"

const sorts = new Set(["Sort", "Hash", "HashAggregate"])

/** No table is read whole, and no more than a twentieth of the tenant is put in order. */
const assertGood = (plan: ReadonlyArray<Node>, told: string): void => {
  const seen = `${told}: ${JSON.stringify(plan)}`
  assert.isAbove(plan.length, 0, seen)
  for (const { rows, table, type } of plan) {
    if (table !== waiting) assert.notStrictEqual(type, "Seq Scan", seen)
    if (sorts.has(type)) assert.isBelow(rows, rowCount / 20, seen)
  }
}

const every = Object.entries(lists).flatMap(([name, list]) => {
  const spec = guardedOperations.find(({ operation }) => operation === name)?.list
  return spec === undefined ? [] : [{ name, list, spec }]
})

const choicesOf = (spec: ListSpec): Choices =>
  Object.fromEntries(
    Object.entries(spec.filters).flatMap(([name, { column, fold, values }]) =>
      values === undefined ? [] : [[column ?? name, values.map((value) => fold?.(value) ?? value)]]
    )
  )

const tables = new Map([
  ...every.flatMap(({ list, spec }) => list.tables.map((table) => [table, choicesOf(spec)] as const)),
  ["payment_allocations", {}],
  ["set_allocations", {}]
])
const filled = Layer.effectDiscard(Effect.orDie(fillAll(organisation, tables))).pipe(
  Layer.provideMerge(storesOn(layerFresh))
)

withLayer(filled, { excludeTestServices: true })("a large tenant", ({ effect, it }) => {
  it("has every list of the service", () => {
    const declared = guardedOperations.flatMap(({ list, operation }) => (list === undefined ? [] : [operation]))
    assert.sameMembers([...every.map(({ name }) => name), grouped], declared)
  })

  for (const { list, name, spec } of every) {
    const queryOf = (text: string): ListQuery => {
      const query = Result.getOrThrow(parse(spec, new URLSearchParams(text)))
      return list.within === undefined ? query : within(query, list.within, `${list.within}7`)
    }

    effect(`is never read whole nor sorted by ${name}, whichever filter there is`, function* () {
      const pages = ["", ...sortsOf(spec), ...queriesOf(spec)]
      for (const text of [...pages, ...pages.map((page) => `${page}&starting_after=${farId}`)]) {
        const asked = list.ask(queryOf(text))
        assertGood(yield* genericPlanOf(asked), `${name} ${text}, any parameters`)
        assertGood(yield* planOf(asked), `${name} ${text}`)
      }
    })

    effect(`has an index for each filter of ${name} by a value`, function* () {
      const [table = ""] = list.tables
      const indexes = yield* indexesOf(table)
      const start = ["organisation_id", ...(list.within === undefined ? [] : [list.within])]
      for (const [filter, dimension] of Object.entries(spec.filters)) {
        const column = dimension.column ?? dimension.dayColumn ?? filter
        const isInstant = dimension.kind === "timestamp" && column !== "created_at"
        if (isInstant || list.unindexed?.[filter] !== undefined) continue
        const leads = ({ columns, condition }: { columns: ReadonlyArray<string>; condition: string | null }) =>
          [...start, column].every((each, position) => columns[position] === each) ||
          (columns[0] === "organisation_id" && condition?.includes(column) === true) ||
          (columns[0] === "organisation_id" && columns[1] === column)
        assert.isTrue(indexes.some(leads), `${table} has no index for ${filter}`)
      }
    })
  }
})
