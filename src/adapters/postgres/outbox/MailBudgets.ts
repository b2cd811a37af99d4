import { type DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import * as Mail from "../../../domain/kernel/Mail.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import type { Transaction } from "../../../ports/kernel/Transaction.ts"
import { nameIn } from "../connection/SchemaName.ts"
import { ruleOf } from "../records/Rows.ts"

/** A budget, by the name that is locked and waited for, and the mails that count toward it. */
export interface Purse {
  readonly budget: Mail.Budget
  readonly name: string
  readonly holds: Fragment
}

/** Budgets that are checked before one claim: the others are checked before the next one. */
const looksAtMost = 16

/** Budgets in the database, or in a schema of it. */
export const makeMailBudgets = (
  sql: SqlClient.SqlClient,
  transaction: Transaction["Service"],
  schema: string | undefined
) => {
  const ofOrganisation = (organisation_id: string): Purse => ({
    budget: "organisation_budget",
    name: `organisation_budget ${organisation_id}`,
    holds: sql`mails AS m WHERE m.organisation_id = ${organisation_id}`
  })

  /** The budget of an address, which is counted under any of the hashes, and waited for under the first. */
  const ofAddress = (hashes: ReadonlyArray<string>): Purse => ({
    budget: "address_budget",
    name: `address_budget ${hashes[0] ?? ""}`,
    holds: sql`/* every organisation */ mails AS m WHERE m.address_hash = ANY(${[...hashes]}::text[])`
  })

  const purseOf = (name: string): Purse => {
    const [budget, of = ""] = name.split(" ")
    return budget === "organisation_budget" ? ofOrganisation(of) : ofAddress([of])
  }

  /** Whoever counts a budget holds it until the transaction ends. Organisations are held before addresses, so that none wait in a circle. */
  const hold = (name: string) =>
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${nameIn(schema, `almoner mail ${name}`)}, 0))`

  /** The database's clock, of this moment and not of the transaction's beginning. */
  const now = Effect.map(
    sql<{ readonly now: Date }>`SELECT date_trunc('milliseconds', clock_timestamp()) AS now`,
    ([row]) => instantAt(row?.now ?? Number.NaN)
  )

  /** When the mails that count were begun, the newest first, as far as the budget reaches. */
  const begun = ({ budget, holds }: Purse, at: DateTime.Utc) =>
    Effect.map(
      sql<{ readonly begun_at: Date }>`
        SELECT m.begun_at FROM ${holds} AND ${ruleOf(sql, Rule.at(Mail.budgetRule, at), "m")}
        ORDER BY m.begun_at DESC LIMIT ${sql.literal(`${Mail.budgetSizes[budget]}`)}`,
      (rows) => rows.map(({ begun_at }) => instantAt(begun_at))
    )

  /** When a budget that is held has room again; undefined where it has room now. */
  const fullUntil = (purse: Purse, at: DateTime.Utc) =>
    Effect.map(begun(purse, at), (times) => {
      const last = times[Mail.budgetSizes[purse.budget] - 1]
      return last === undefined ? undefined : Mail.roomAt(last)
    })

  /** Has a locked budget checked again then. */
  const lookAgain = (name: string, at: DateTime.Utc) => sql`
    INSERT INTO mail_budgets (budget, opens_at) VALUES (${name}, ${new Date(at.epochMilliseconds)})
    ON CONFLICT (budget) DO UPDATE SET opens_at = EXCLUDED.opens_at`

  /** Makes due what waits for the budget, at most `room`: the first of each organisation before the second of any. */
  const letGo = (name: string, room: number, at: DateTime.Utc) => sql`
    WITH RECURSIVE lanes AS (
      (SELECT f.organisation_id FROM /* every organisation */ mails AS f
       WHERE f.waits_for = ${name} ORDER BY f.organisation_id LIMIT 1)
      UNION ALL
      SELECT following.organisation_id FROM lanes AS l CROSS JOIN LATERAL (
        SELECT m.organisation_id FROM /* every organisation */ mails AS m
        WHERE m.waits_for = ${name} AND m.organisation_id > l.organisation_id
        ORDER BY m.organisation_id LIMIT 1
      ) AS following
    ), picked AS MATERIALIZED (
      SELECT waiting.tid FROM lanes AS l CROSS JOIN LATERAL (
        SELECT m.ctid AS tid, m.created_at, m.id, row_number() OVER (ORDER BY m.created_at, m.id) AS place
        FROM mails AS m WHERE m.organisation_id = l.organisation_id AND m.waits_for = ${name}
        ORDER BY m.created_at, m.id LIMIT ${room}::int4
      ) AS waiting
      ORDER BY waiting.place, waiting.created_at, waiting.id LIMIT ${room}::int4
    )
    UPDATE /* every organisation */ mails AS m
    SET waits_for = NULL, delayed_by = NULL, next_attempt_at = ${new Date(at.epochMilliseconds)}
    WHERE m.ctid = ANY(ARRAY(SELECT tid FROM picked))`

  const look = Effect.fnUntraced(function* (name: string) {
    yield* hold(name)
    const at = yield* now
    const purse = purseOf(name)
    const times = yield* begun(purse, at)
    const room = Mail.budgetSizes[purse.budget] - times.length
    const last = times.at(-1)
    if (room <= 0 && last !== undefined) return yield* lookAgain(name, Mail.roomAt(last))
    yield* letGo(name, room, at)
    const rest = yield* sql`SELECT 1 FROM /* every organisation */ mails AS m WHERE m.waits_for = ${name} LIMIT 1`
    // Those that were let go count when they are begun, if they are: until then the budget has room.
    return yield* rest.length > 0 ? lookAgain(name, at) : sql`DELETE FROM mail_budgets WHERE budget = ${name}`
  }, Effect.orDie)

  /** Lets go what waits for budgets that have room by now. */
  const letGoDue = Effect.gen(function* () {
    const open = yield* Effect.orDie(sql<{ readonly budget: string }>`
      SELECT budget FROM mail_budgets WHERE opens_at <= statement_timestamp()
      ORDER BY opens_at LIMIT ${sql.literal(`${looksAtMost}`)}`)
    yield* Effect.forEach(open, ({ budget }) => transaction.run(look(budget)), { discard: true })
  })

  return { now, ofOrganisation, ofAddress, hold, fullUntil, lookAgain, letGoDue } as const
}
