import { DateTime, Duration, Effect, Option, Queue } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { addTime, instantAt } from "../../../domain/kernel/InstantRange.ts"
import * as Mail from "../../../domain/kernel/Mail.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { type Admission, MailOutbox } from "../../../ports/kernel/MailOutbox.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { runWrite } from "../connection/DeferredTransaction.ts"
import { afterCommit } from "../connection/LazyConnection.ts"
import type { DeferredWrite } from "../connection/OneStatement.ts"
import { nameIn, SchemaName } from "../connection/SchemaName.ts"
import { type DueRows, lockedInOrder } from "../records/FairQueue.ts"
import { makeList } from "../records/ListPage.ts"
import { deleteOldest, readOrDie, rowFrom, runOrDie, storeFrom } from "../records/Records.ts"
import { rowsOf, ruleOf } from "../records/Rows.ts"

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

type Outbox = MailOutbox["Service"]

const rows = rowsOf(Mail.Mail)
const recordRows = rowsOf(Mail.MailRecord)

/** A row that cannot be read must not count for ever: a damaged number would. */
const attemptsAtMost = 1_000_000

/** The waits after each number of attempts, seconds, until they grow no more. */
const delays = Array.from({ length: 12 }, (_, index) => Mail.aheadAtMostSeconds(index + 1, false))

const awaiting = (lane: Mail.Lane): DueRows => ({
  table: "mails",
  due: "next_attempt_at",
  time: "real",
  kind: { column: "lane", value: lane }
})

