import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "./Statements.ts"

/**
 * How an integration is paid and in which currency. Those that exist are of the test processor; the oldest of an
 * organisation takes its gifts.
 */
const integrations = statements(
  `
    ALTER TABLE integrations
      ADD COLUMN methods text[] NOT NULL DEFAULT '{card,au_becs_debit,payto}',
      ADD COLUMN settlement_currency text,
      ADD COLUMN is_default boolean NOT NULL DEFAULT false,
      ADD COLUMN is_active boolean NOT NULL DEFAULT true,
      ADD COLUMN bank_account jsonb`,
  `
    UPDATE integrations AS t SET
      settlement_currency = o.default_currency,
      is_default = NOT EXISTS (
        SELECT FROM integrations AS e
        WHERE e.organisation_id = t.organisation_id AND (e.created_at, e.id) < (t.created_at, t.id))
    FROM organisations AS o WHERE o.id = t.organisation_id`,
  `ALTER TABLE integrations ALTER COLUMN settlement_currency SET NOT NULL`,
  `
    CREATE UNIQUE INDEX integrations_default ON integrations (organisation_id) WHERE is_default AND is_active`
)

/** The charge that took a gift's money, and the link that it was made on. */
const gifts = statements(
  `
    ALTER TABLE donations ADD COLUMN charge_id text COLLATE "C", ADD COLUMN checkout_link_id text COLLATE "C"`
)

/** The charge whose money a refund gives back. */
const refunds = statements(
  `
    ALTER TABLE refunds
      ADD COLUMN charge_id text COLLATE "C", ADD COLUMN is_beside_gift boolean NOT NULL DEFAULT false`,
  `CREATE INDEX refunds_charge ON refunds (organisation_id, charge_id) WHERE charge_id IS NOT NULL`
)

const chargesTable = statements(
  `
    CREATE TABLE charges (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      integration_id text COLLATE "C" NOT NULL,
      purpose text NOT NULL,
      subject_id text COLLATE "C" NOT NULL,
      method text NOT NULL,
      amount_cents bigint NOT NULL CHECK (amount_cents >= 1),
      currency text NOT NULL,
      status text NOT NULL,
      reference text COLLATE "C",
      submission_id text COLLATE "C" NOT NULL,
      failure_code text,
      processor_fee_cents bigint CHECK (processor_fee_cents >= 0),
      platform_rate jsonb NOT NULL,
      sealed_token text,
      confirmed_at timestamptz(3),
      ending text,
      look_at timestamptz(3),
      looks integer NOT NULL CHECK (looks >= 0),
      waiting_since timestamptz(3),
      ended_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      CONSTRAINT charges_submission UNIQUE (organisation_id, submission_id),
      CONSTRAINT charges_reference UNIQUE (integration_id, reference),
      FOREIGN KEY (organisation_id, integration_id) REFERENCES integrations (organisation_id, id)
    ) WITH (fillfactor = 80)`,
  `CREATE INDEX charges_created ON charges (organisation_id, created_at, id)`,
  `CREATE INDEX charges_status ON charges (organisation_id, status, created_at, id)`,
  `CREATE INDEX charges_purpose ON charges (organisation_id, purpose, created_at, id)`,
  `CREATE INDEX charges_method ON charges (organisation_id, method, created_at, id)`,
  `CREATE INDEX charges_subject ON charges (organisation_id, subject_id, created_at, id)`,
  `CREATE INDEX charges_due ON charges (organisation_id, look_at, id) WHERE look_at IS NOT NULL`,
  // The newest of the indexes that begin alike: the planner takes it before the first ANALYZE.
  `ALTER TABLE charges ADD PRIMARY KEY (organisation_id, id)`
)

