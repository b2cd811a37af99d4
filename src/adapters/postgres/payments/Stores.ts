import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { plans } from "../../../domain/access/Plan.ts"
import { CreditId, type OrganisationId, SubscriptionId } from "../../../domain/kernel/Ids.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { CardGuard } from "../../../domain/payments/CardGuard.ts"
import { Credit } from "../../../domain/payments/Credit.ts"
import { Dispute } from "../../../domain/payments/Dispute.ts"
import { ImportedStatement } from "../../../domain/payments/ImportedStatement.ts"
import { Invoice, unendedRule } from "../../../domain/payments/Invoice.ts"
import { Mandate } from "../../../domain/payments/Mandate.ts"
import { PaymentException } from "../../../domain/payments/PaymentException.ts"
import { lastingRule, Subscription } from "../../../domain/payments/Subscription.ts"
import { Tariff } from "../../../domain/payments/Tariff.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { CardGuardStore } from "../../../ports/payments/CardGuardStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { DisputeStore } from "../../../ports/payments/DisputeStore.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { TariffStore } from "../../../ports/payments/TariffStore.ts"
import { readAside } from "../connection/DeferredTransaction.ts"
import { makeDonorReferences } from "../giving/DonorReferences.ts"
import { makeDueRecords } from "../records/FairQueue.ts"
import { findBy, makeRecords, readOrDie, rowFrom, rowsFrom, runOrDie, storeFrom, storeOf } from "../records/Records.ts"
import { integer, rowsOf, ruleOf } from "../records/Rows.ts"
import { makeManyUniqueRecords } from "../records/UniqueRecords.ts"

const credits = { rows: rowsOf(Credit, { amount_cents: integer, balance_cents: integer }), table: "credits" }

const creditNames = Object.keys(Credit.fields)

const statements = rowsOf(ImportedStatement)

const statementNames = statements.names.join(", ")

const readIds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: CreditId })))

/** Transactions that bring the same lines meet them in one order, and so never wait for each other in a ring. */
const inOrder = (credits: ReadonlyArray<Credit>): ReadonlyArray<Credit> =>
  credits.toSorted((a, b) => compareCodePoints(a.digest, b.digest) || a.number - b.number)

const insertCredits = (
  sql: SqlClient.SqlClient,
  organisation_id: OrganisationId,
  credits: ReadonlyArray<Credit>
) => sql`
  INSERT INTO credits (${sql.literal(creditNames.join(", "))})
  SELECT ${sql.literal(creditNames.map((name) => `n.${name}`).join(", "))}
  FROM ${rowsFrom(sql, "credits", inOrder(credits))} AS n
  WHERE n.organisation_id = ${organisation_id}
  ON CONFLICT DO NOTHING
  RETURNING id`

const creditStore = storeOf(CreditStore, (sql) => {
  const { find, findForUpdate, list, update } = makeRecords(sql, credits)
  return {
    find,
    findForUpdate,
    list,
    update,
    add: (organisation_id, credits) =>
      credits.length === 0
        ? Effect.succeed(new Set())
        : Effect.orDie(
            Effect.map(
              insertCredits(sql, organisation_id, credits),
              (added) => new Set(readIds(added).map(({ id }) => id))
            )
          ),
    ofDays: (organisation_id, { account, bank_ids, first, integration_id, last }) =>
      credits.rows.all(sql`
        SELECT ${sql.literal(credits.rows.columns("t"))} FROM credits AS t
        WHERE t.organisation_id = ${organisation_id}
          AND (t.account = ${account} OR t.integration_id = ${integration_id})
          AND (t.day BETWEEN ${first}::date AND ${last}::date OR t.bank_id = ANY(${[...bank_ids]}::text[]))
        ORDER BY t.day, t.id`),
    ofImport: findBy(sql, credits, "import_id"),
    keepStatement: (statement) =>
      runOrDie(sql`
        INSERT INTO imported_statements (${sql.literal(statementNames)})
        SELECT ${sql.literal(statementNames)}
        FROM ${rowFrom(sql, "imported_statements", statement)}
        ON CONFLICT (organisation_id, import_id) DO UPDATE SET
          integration_id = EXCLUDED.integration_id, account = EXCLUDED.account,
          first_day = EXCLUDED.first_day, last_day = EXCLUDED.last_day`),
    findStatement: (organisation_id, import_id) =>
      statements.first(sql`
        SELECT ${sql.literal(statements.columns("t"))} FROM imported_statements AS t
        WHERE t.organisation_id = ${organisation_id} AND t.import_id = ${import_id}`),
    dropStatement: (organisation_id, import_id) =>
      runOrDie(sql`
        DELETE FROM imported_statements
        WHERE organisation_id = ${organisation_id} AND import_id = ${import_id}`),
    statementsSince: (organisation_id, { account, day, integration_id }) =>
      statements.all(sql`
        SELECT ${sql.literal(statements.columns("t"))} FROM imported_statements AS t
        WHERE t.organisation_id = ${organisation_id} AND t.last_day >= ${day}::date
          AND (t.account = ${account} OR t.integration_id = ${integration_id})
        ORDER BY t.last_day DESC, t.import_id`),
    ofCharge: findBy(sql, credits, "charge_id")
  }
})

