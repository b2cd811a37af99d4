import { randomUUID } from "node:crypto"
import { format } from "node:util"
import { assert, describe } from "@effect/vitest"
import { Cause, Effect, Logger, Redacted } from "effect"
import type pg from "pg"
import { Almoner as Face, Settler } from "../../src/effect.ts"
import { Almoner, type Caller, type LogLine } from "../../src/index.ts"
import { type HostClient, postgres } from "../../src/postgres.ts"
import { freshPool } from "../support/HostPool.ts"
import { numbers } from "../support/Numbers.ts"
import { live } from "../support/Steps.ts"
import { callerIn, keys, submissionTo } from "./Charity.ts"

/** What nobody may find in a log, as it is or in digits: who donors are, and what they pay with. */
const canaries = /canary|63616e617279|4242 ?4242|800123456/i

/** Tables whose next write fails, and tells the row that it was given in every part of its report that a report has. */
const broken = [
  "donors",
  "donations",
  "charges",
  "test_charges",
  "ledger_entries",
  "refunds",
  "disputes",
  "credits",
  "notices",
  "payment_exceptions",
  "events",
  "audit_entries"
]

const breaking = (table: string): string => `
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no place for % canary', NEW USING DETAIL = NEW::text || 'canary', HINT = NEW::text || 'canary'; END $$;
  CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`

interface Host {
  readonly almoner: Almoner<HostClient>
  readonly caller: Caller
  readonly integration_id: string
}

const makeHost = async (pool: pg.Pool, logger?: (line: LogLine) => void): Promise<Host> => {
  const almoner = await Almoner.open({ backend: postgres({ pool }), keys, logger })
  const caller = await callerIn(almoner)
  const { id: integration_id } = await almoner.integrations.create(caller, {
    label: "Main",
    processor_connect_account_id: "acct_1",
    methods: ["card", "au_becs_debit", "bank_transfer"]
  })
  await almoner.forms.create(caller, { name: "Appeal", status: "ACTIVE" })
  return { almoner, caller, integration_id }
}

const submission = (email: string, payment_token: string | null) =>
  submissionTo("riverside-sandbox", {
    donor: { email, first_name: "Canaryfirst", last_name: "Canarylast" },
    payment_token,
    method: payment_token === null ? "bank_transfer" : "card"
  })

/** Everything that is done about gifts whose money comes, goes back, is disputed, or comes by itself. */
const stepsOf = ({ almoner, caller, integration_id }: Host): ReadonlyArray<() => Promise<unknown>> => {
  const email = `canary-${randomUUID()}@example.org`
  const charge = async () => (await almoner.charges.list(caller)).data[0]?.id ?? "chg_01jqz6x8h4e5vb9m2k7ncw3t5d"
  const gift = async () => (await almoner.donations.list(caller)).data[0]?.id ?? assert.fail("There is no gift")
  return [
    () => almoner.donors.create(caller, { first_name: "Canaryfirst", email }),
    () => almoner.checkouts.submit(submission(email, null)),
    () =>
      almoner.credits.record(caller, { integration_id, day: "2026-01-05", amount_cents: 700, text: "FROM CANARY 7" }),
    () =>
      almoner.credits.import(caller, {
        integration_id,
        content: "Date,Amount,Description\n2026-01-06,12.00,CANARY FROM NOBODY\n"
      }),
    () => almoner.checkouts.submit(submission(email, numbers.succeeds)),
    async () => almoner.donations.refund(caller, await gift(), { amount_cents: 100 }),
    () => almoner.settle(),
    async () => almoner.testProcessor.dispute(caller, await charge()),
    () => almoner.settle(),
    async () => almoner.testProcessor.loseDispute(caller, await charge()),
    () => almoner.settle(),
    () => almoner.reconciler.reconcile({})
  ]
}

/** What an error tells whoever prints it whole. */
const told = (error: unknown): string => format("%o", error)

/** Takes every step, whatever becomes of it, and answers what the host was told of those that failed. */
const takeAll = async (host: Host): Promise<ReadonlyArray<string>> => {
  const refusals: Array<string> = []
  for (const step of stepsOf(host)) await step().catch((error: unknown) => refusals.push(told(error)))
  return refusals
}

/** Lives with each table broken in turn, and answers what was told of failures. */
const liveBroken = async (pool: pg.Pool, host: Host): Promise<ReadonlyArray<string>> => {
  const refusals: Array<string> = []
  assert.deepStrictEqual(await takeAll(host), [])
  for (const table of broken) {
    await pool.query(breaking(table))
    refusals.push(...(await takeAll(host)))
    await pool.query("DROP FUNCTION refuse CASCADE")
  }
  return refusals
}

const methods = ["log", "info", "warn", "error", "debug", "trace"] as const

/** What is written on the console meanwhile. */
const written = async (act: () => Promise<unknown>): Promise<string> => {
  const lines: Array<string> = []
  const before = methods.map((method) => [method, console[method]] as const)
  for (const method of methods) console[method] = (...given) => void lines.push(format(...given))
  try {
    await act()
  } finally {
    for (const [method, write] of before) console[method] = write
  }
  return lines.join("\n")
}

const assertDiscreet = (text: string): void => {
  assert.match(text, /SQLSTATE P0001/)
  assert.notMatch(text, canaries)
}

describe("what a host is told when its database refuses to write", () => {
  live("holds no value of a donor, on the console and in what is rejected", function* () {
    const { pool } = yield* freshPool
    const host = yield* Effect.promise(() => makeHost(pool))
    const console = yield* Effect.promise(() =>
      written(async () => assertDiscreet((await liveBroken(pool, host)).join("\n")))
    )
    assertDiscreet(console)
    yield* Effect.promise(() => host.almoner.close())
  })

  live("holds none in the lines of its logger", function* () {
    const { pool } = yield* freshPool
    const lines: Array<LogLine> = []
    const host = yield* Effect.promise(() => makeHost(pool, (line) => lines.push(line)))
    yield* Effect.promise(() => liveBroken(pool, host))
    assertDiscreet(JSON.stringify(lines))
    yield* Effect.promise(() => host.almoner.close())
  })

  live("holds none in what a program's own logger gets of a program written with Effect", function* () {
    const { pool, url } = yield* freshPool
    const host = yield* Effect.promise(() => makeHost(pool))
    const lines: Array<string> = []
    const own = Logger.make<unknown, void>(({ cause, message }) => {
      lines.push(format("%s %s", message, Cause.pretty(cause)))
    })
    yield* Effect.promise(async () => {
      const { donation_id } = await host.almoner.checkouts.submit(submission("canary@example.org", numbers.succeeds))
      await host.almoner.donations.refund(host.caller, donation_id ?? assert.fail(), { amount_cents: 100 })
      await pool.query(breaking("refunds"))
    })
    yield* Settler.Settler.use(({ settleDue }) => settleDue).pipe(
      Effect.provide(Logger.layer([own])),
      Effect.provide(Face.layer({ backend: postgres({ url: Redacted.value(url), maxConnections: 2 }), keys }))
    )
    assertDiscreet(lines.join("\n"))
    yield* Effect.promise(() => host.almoner.close())
  })
})
