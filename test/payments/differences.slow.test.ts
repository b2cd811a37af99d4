import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { migrations0029 } from "../../src/adapters/postgres/migrations/0029_to_0047.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import * as PostgresStores from "../../src/adapters/postgres/Stores.ts"
import { Credits } from "../../src/app/payments/Credits.ts"
import { Ledger } from "../../src/app/payments/Ledger.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { dayOf } from "../../src/domain/kernel/CalendarDate.ts"
import type { Resolution } from "../../src/domain/payments/ExceptionResolution.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import type { SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { serviceOver } from "../support/Late.ts"
import { layerServer } from "../support/MigratedDatabase.ts"
import { numbers } from "../support/Numbers.ts"
import { renewNow } from "../support/RenewalRun.ts"
import { makeSharingSandbox, type SharingSandbox } from "../support/SharingSandbox.ts"
import { asOperator } from "../support/Tenant.ts"
import { instructionsOf } from "../support/Transfers.ts"

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
const paid = "purpose = 'donation' AND status = 'SUCCEEDED' AND method <> 'bank_transfer'"

const waiting = "charge_id IN (SELECT id FROM charges WHERE status = 'WAITING')"

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
  ["charge", "missing", `DELETE FROM charges WHERE ${paid}`, /record chg_\w+ and its entries/],
  ["gift", "changed", `UPDATE donations SET amount_cents = amount_cents + 1 WHERE ${own}`, /its gift/],
  ["gift", "missing", `DELETE FROM donations WHERE ${own}`, /its gift/],
  ["gift", "doubled", double("donations", own), /its gift/],
  ["refund", "changed", "UPDATE refunds SET amount_cents = 1 WHERE status = 'SUCCEEDED'", /what was refunded of it/],
  ["refund", "missing", "DELETE FROM refunds", /what was refunded of it/],
  ["refund", "doubled", double("refunds", "status = 'SUCCEEDED'"), /what was refunded of it/],
  ["refund", "changed", "UPDATE refunds SET status = 'FAILED' WHERE status = 'PENDING'", /account held/],
  ["refund", "missing", "DELETE FROM refunds WHERE status = 'PENDING'", /record rfd_\w+ and its/],
  ["refund", "missing", "DELETE FROM refunds WHERE status = 'FAILED'", /record rfd_\w+ and its/],
  ["refund", "doubled", double("refunds", "status = 'FAILED'"), /record rfd_\w+ and its/],
  ["dispute", "changed", "UPDATE disputes SET amount_cents = 1", /what of it is disputed/],
  ["dispute", "changed", "UPDATE disputes SET amount_cents = 1 WHERE status = 'WON'", /record dsp_\w+ and its entries/],
  [
    "dispute",
    "doubled",
    double("disputes", "status = 'WON'", ' || \'{"reference": "other", "fee_cents": null}\''),
    /record dsp_\w+ and its/
  ],
  ["dispute", "missing", "DELETE FROM disputes", /its fees|what of it is disputed/],
  ["dispute", "doubled", double("disputes", "true", ' || \'{"reference": "other"}\''), /its fees|disputed/],
  ["exception", "changed", "UPDATE payment_exceptions SET held_cents = 1 WHERE status = 'OPEN'", /account held/],
  ["exception", "missing", "DELETE FROM payment_exceptions", /account held/],
  ["exception", "doubled", double("payment_exceptions", "held_cents > 0"), /account held/],
  [
    "exception",
    "changed",
    "UPDATE payment_exceptions SET held_cents = 1 WHERE status = 'RESOLVED'",
    /record exc_\w+ and/
  ],
  ["exception", "missing", "DELETE FROM payment_exceptions WHERE status = 'RESOLVED'", /record exc_\w+ and its/],
  ["part of a payment", "changed", "UPDATE payment_allocations SET transfer_status = 'failed'", /transferred of it/],
  ["part of a payment", "missing", "DELETE FROM payment_allocations", /transferred of it/],
  [
    "part of a payment",
    "doubled",
    double("payment_allocations", "transfer_status = 'succeeded' AND net_amount_cents > 0"),
    /transferred of it/
  ],
  ["payment", "changed", "UPDATE payments SET total_amount_cents = 1", /its payment and the gifts of its recipients/],
  [
    "payment",
    "changed",
    "UPDATE payments SET payment_status = 'FAILED'",
    /its payment and the gifts of its recipients/
  ],
  ["payment", "missing", "DELETE FROM payments", /its payment and the gifts of its recipients/],
  [
    "payment",
    "doubled",
    double("payments", "payment_status = 'SUCCEEDED'"),
    /says that it is paid, and no charge paid it/
  ],
  ["transfer", "changed", "UPDATE transfer_attempts SET amount_cents = 1", /its transfers to recipients/],
  ["transfer", "changed", "UPDATE transfer_attempts SET status = 'FAILED'", /its transfers to recipients/],
  ["transfer", "missing", "DELETE FROM transfer_attempts WHERE status = 'SUCCEEDED'", /its transfers to recipients/],
  [
    "transfer",
    "doubled",
    double("transfer_attempts", "status = 'SUCCEEDED'", " || '{\"number\": 7}'"),
    /its transfers to recipients/
  ],
  [
    "reversal",
    "changed",
    "UPDATE transfer_attempts SET amount_cents = 1 WHERE reversed_id IS NOT NULL",
    /its transfers to recipients/
  ],
  ["reversal", "missing", "DELETE FROM transfer_attempts WHERE reversed_id IS NOT NULL", /its transfers to recipients/],
  [
    "reversal",
    "doubled",
    double("transfer_attempts", "reversed_id IS NOT NULL", " || '{\"number\": 7}'"),
    /its transfers to recipients/
  ],
  [
    "recipient's gift",
    "changed",
    `UPDATE donations SET amount_cents = 1 WHERE ${shared} AND status = 'CONFIRMED'`,
    /gifts of its recipients/
  ],
  ["recipient's gift", "changed", `UPDATE donations SET status = 'FAILED' WHERE ${shared}`, /gifts of its recipients/],
  ["recipient's gift", "missing", `DELETE FROM donations WHERE ${shared}`, /the gifts of its recipients/],
  ["recipient's gift", "doubled", double("donations", shared), /the gifts of its recipients/],
  ["invoice", "changed", "UPDATE invoices SET amount_cents = 1", /its invoice/],
  ["invoice", "changed", "UPDATE invoices SET status = 'OPEN'", /its invoice/],
  ["invoice", "changed", "UPDATE invoices SET donation_id = NULL", /its invoice/],
  [
    "invoice",
    "missing",
    "DELETE FROM invoices WHERE charge_id IN (SELECT id FROM charges WHERE purpose = 'donation')",
    /its invoice/
  ],
  [
    "invoice",
    "missing",
    "DELETE FROM invoices WHERE charge_id IN (SELECT id FROM charges WHERE purpose = 'invoice')",
    /its invoice/
  ],
  ["invoice", "doubled", double("invoices", "status = 'PAID'"), /invoices_due/],
  ["invoice", "doubled", double("invoices", "status = 'PAID'", ' || \'{"due_on": "2031-01-01"}\''), /its invoice/],
  ["gift of an invoice", "missing", `DELETE FROM donations WHERE ${repeated}`, /its invoice/],
  ["gift of an invoice", "doubled", double("donations", repeated), /its gift/],
  ["credit", "changed", "UPDATE credits SET amount_cents = amount_cents + 1", /record crd_\w+ and its entries/],
  [
    "credit",
    "changed",
    "UPDATE credits SET charge_id = NULL WHERE part_of IS NULL",
    /payments to a bank account that it/
  ],
  [
    "credit",
    "changed",
    "UPDATE credits SET charge_id = NULL WHERE part_of IS NOT NULL",
    /payments to a bank account that/
  ],
  ["credit", "missing", "DELETE FROM credits WHERE charge_id IS NOT NULL", /record crd_\w+ and its entries/],
  ["credit", "missing", "DELETE FROM credits WHERE charge_id IS NULL", /record crd_\w+ and its entries/],
  ["credit", "missing", `DELETE FROM credits WHERE ${waiting}`, /account unmatched has 1000/],
  ["credit", "doubled", double("credits", "charge_id IS NULL", " || '{\"number\": 7}'"), /record crd_\w+ and its/],
  ["credit", "doubled", double("credits", waiting, " || '{\"number\": 7}'"), /account unmatched has 1000/],
  [
    "part of a credit",
    "changed",
    "UPDATE credits SET amount_cents = 1 WHERE part_of IS NOT NULL",
    /payments to a bank/
  ],
  [
    "part of a credit",
    "missing",
    "DELETE FROM credits WHERE part_of IS NOT NULL",
    /payments to a bank account that it/
  ],
  [
    "part of a credit",
    "doubled",
    double("credits", "part_of IS NOT NULL", " || '{\"number\": 7}'"),
    /payments to a bank/
  ],
  [
    "gift of a credit",
    "changed",
    "UPDATE donations SET amount_cents = amount_cents - 1 WHERE credit_id IS NOT NULL",
    /record don_\w+ and its entries/
  ],
  [
    "gift of a credit",
    "missing",
    "DELETE FROM donations WHERE credit_id IS NOT NULL",
    /record don_\w+ and its entries/
  ],
  [
    "gift of a credit",
    "changed",
    "UPDATE donations SET credit_id = NULL WHERE credit_id IS NOT NULL",
    /record don_\w+ and its entries/
  ],
  ["exception of a gift", "doubled", double("payment_exceptions", "donation_id IS NOT NULL"), /record don_\w+ and its/],
  ["gift of a credit", "doubled", double("donations", "credit_id IS NOT NULL"), /record don_\w+ and its entries/],
  ["entry", "missing", "DELETE FROM ledger_entries WHERE from_account = 'donor'", refusedByDatabase],
  ["entry", "doubled", double("ledger_entries", "from_account = 'donor'"), /what was taken for it/],
  ["entry", "changed", "UPDATE ledger_entries SET amount_cents = 1 WHERE cause = 'transfer'", refusedByDatabase]
]

