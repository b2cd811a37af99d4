import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { ruleOf, toRow } from "../../src/adapters/postgres/records/Rows.ts"
import { operators, type Scalar } from "../../src/domain/kernel/Comparison.ts"
import { at, holds, type Rule, type TimedRule } from "../../src/domain/kernel/Rule.ts"
import * as domain from "../../src/internal.ts"
import { ApiKeyStore, CheckoutLinkStore, IntroductionStore } from "../../src/ports.ts"
import { forAll } from "../../src/testing/conformance/Suite.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { withLayer } from "../support/Steps.ts"
import { genericPlanOf } from "./ListPlans.ts"
import { storesOn } from "./PostgresStores.ts"

const noon = DateTime.makeUnsafe("2026-03-01T12:00:00.000Z")
const noonMillis = DateTime.toEpochMillis(noon)

/** Instants about one, on it and next to it among them. */
const near = (millis: number) => fc.integer({ min: -3, max: 3 }).map((offset) => DateTime.makeUnsafe(millis + offset))

/** Rules over the columns `name`, `size`, `ready`, `made_at` and `sent_at`, of every operator that a list has for their types. */
const texts = fc.constantFrom("", "a", "A", "it's", 'a"b', "\\", "%", "\u{1f381}")
const sizes = fc.integer({ min: -2, max: 2 })
const instants = near(noonMillis)

const compared = (column: string, type: "text" | "integer" | "boolean" | "timestamp", values: fc.Arbitrary<Scalar>) => {
  const taken = type === "text" || type === "boolean" ? (["eq", "in", "not_in"] as const) : operators
  return fc
    .record({ operator: fc.constantFrom(...taken), values: fc.array(values, { maxLength: 3 }) })
    .map((given): Rule => ({ _tag: "Compared", column, type, ...given }))
}

const { rule: rules } = fc.letrec<{ rule: TimedRule }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3 },
    compared("name", "text", texts),
    compared("size", "integer", sizes),
    compared("ready", "boolean", fc.boolean()),
    compared("made_at", "timestamp", instants.map(DateTime.toEpochMillis)),
    fc.record({
      _tag: fc.constant("Given" as const),
      column: fc.constantFrom("name", "size", "ready", "made_at"),
      given: fc.boolean()
    }),
    fc.record({
      _tag: fc.constant("Passed" as const),
      column: fc.constant("made_at"),
      millis: fc.integer({ min: -2, max: 2 }),
      passed: fc.boolean()
    }),
    fc.record({
      _tag: fc.constant("Spans" as const),
      from: fc.constantFrom("made_at", "sent_at"),
      to: fc.constantFrom("made_at", "sent_at"),
      millis: fc.integer({ min: -2, max: 2 })
    }),
    fc.record({
      _tag: fc.constantFrom("Every" as const, "Some" as const),
      rules: fc.array(tie("rule"), { maxLength: 3 })
    })
  )
}))

type Row = Readonly<Record<string, unknown>>

const rows: fc.Arbitrary<ReadonlyArray<Row>> = fc.array(
  fc.record({
    name: fc.option(texts),
    size: fc.option(sizes),
    ready: fc.option(fc.boolean()),
    made_at: fc.option(instants),
    sent_at: fc.option(instants)
  }),
  { minLength: 1, maxLength: 12 }
)

const json = (records: ReadonlyArray<Row>): string => JSON.stringify(records.map(toRow))

/** Whether a rule holds for each of some rows, as SQL says it. */
const inSql = Effect.fnUntraced(function* (rule: Rule, records: ReadonlyArray<Row>, table?: string) {
  const sql = yield* SqlClient.SqlClient
  const source =
    table === undefined
      ? sql`jsonb_to_recordset(${json(records)}::jsonb) AS (name text, size int8, ready boolean, made_at timestamptz,
          sent_at timestamptz)`
      : sql`jsonb_populate_recordset(NULL::${sql(table)}, ${json(records)}::jsonb)`
  const found = yield* sql<{ readonly is_met: boolean }>`
    SELECT coalesce(${ruleOf(sql, rule, "t")}, FALSE) AS is_met
    FROM ROWS FROM (${source}) WITH ORDINALITY AS t ORDER BY t.ordinality`.unprepared
  return found.map(({ is_met }) => is_met)
}, Effect.orDie)

const tags: ReadonlySet<unknown> = new Set(["Compared", "Given", "Passed", "Spans", "Every", "Some"])

const isRule = (value: unknown): value is TimedRule =>
  typeof value === "object" && value !== null && "_tag" in value && tags.has(value._tag)

/** Every rule that a record exports, as `Record.rule`. */
const exported: ReadonlyArray<readonly [name: string, rule: TimedRule]> = Object.entries(domain).flatMap(
  ([namespace, members]) =>
    Object.entries(members).flatMap(([name, member]: readonly [string, unknown]) =>
      isRule(member) ? [[`${namespace}.${name}`, member] as const] : []
    )
)

/** The tables whose rows the rules are asked of, and what is asked of another table than its record's. */
const tables: Readonly<Record<string, string>> = {
  ApiKey: "api_keys",
  Campaign: "donations",
  "Campaign.settledPayment": "payments",
  Charge: "charges",
  "Charge.undistributedRule": "payment_allocations",
  "Charge.distributedRule": "payment_allocations",
  CheckoutLink: "checkout_links",
  ConsumedEvent: "consumed_events",
  ContactLog: "contact_logs",
  Assessment: "donations",
  DefaultCode: "donations",
  Disclosure: "disclosures",
  Dispute: "disputes",
  Invoice: "invoices",
  Subscription: "subscriptions",
  Delivery: "webhook_deliveries",
  Donation: "donations",
  Disagreement: "transfer_attempts",
  "Disagreement.settledRule": "payments",
  Idempotency: "idempotency_records",
  Integration: "integrations",
  Intelligence: "donor_scores",
  "Intelligence.actionable": "donors",
  Introduction: "introductions",
  Listing: "donors",
  Mail: "mails",
  Membership: "memberships",
  Payment: "payments",
  PaymentException: "payment_exceptions",
  PendingGift: "donations",
  RecipientAccount: "recipient_accounts",
  RecommendationSet: "recommendation_sets",
  Refund: "refunds",
  WebhookEndpoint: "webhook_endpoints",
  YearlySummary: "donations",
  "YearlySummary.readerRule": "donors"
}