const disputes = statements(
  `
    CREATE TABLE disputes (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      charge_id text COLLATE "C" NOT NULL,
      reference text COLLATE "C" NOT NULL,
      amount_cents bigint NOT NULL CHECK (amount_cents >= 0),
      status text NOT NULL,
      refund_id text COLLATE "C",
      ended_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, charge_id) REFERENCES charges (organisation_id, id)
    )`,
  `CREATE INDEX disputes_created ON disputes (organisation_id, created_at, id)`,
  `CREATE INDEX disputes_status ON disputes (organisation_id, status, created_at, id)`,
  `CREATE INDEX disputes_charge ON disputes (organisation_id, charge_id, created_at, id)`,
  `ALTER TABLE disputes ADD PRIMARY KEY (organisation_id, id)`
)

/** The ledger's rows are final, whoever asks: the triggers fire in every session, that of a replica too. */
const finality = statements(
  `
    CREATE FUNCTION almoner_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION
      'The table % is append-only: % is refused. Write an entry that moves the money back.', TG_TABLE_NAME, TG_OP
      USING ERRCODE = 'restrict_violation'; END $$`,
  `
    CREATE TRIGGER ledger_entries_final BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION almoner_refuse_change()`,
  `ALTER TABLE ledger_entries ENABLE ALWAYS TRIGGER ledger_entries_final`
)

const ledger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE ledger_entries (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      charge_id text COLLATE "C",
      cause text NOT NULL,
      cause_id text COLLATE "C" NOT NULL,
      from_account text NOT NULL,
      to_account text NOT NULL,
      amount_cents bigint NOT NULL CHECK (amount_cents >= 1),
      currency text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      CHECK (from_account <> to_account),
      FOREIGN KEY (organisation_id, charge_id) REFERENCES charges (organisation_id, id)
    )`
  yield* sql`CREATE INDEX ledger_entries_created ON ledger_entries (organisation_id, created_at, id)`
  yield* sql`CREATE INDEX ledger_entries_cause ON ledger_entries (organisation_id, cause, created_at, id)`
  yield* sql`
    CREATE INDEX ledger_entries_charge ON ledger_entries (organisation_id, charge_id, created_at, id)
    WHERE charge_id IS NOT NULL`
  yield* sql`ALTER TABLE ledger_entries ADD PRIMARY KEY (organisation_id, id)`
  yield* finality
})

const exceptions = statements(
  `
    CREATE TABLE payment_exceptions (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      kind text NOT NULL,
      status text NOT NULL,
      charge_id text COLLATE "C",
      subject_id text COLLATE "C" NOT NULL,
      amount_cents bigint NOT NULL CHECK (amount_cents >= 0),
      held_cents bigint NOT NULL CHECK (held_cents BETWEEN 0 AND amount_cents),
      currency text NOT NULL,
      reason text NOT NULL,
      note text,
      resolved_by text,
      resolved_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      FOREIGN KEY (organisation_id, charge_id) REFERENCES charges (organisation_id, id)
    )`,
  `CREATE INDEX payment_exceptions_created ON payment_exceptions (organisation_id, created_at, id)`,
  `CREATE INDEX payment_exceptions_status ON payment_exceptions (organisation_id, status, created_at, id)`,
  `CREATE INDEX payment_exceptions_kind ON payment_exceptions (organisation_id, kind, created_at, id)`,
  `
    CREATE INDEX payment_exceptions_charge ON payment_exceptions (organisation_id, charge_id, created_at, id)
    WHERE charge_id IS NOT NULL`,
  `ALTER TABLE payment_exceptions ADD PRIMARY KEY (organisation_id, id)`
)

const tariffs = statements(
  `
    CREATE TABLE tariffs (
      plan text COLLATE "C" NOT NULL,
      effective_from timestamptz(3) NOT NULL,
      basis_points integer NOT NULL CHECK (basis_points BETWEEN 0 AND 10000),
      fixed_cents bigint NOT NULL CHECK (fixed_cents >= 0),
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (plan, effective_from)
    )`
)

/** Charges, and the books about them. */
export const charges = integrations.pipe(
  Effect.andThen(gifts),
  Effect.andThen(refunds),
  Effect.andThen(chargesTable),
  Effect.andThen(disputes),
  Effect.andThen(ledger),
  Effect.andThen(exceptions),
  Effect.andThen(tariffs)
)