const service = serviceOver({ stores })

const account = { methods: ["card", "bank_transfer"] } as const

/** Lines of a bank: a gift paid in full, one in part, one paid twice by parts, and money that becomes a gift, and is kept. */
const transfers = async ({ giving, open }: SharingSandbox) => {
  const staff = asOperator(giving.tenant.organisation)
  const record = (amount_cents: number, text: string) => {
    const now = DateTime.makeUnsafe(service.clock.now)
    const line = { integration_id: giving.integration_id, day: dayOf(now, giving.tenant.organisation.timezone) }
    return service.run(staff(Credits.use((use) => use.record({ ...line, amount_cents, text }))))
  }
  const resolve = async (held_cents: number, resolution: Partial<Resolution>) => {
    const found = (await open()).find((each) => each.held_cents === held_cents) ?? assert.fail(`${held_cents}`)
    await service.run(staff(PaymentExceptions.use((use) => use.resolve(found.id, { note: "Known", ...resolution }))))
  }
  const gifts = await Promise.all(
    [1, 2, 3, 4].map(() => giving.submit({ method: "bank_transfer", payment_token: null }))
  )
  const [whole, part, ...pair] = gifts
  await record(5_000, whole === undefined ? "" : instructionsOf(whole).reference)
  await record(1_000, part === undefined ? "" : instructionsOf(part).reference)
  for (const cents of [10_000, 700, 800]) await record(cents, `no name ${cents}`)
  const charge_ids = await Promise.all(pair.map(async (gift) => (await giving.chargeOf(gift)).id))
  await resolve(10_000, { charge_ids })
  await resolve(700, { money: "kept" })
  const donor_id = (await giving.tenant.writer.post("/donors", { email: "eve@example.org" })).textAt("id")
  await resolve(800, { as_gift: true, donor_id })
  await giving.settle()
}

