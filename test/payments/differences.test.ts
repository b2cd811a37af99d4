import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import * as PostgresStores from "../../src/adapters/postgres/Stores.ts"
import { Ledger } from "../../src/app/payments/Ledger.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { serviceOver } from "../support/Late.ts"
import { layerServer } from "../support/MigratedDatabase.ts"
import { makeSharingSandbox } from "../support/SharingSandbox.ts"

let opened: SqlClient.SqlClient | undefined

/** The stores on a server, whose client the test has, too. */
const stores = PostgresStores.layer.pipe(
  Layer.provide(Migrations.layer.pipe(Layer.orDie)),
  Layer.provide(
    Layer.tap(layerServer, (context) =>
      Effect.sync(() => {
        opened = Context.get(context, SqlClient.SqlClient)
      })
    )
  )
)

type Row = readonly [kind: string, how: "changed" | "missing" | "doubled", statement: string, says: RegExp]

/** A row of a table a second time, under another id. */
const double = (table: string, where: string, changed = ""): string =>
  `INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object('id', left(t.id, -3) || 'zzz')${changed})).*
   FROM ${table} AS t WHERE ${where} LIMIT 1`

const shared = "source = 'RECOMMENDATION_SET'"
const own = "charge_id IS NOT NULL AND subscription_id IS NULL"
const repeated = "subscription_id IS NOT NULL"
const paid = "purpose = 'donation' AND status = 'SUCCEEDED'"

/** What the database says of a change of what is written once. */
const refusedByDatabase = /23001/

/** What may be done to the record of each kind that money touches, and how the books tell of it. */
const rows: ReadonlyArray<Row> = [
  ["charge", "changed", `UPDATE charges SET status = 'FAILED' WHERE ${paid}`, /what was taken for it/],
  ["charge", "changed", `UPDATE charges SET amount_cents = amount_cents + 1 WHERE ${paid}`, /what was taken for it/],
  [
    "charge",
    "doubled",
    double("charges", paid, ' || \'{"reference": null, "submission_id": "018f6e7a-0000-7000-8000-999999999999"}\''),
    /what was taken for it/
  ],
  ["gift", "changed", `UPDATE donations SET amount_cents = amount_cents + 1 WHERE ${own}`, /its gift/],
  ["gift", "missing", `DELETE FROM donations WHERE ${own}`, /its gift/],
  ["gift", "doubled", double("donations", own), /its gift/],
  ["refund", "changed", "UPDATE refunds SET amount_cents = 1 WHERE status = 'SUCCEEDED'", /what was refunded of it/],
  ["refund", "missing", "DELETE FROM refunds", /what was refunded of it/],
  ["refund", "doubled", double("refunds", "status = 'SUCCEEDED'"), /what was refunded of it/],
  ["dispute", "changed", "UPDATE disputes SET amount_cents = 1", /what of it is disputed/],
  ["dispute", "missing", "DELETE FROM disputes", /its fees|what of it is disputed/],
  ["dispute", "doubled", double("disputes", "true", ' || \'{"reference": "other"}\''), /its fees|disputed/],
  ["exception", "changed", "UPDATE payment_exceptions SET held_cents = 1 WHERE status = 'OPEN'", /account held/],
  ["exception", "missing", "DELETE FROM payment_exceptions", /account held/],
  ["exception", "doubled", double("payment_exceptions", "held_cents > 0"), /account held/],
  ["part of a payment", "changed", "UPDATE payment_allocations SET transfer_status = 'failed'", /transferred of it/],
  ["part of a payment", "missing", "DELETE FROM payment_allocations", /transferred of it/],
  [
    "part of a payment",
    "doubled",
    double("payment_allocations", "transfer_status = 'succeeded' AND net_amount_cents > 0"),
    /transferred of it/
  ],
  ["payment", "missing", "DELETE FROM payments", /the gifts of its recipients/],
  ["transfer", "changed", "UPDATE transfer_attempts SET amount_cents = 1", /its transfers to recipients/],
  ["transfer", "changed", "UPDATE transfer_attempts SET status = 'FAILED'", /its transfers to recipients/],
  ["transfer", "missing", "DELETE FROM transfer_attempts WHERE status = 'SUCCEEDED'", /its transfers to recipients/],
  [
    "transfer",
    "doubled",
    double("transfer_attempts", "status = 'SUCCEEDED'", " || '{\"number\": 7}'"),
    /its transfers to recipients/
  ],
  ["recipient's gift", "changed", `UPDATE donations SET amount_cents = 1 WHERE ${shared}`, /gifts of its recipients/],
  ["recipient's gift", "changed", `UPDATE donations SET status = 'FAILED' WHERE ${shared}`, /gifts of its recipients/],
  ["recipient's gift", "missing", `DELETE FROM donations WHERE ${shared}`, /the gifts of its recipients/],
  ["recipient's gift", "doubled", double("donations", shared), /the gifts of its recipients/],
  ["invoice", "changed", "UPDATE invoices SET amount_cents = 1", /its invoice/],
  ["invoice", "changed", "UPDATE invoices SET status = 'OPEN'", /its invoice/],
  ["invoice", "changed", "UPDATE invoices SET donation_id = NULL", /its invoice/],
  ["gift of an invoice", "missing", `DELETE FROM donations WHERE ${repeated}`, /its invoice/],
  ["gift of an invoice", "doubled", double("donations", repeated), /its gift/],
  ["entry", "missing", "DELETE FROM ledger_entries WHERE from_account = 'donor'", refusedByDatabase],
  ["entry", "doubled", double("ledger_entries", "from_account = 'donor'"), /what was taken for it/],
  ["entry", "changed", "UPDATE ledger_entries SET amount_cents = 1 WHERE cause = 'transfer'", refusedByDatabase]
]

const service = serviceOver({ stores })

it("the books tell of every record that money touches, when it is changed, missing or doubled", async () => {
  const sharing = await makeSharingSandbox(service)
  const { giving, second } = sharing
  const refunded = await giving.submit()
  await giving.tenant.writer.post(`/donations/${refunded.donation_id}/refund`, { amount_cents: 1_500 })
  const disputed = await giving.submit()
  await giving.submit({ frequency: "MONTHLY" })
  await sharing.give([3_000, 0])
  await giving.settle()
  await giving.distribute()
  await sharing.setAccount(second, { transfers: "CLOSED" })
  await sharing.give([1_000, 2_000])
  await giving.settle()
  await giving.distribute()
  await giving.move(disputed, (charge, now) => Bank.dispute(charge, 2_000, now))
  await giving.settle()
  await giving.balanced()
  const sql = opened ?? assert.fail("the database is not open")
  const faultsAfter = (statement: string) =>
    service.run(
      Effect.gen(function* () {
        yield* sql`SET LOCAL session_replication_role = replica`
        yield* sql`ALTER TABLE refunds ALTER COLUMN own_donation_id DROP EXPRESSION`
        yield* sql.unsafe(statement)
        const { data } = yield* Ledger.use(({ check }) => check)
        return yield* Effect.fail({ faults: data.flatMap(({ faults }) => faults) })
      }).pipe(sql.withTransaction, Effect.result)
    )
  const missed: Array<string> = []
  for (const [kind, how, statement, says] of rows) {
    const found = await faultsAfter(statement)
    const failure = Result.isFailure(found) ? found.failure : assert.fail("nothing was undone")
    const told = "faults" in failure ? failure.faults.join(" ") : JSON.stringify(failure)
    if (!says.test(told)) missed.push(`${kind}, ${how}: ${statement}: ${told}`)
  }
  assert.deepStrictEqual(missed, [])
  await giving.balanced()
})