const disputes = { rows: rowsOf(Dispute, { amount_cents: integer, fee_cents: integer }), table: "disputes" }

const disputeStore = storeOf(DisputeStore, (sql) => ({
  ...makeRecords(sql, disputes),
  ofCharge: findBy(sql, disputes, "charge_id")
}))

const invoiceRows = rowsOf(Invoice)

const invoiceUniques = [
  { columns: ["subscription_id", "due_on"], constraint: "invoices_due", record: "invoice", field: "due_on" }
]

const invoiceStore = storeFrom(InvoiceStore, function* (sql) {
  return {
    ...makeManyUniqueRecords(sql, yield* Transaction, {
      rows: invoiceRows,
      table: "invoices",
      uniques: invoiceUniques
    }),
    openOf: (organisation_id, subscription_id) =>
      invoiceRows.all(sql`
          SELECT ${sql.literal(invoiceRows.columns("t"))} FROM invoices AS t
          WHERE t.organisation_id = ${organisation_id} AND t.subscription_id = ${subscription_id}
            AND ${ruleOf(sql, unendedRule, "t")}
          ORDER BY t.due_on`)
  }
})

const mandateRows = rowsOf(Mandate)

const mandateStore = storeOf(MandateStore, (sql) => ({
  ...makeRecords(sql, { rows: mandateRows, table: "mandates" }),
  ofReference: (processor, reference) =>
    mandateRows.all(sql`
          SELECT ${sql.literal(mandateRows.columns("t"))} FROM /* every organisation */ mandates AS t
          JOIN integrations AS i ON i.organisation_id = t.organisation_id AND i.id = t.integration_id
          WHERE t.reference = ${reference} AND i.processor = ${processor}`)
}))

const exceptions = {
  rows: rowsOf(PaymentException, { amount_cents: integer, held_cents: integer }),
  table: "payment_exceptions"
}

const paymentExceptionStore = storeOf(PaymentExceptionStore, (sql) => ({
  ...makeRecords(sql, exceptions),
  ofCharge: findBy(sql, exceptions, "charge_id"),
  ofSubject: findBy(sql, exceptions, "subject_id")
}))

const subscriptionTable = "subscriptions"

const subscriptionRows = rowsOf(Subscription, {
  consent_responses: { read: Schema.decodeUnknownSync(Schema.toCodecJson(Subscription.fields.consent_responses)) }
})

const subscriptionStore = storeOf(SubscriptionStore, (sql) => ({
  ...makeRecords(sql, { rows: subscriptionRows, table: subscriptionTable }),
  ...makeDonorReferences(sql, subscriptionTable),
  lastingOf: (organisation_id, donor_id) =>
    Effect.map(
      subscriptionRows.all(sql`
            SELECT ${sql.literal(subscriptionRows.columns("t"))} FROM subscriptions AS t
            WHERE t.organisation_id = ${organisation_id} AND t.donor_id = ${donor_id} AND ${ruleOf(sql, lastingRule, "t")}
            ORDER BY t.id`),
      (found) => found.map(({ id }) => id)
    ),
  ...makeDueRecords(sql, subscriptionTable, SubscriptionId)
}))