/** Money in every record that there is. */
const makeHistory = async () => {
  const sharing = await makeSharingSandbox(service, { own: account })
  const { giving, second } = sharing
  const refund = async (gift: SubmittedCheckout, amount_cents: number) => {
    const answer = await giving.tenant.writer.post(`/donations/${gift.donation_id}/refund`, { amount_cents })
    assert.strictEqual(answer.status, 200, answer.text)
  }
  await giving.submit({ frequency: "MONTHLY" })
  service.clock.advance(32 * 86_400_000)
  await service.run(renewNow(giving.tenant.organisation.id))
  const [refunded, back, later] = [
    await giving.submit(),
    await giving.submit(),
    await giving.submit({ payment_token: numbers.refundWaits })
  ]
  for (const gift of [refunded, back, later]) await refund(gift, 1_500)
  const [disputed, won] = [await giving.submit(), await giving.submit()]
  await sharing.give([2_000, 0])
  await giving.settle()
  await giving.distribute()
  const given = await giving.tenant.writer.post(`/recommendation-set-payments/${(await sharing.shown()).id}/refund`, {})
  assert.strictEqual(given.status, 200, given.text)
  await giving.distribute()
  await sharing.give([3_000, 0])
  await giving.settle()
  await giving.distribute()
  await sharing.setAccount(second, { transfers: "CLOSED" })
  await sharing.give([1_000, 2_000])
  await giving.settle()
  await giving.distribute()
  await giving.move(back, Bank.refundFailed)
  for (const gift of [disputed, won]) await giving.move(gift, (charge, now) => Bank.dispute(charge, 2_000, now))
  await giving.settle()
  await giving.move(won, Bank.disputeWon)
  await giving.settle()
  await transfers(sharing)
  await giving.balanced()
  return giving
}

it("the books tell of every record that money touches, when it is changed, missing or doubled", async () => {
  const giving = await makeHistory()
  const sql = opened ?? assert.fail("the database is not open")
  const faultsAfter = (change: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>) =>
    service.run(
      Effect.gen(function* () {
        yield* sql`SET LOCAL session_replication_role = replica`
        yield* sql`ALTER TABLE refunds ALTER COLUMN own_donation_id DROP EXPRESSION`
        yield* change
        const { data } = yield* Ledger.use(({ check }) => check)
        return yield* Effect.fail({ faults: data.flatMap(({ faults }) => faults) })
      }).pipe(sql.withTransaction, Effect.result, Effect.provideService(SqlClient.SqlClient, sql))
    )
  const missed: Array<string> = []
  for (const [kind, how, statement, says] of rows) {
    const found = await faultsAfter(sql.unsafe(statement))
    const failure = Result.isFailure(found) ? found.failure : assert.fail("nothing was undone")
    const told = "faults" in failure ? failure.faults.join(" ") : JSON.stringify(failure)
    if (!says.test(told)) missed.push(`${kind}, ${how}: ${statement}: ${told}`)
  }
  assert.deepStrictEqual(missed, [])
  const forgotten = Effect.andThen(
    sql`ALTER TABLE payment_exceptions DROP COLUMN donation_id`,
    migrations0029["0044_gifts_of_exceptions"]
  )
  assert.deepStrictEqual(await faultsAfter(forgotten), Result.fail({ faults: [] }))
  await giving.balanced()
})