/** Mails on the database, by its clock. The hint is of this process alone: others find what it wrote when they look. */
export const layer = storeFrom(MailOutbox, function* (sql) {
  const transaction = yield* Transaction
  const budgets = makeMailBudgets(sql, transaction, yield* SchemaName)
  const hints: { readonly [L in Mail.Lane]: Queue.Queue<void> } = {
    asked: yield* Queue.sliding<void>(1),
    owed: yield* Queue.sliding<void>(1),
    written: yield* Queue.sliding<void>(1),
    yearly: yield* Queue.sliding<void>(1)
  }
  const columns = sql.literal(rows.columns("m"))
  const single = sql.literal(`(${Mail.singleTemplates.map((template) => `'${template}'`).join(", ")})`)

  const instant = (at: DateTime.Utc | null) => (at === null ? null : new Date(at.epochMilliseconds))

  /**
   * A new mail is due by the database's clock, whatever the clock is ahead by which it was made. The column would round to
   * milliseconds, and a due time that is rounded up lies ahead.
   */
  const add = (mail: Mail.Mail) => {
    const names = Object.keys(mail)
    const now = "date_trunc('milliseconds', statement_timestamp())"
    const due = `CASE WHEN n.attempt_count = 0 AND n.next_attempt_at > ${now} THEN ${now} ELSE n.next_attempt_at END`
    const values = names.map((name) => (name === "next_attempt_at" ? due : `n.${name}`))
    const insert = (condition: Fragment) => sql`
      INSERT INTO mails (${sql.literal(names.join(", "))}, lane)
      SELECT ${sql.literal(values.join(", "))}, ${Mail.laneOf(mail)} FROM ${rowFrom(sql, "mails", mail)} AS n
      WHERE ${condition}
      ON CONFLICT (organisation_id, template, subject_id) WHERE template IN ${single} DO NOTHING`
    const write: DeferredWrite = {
      part: "mails",
      direct: () => insert(sql.literal("TRUE")),
      gated: (condition) => sql`mailed AS (${insert(condition)})`
    }
    return runWrite(write)
  }

  /** A mail that waits for a budget is not due. The end of a lease is rounded down like a new mail's time. */
  const lease = ({ lane, lease, lease_id, limit }: Parameters<Outbox["claim"]>[0]) => sql`
    WITH RECURSIVE ${lockedInOrder(sql, awaiting(lane), { limit })}, claimed AS (
      UPDATE /* every organisation */ mails AS m
      SET attempt_count = least(m.attempt_count, ${sql.literal(`${attemptsAtMost}`)}) + 1, delayed_by = NULL,
          lease_id = ${lease_id},
          next_attempt_at = date_trunc('milliseconds',
            statement_timestamp() + make_interval(secs => ${Duration.toSeconds(lease)}::float8))
      WHERE m.ctid = ANY(ARRAY(SELECT tid FROM held))
      RETURNING ${columns}
    )
    SELECT c.* FROM claimed AS c JOIN picked AS k ON k.organisation_id = c.organisation_id AND k.id = c.id
    ORDER BY k.place, k.due_at, k.id`

  const setAside = (lease_id: string, ids: ReadonlyArray<string>) => sql`
    UPDATE /* every organisation */ mails AS m
    SET lease_id = NULL, next_attempt_at = NULL, unreadable_since = statement_timestamp()
    WHERE m.lease_id = ${lease_id} AND m.id = ANY(${[...ids]}::text[])`

  const claim: Outbox["claim"] = Effect.fnUntraced(function* (options) {
    if (Mail.hasBudgets(options.lane)) yield* budgets.letGoDue
    const found = rows.readable(yield* Effect.orDie(lease(options)))
    const unreadable = found.unreadable.map((row) => String(row["id"]))
    if (unreadable.length > 0) yield* Effect.orDie(setAside(options.lease_id, unreadable))
    return { claimed: found.read.map((mail) => ({ mail, lease_id: options.lease_id })), unreadable }
  })

  /** Whether the mail is held under the lease by now, and counts already; none where the lease is over. */
  const heldNow = ({ lease_id, mail }: Parameters<Outbox["admit"]>[0], now: DateTime.Utc) =>
    Effect.map(
      sql<{ readonly counts: boolean }>`
        SELECT coalesce(${ruleOf(sql, Rule.at(Mail.budgetRule, now), "m")}, FALSE) AS counts FROM mails AS m
        WHERE m.organisation_id = ${mail.organisation_id} AND m.id = ${mail.id} AND m.lease_id = ${lease_id}
          AND m.next_attempt_at > ${instant(now)}
        FOR NO KEY UPDATE`,
      ([row]) => Option.fromNullishOr(row)
    )

  /** A mail of a lane without budgets, held for as long again. */
  const holdLonger: Outbox["admit"] = ({ lease_id, mail }, { lease }) =>
    readOrDie(
      sql`
        UPDATE mails AS m
        SET begun_at = NULL, address_hash = NULL, next_attempt_at = date_trunc('milliseconds',
          clock_timestamp() + make_interval(secs => ${Duration.toSeconds(lease)}::float8))
        WHERE m.organisation_id = ${mail.organisation_id} AND m.id = ${mail.id} AND m.lease_id = ${lease_id}
          AND m.next_attempt_at > clock_timestamp()
        RETURNING m.id`,
      ({ length }): Admission => ({ _tag: length > 0 ? "Admitted" : "Lost" })
    )

  const admitByBudgets: Outbox["admit"] = Effect.fnUntraced(function* (claimed, { address_hashes, lease }) {
    const { id, organisation_id } = claimed.mail
    const purses = [budgets.ofOrganisation(organisation_id), budgets.ofAddress(address_hashes)]
    for (const { name } of purses) yield* budgets.hold(name)
    const now = yield* budgets.now
    const held = yield* heldNow(claimed, now)
    if (Option.isNone(held)) return { _tag: "Lost" } satisfies Admission
    const full: Array<{ readonly by: Mail.Budget; readonly until: DateTime.Utc; readonly name: string }> = []
    for (const purse of held.value.counts ? [] : purses) {
      const until = yield* budgets.fullUntil(purse, now)
      if (until !== undefined) full.push({ by: purse.budget, until, name: purse.name })
    }
    const [delay] = full.toSorted((a, b) => DateTime.toEpochMillis(b.until) - DateTime.toEpochMillis(a.until))
    const mine = sql`m.organisation_id = ${organisation_id} AND m.id = ${id}`
    const address_hash = address_hashes[0] ?? null
    if (delay === undefined) {
      yield* sql`
        UPDATE mails AS m
        SET begun_at = ${instant(now)}, address_hash = ${address_hash}, next_attempt_at = ${instant(addTime(now, lease))}
        WHERE ${mine}`
      return { _tag: "Admitted" } satisfies Admission
    }
    const { by, name, until } = delay
    yield* sql`
      UPDATE mails AS m
      SET lease_id = NULL, next_attempt_at = NULL, attempt_count = m.attempt_count - 1, delayed_by = ${by},
          waits_for = ${name}, address_hash = ${address_hash}
      WHERE ${mine}`
    yield* budgets.lookAgain(name, until)
    return { _tag: "Delayed", by, until } satisfies Admission
  }, Effect.orDie)

  const settle: Outbox["settle"] = ({ lease_id, mail }) =>
    runOrDie(sql`
        UPDATE mails
        SET status = ${mail.status}, attempt_count = ${mail.attempt_count}::int4, lease_id = NULL,
            next_attempt_at = ${instant(mail.next_attempt_at)}::timestamptz,
            completed_at = ${instant(mail.completed_at)}::timestamptz
        WHERE organisation_id = ${mail.organisation_id} AND id = ${mail.id} AND lease_id = ${lease_id}`)

  const furthest = sql`date_trunc('milliseconds', statement_timestamp() + make_interval(secs => (CASE
    WHEN m.lease_id IS NOT NULL THEN ${Mail.leaseSeconds}::int4
    WHEN m.attempt_count <= 0 THEN 0
    ELSE (${delays}::int4[])[least(m.attempt_count, ${delays.length}::int4)] END)::float8))`

  const mend = Effect.gen(function* () {
    yield* sql`
      UPDATE /* every organisation */ mails AS m SET next_attempt_at = ${furthest}
      WHERE m.next_attempt_at > statement_timestamp() AND m.next_attempt_at > ${furthest}`
    yield* sql`
      UPDATE /* every organisation */ mails AS m SET begun_at = statement_timestamp()
      WHERE m.begun_at > statement_timestamp()`
    yield* sql`
      UPDATE /* every organisation */ mails AS m SET unreadable_since = NULL,
        next_attempt_at = date_trunc('milliseconds', statement_timestamp())
      WHERE m.unreadable_since IS NOT NULL`
    // Each is checked anew; a mail that waits for a missing one would wait for ever.
    yield* sql`
      INSERT INTO mail_budgets (budget, opens_at)
      SELECT DISTINCT m.waits_for, statement_timestamp() FROM /* every organisation */ mails AS m
      WHERE m.waits_for IS NOT NULL
      ON CONFLICT (budget) DO UPDATE SET opens_at = EXCLUDED.opens_at`
  })

  const trim: Outbox["trim"] = deleteOldest(sql, { table: "mails", at: "completed_at" })

  const nextDue = (lane: Mail.Lane) =>
    Effect.map(
      sql<{ readonly millis: number | null }>`
      SELECT (extract(epoch FROM least(
        (SELECT min(m.next_attempt_at) FROM /* every organisation */ mails AS m
         WHERE m.lane = ${lane} AND m.next_attempt_at IS NOT NULL),
        (SELECT min(b.opens_at) FROM mail_budgets AS b WHERE ${Mail.hasBudgets(lane)}::boolean)
      ) - statement_timestamp()) * 1000)::float8 AS millis`,
      ([row]) => Option.map(Option.fromNullishOr(row?.millis), (millis) => Duration.millis(Math.max(0, millis)))
    )

  return {
    now: Effect.orDie(budgets.now),
    add: (mail) =>
      Effect.andThen(
        Effect.orDie(add(mail)),
        afterCommit(Effect.asVoid(Queue.offer(hints[Mail.laneOf(mail)], undefined)))
      ),
    find: (organisation_id, id) =>
      rows.first(sql`
        SELECT ${columns} FROM mail_records AS m WHERE m.organisation_id = ${organisation_id} AND m.id = ${id}`),
    list: makeList(sql, { rows: recordRows, table: "mail_records" }),
    claim,
    admit: (claimed, options) =>
      Mail.hasBudgets(Mail.laneOf(claimed.mail))
        ? transaction.run(admitByBudgets(claimed, options))
        : holdLonger(claimed, options),
    settle,
    mend: Effect.asVoid(Effect.orDie(mend)),
    trim,
    nextDue: (lane) => Effect.orDie(nextDue(lane)),
    wait: (lane) => Queue.take(hints[lane])
  }
})