const tariffRows = rowsOf(Tariff, { fixed_cents: integer })

const tariffNames = tariffRows.names.join(", ")

const tariffStore = storeOf(TariffStore, (sql) => ({
  set: (tariff) =>
    runOrDie(sql`
            INSERT INTO tariffs (${sql.literal(tariffNames)})
            SELECT ${sql.literal(tariffNames)} FROM ${rowFrom(sql, "tariffs", tariff)}
            ON CONFLICT (plan, effective_from) DO UPDATE SET
              basis_points = EXCLUDED.basis_points, fixed_cents = EXCLUDED.fixed_cents, created_at = EXCLUDED.created_at`),
  all: tariffRows.all(
    readAside(sql`
        SELECT ${sql.literal(tariffRows.columns("t"))} FROM tariffs AS t
        ORDER BY array_position(${[...plans]}::text[], t.plan), t.effective_from DESC`)
  )
}))

const guardRows = rowsOf(CardGuard, {
  under_way: { read: Schema.decodeUnknownSync(Schema.toCodecJson(CardGuard.fields.under_way)) },
  waiting: { read: Schema.decodeUnknownSync(Schema.toCodecJson(CardGuard.fields.waiting)) }
})

const guardNames = guardRows.names.map((name) => `"${name}"`).join(", ")

const guardAssignments = guardRows.names.map((name) => `"${name}" = n."${name}"`).join(", ")

/** Guards as rows, in one order: whoever locks some of the same waits for none of them in a ring. */
const guardValues = (sql: SqlClient.SqlClient, guards: ReadonlyArray<CardGuard>) =>
  rowsFrom(
    sql,
    "card_guards",
    guards.toSorted((a, b) => compareCodePoints(a.subject, b.subject))
  )

const cardGuardStore = storeOf(CardGuardStore, (sql) => ({
  find: (organisation_id, subjects) =>
    guardRows.all(sql`
      SELECT ${sql.literal(guardRows.columns("t"))} FROM card_guards AS t
      WHERE t.organisation_id = ${organisation_id} AND t.subject = ANY(${[...subjects]}::text[])`),
  // The row is made where it is missing, so that there is always one to lock.
  findForUpdate: (untouched) =>
    Effect.map(
      guardRows.all(sql`
        INSERT INTO card_guards (${sql.literal(guardNames)})
        SELECT ${sql.literal(guardNames)} FROM ${guardValues(sql, untouched)}
        ON CONFLICT (organisation_id, subject) DO UPDATE SET credit = card_guards.credit
        RETURNING ${sql.literal(guardRows.columns("card_guards"))}`),
      (found) => untouched.flatMap((guard) => found.filter(({ subject }) => subject === guard.subject))
    ),
  replace: (guards) =>
    runOrDie(sql`
      UPDATE card_guards AS t SET ${sql.literal(guardAssignments)}
      FROM ${guardValues(sql, guards)} AS n
      WHERE t.organisation_id = n.organisation_id AND t.subject = n.subject`),
  // Few pages have cards tried on them within days, so that the table is read as a whole.
  trim: (before, limit) => {
    const instant = new Date(before.epochMilliseconds)
    return readOrDie(
      sql`
        WITH old AS MATERIALIZED (
          SELECT t.organisation_id, t.subject FROM /* every organisation */ card_guards AS t
          WHERE t.begun_at <= ${instant} AND coalesce(t.closed_until <= ${instant}, true)
          LIMIT ${limit}::int4
          FOR UPDATE SKIP LOCKED
        )
        DELETE FROM card_guards AS t USING old AS o
        WHERE t.organisation_id = o.organisation_id AND t.subject = o.subject
        RETURNING t.subject`,
      (trimmed) => trimmed.length
    )
  }
}))

export const layer = Layer.mergeAll(
  cardGuardStore,
  creditStore,
  disputeStore,
  invoiceStore,
  mandateStore,
  paymentExceptionStore,
  subscriptionStore,
  tariffStore
)