const tableOf = (name: string): string =>
  tables[name] ?? tables[name.split(".")[0] ?? ""] ?? assert.fail(`${name} has no table`)

/** For each column that a rule reads, what it compares it with: instants, values, or nothing but null. */
interface Column {
  readonly column: string
  readonly type: string
  readonly values: ReadonlyArray<Scalar>
}

const columnsOf = (rule: TimedRule): ReadonlyArray<Column> => {
  switch (rule._tag) {
    case "Compared":
      return [rule]
    case "Passed":
      return [{ column: rule.column, type: "timestamp", values: [noonMillis - rule.millis] }]
    case "Given":
      return [{ column: rule.column, type: "unknown", values: [] }]
    case "Spans":
      return [
        { column: rule.from, type: "timestamp", values: [noonMillis] },
        { column: rule.to, type: "timestamp", values: [noonMillis + rule.millis] }
      ]
    default:
      return rule.rules.flatMap(columnsOf)
  }
}

/** Values of a column on either side of everything that a rule compares it with. */
const valuesOf = (columns: ReadonlyArray<Column>, type: string): fc.Arbitrary<unknown> => {
  const about = columns.flatMap(({ values }) => values)
  switch (type) {
    case "boolean":
      return fc.boolean()
    case "integer":
      return fc.oneof(...about.map((value) => fc.integer({ min: Number(value) - 1, max: Number(value) + 1 })))
    case "timestamp with time zone":
      return about.length === 0 ? near(noonMillis) : fc.oneof(...about.map((value) => near(Number(value))))
    default:
      return fc.constantFrom(...about, "something else")
  }
}

const typesOf = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ readonly column_name: string; readonly data_type: string }>`
    SELECT column_name, data_type FROM information_schema.columns WHERE table_name = ${table}`
  return new Map(found.map(({ column_name, data_type }) => [column_name, data_type]))
}, Effect.orDie)

/** Records as far as a rule reads them, with nulls. */
const recordsFor = (rule: TimedRule, types: ReadonlyMap<string, string>): fc.Arbitrary<Row> => {
  const names = [...new Set(columnsOf(rule).map(({ column }) => column))]
  return fc.record(
    Object.fromEntries(
      names.map((name) => {
        const type = types.get(name) ?? assert.fail(`there is no column ${name}`)
        const own = columnsOf(rule).filter(({ column }) => column === name)
        return [name, fc.option(valuesOf(own, type), { freq: 4 })]
      })
    )
  )
}

const database = storesOn(layerFresh).pipe(Layer.orDie)

withLayer(database, { excludeTestServices: true })("a rule as SQL says it", ({ effect, it }) => {
  it.effect("is the rule as the domain says it, whatever it is made of", () =>
    forAll(
      150,
      fc.tuple(rules, rows),
      Effect.fnUntraced(function* ([rule, records]) {
        const now = at(rule, noon)
        const expected = records.map((record) => holds(now, record))
        assert.deepStrictEqual(yield* inSql(now, records), expected, JSON.stringify(rule))
      })
    )
  )

  for (const [name, rule] of exported) {
    effect(`holds for the same rows: ${name}`, function* () {
      const table = tableOf(name)
      const seen = new Set<boolean>()
      yield* forAll(
        40,
        fc.array(recordsFor(rule, yield* typesOf(table)), { minLength: 20, maxLength: 40 }),
        Effect.fnUntraced(function* (records) {
          const now = at(rule, noon)
          const expected = records.map((record) => holds(now, record))
          for (const each of expected) seen.add(each)
          assert.deepStrictEqual(yield* inSql(now, records, table), expected)
        })
      )
      assert.strictEqual(seen.size, 2, "the rule was met from one side only")
    })
  }
})

type Stores = ApiKeyStore | CheckoutLinkStore | IntroductionStore

/** Reads that ask a rule, and the index that is made for it, whatever their parameters are. */
const led: Readonly<Record<string, readonly [index: string, read: Effect.Effect<unknown, unknown, Stores>]>> = {
  "introductions whose time ran out": [
    "introductions_expiring",
    IntroductionStore.use((store) => store.expirable(noon, 10, []))
  ],
  "checkout links whose time ran out": [
    "checkout_links_expiring",
    CheckoutLinkStore.use((store) => store.expirable(noon, 10, []))
  ],
  "keys that are not revoked": ["api_keys_secret_hash", ApiKeyStore.use((store) => store.findActive("hash"))]
}

withLayer(database, { excludeTestServices: true })("a rule that an index is made for", ({ effect }) => {
  for (const [what, [index, read]] of Object.entries(led)) {
    effect(`leads to it: ${what}`, function* () {
      const sql = yield* SqlClient.SqlClient
      const planned = Effect.andThen(sql`SET LOCAL enable_seqscan = off`, genericPlanOf(read))
      const plan = yield* sql.withTransaction(planned)
      assert.include(
        plan.map((node) => node.index),
        index,
        JSON.stringify(plan)
      )
    })
  }
})
