import { type DateTime, Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { instantAt } from "../../../domain/kernel/InstantRange.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { bySurroundingClock } from "../../../ports/kernel/AheadClock.ts"
import type { Expirable, FindExpirable } from "../../../ports/kernel/Expirable.ts"
import { storeTimeLateMillis } from "../../../ports/kernel/StoreTime.ts"
import { readAside } from "../connection/DeferredTransaction.ts"
import { ruleOf } from "./Rows.ts"

/** Finds rows `t` of a table that a rule holds for, the earliest `expires_at` first. */
export const makeExpirable =
  (sql: SqlClient.SqlClient, table: string, ranOut: Rule.TimedRule): FindExpirable =>
  (now, limit, except, only) =>
    Effect.orDie(sql<Expirable>`
      SELECT t.organisation_id, t.id, (date_part('epoch', t.expires_at) * 1000)::float8 AS expired_millis
      FROM /* every organisation */ ${sql.literal(table)} AS t
      WHERE ${ruleOf(sql, Rule.at(ranOut, now), "t")} AND t.id <> ALL(${[...except]}::text[])
        ${only === undefined ? sql.literal("") : sql`AND t.organisation_id = ${only}`}
      ORDER BY t.expires_at, t.id LIMIT ${limit}::int4`)

/** How long an answer is counted on from, milliseconds: a clock of the database that is set is noticed by then. */
const rememberedMillis = 1_000

/** The database's clock, and this process's clocks when its time arrived, milliseconds. */
interface Heard {
  readonly at: number
  readonly monotonic: number
  readonly wall: number
}

/**
 * The database's clock, asked once a second and counted on from its answer by monotonic time in between: never ahead of it, and
 * behind it by what the answer took at most. One that took longer than {@link storeTimeLateMillis} is not counted on from. Nor is
 * any where the time of day moved otherwise than the monotonic one: a machine that sleeps stops one of them.
 */
class StoreTime {
  private heard: Heard | undefined
  private last = Number.NEGATIVE_INFINITY

  private learn(asked: number, at: number): void {
    const monotonic = performance.now()
    this.heard = monotonic - asked > storeTimeLateMillis ? undefined : { at, monotonic, wall: Date.now() }
  }

  private counted(): number | undefined {
    const { heard } = this
    if (heard === undefined) return undefined
    const elapsed = performance.now() - heard.monotonic
    const isEven = Math.abs(Date.now() - heard.wall - elapsed) <= storeTimeLateMillis
    return elapsed <= rememberedMillis && isEven ? heard.at + Math.floor(elapsed) : undefined
  }

  /** Two answers that took unevenly long are no clock that was set back. */
  private told(at: number): DateTime.Utc {
    this.last = at < this.last && this.last - at <= storeTimeLateMillis ? this.last : at
    return instantAt(this.last)
  }

  read(ask: Effect.Effect<Date, SqlError.SqlError>): Effect.Effect<DateTime.Utc, SqlError.SqlError> {
    return Effect.suspend(() => {
      const counted = this.counted()
      if (counted !== undefined) return Effect.succeed(this.told(counted))
      const asked = performance.now()
      return Effect.map(ask, (at) => {
        this.learn(asked, at.getTime())
        return this.told(at.getTime())
      })
    })
  }
}

const known = new WeakMap<SqlClient.SqlClient, StoreTime>()

/** The time that is kept for a database, of which all stores on it know. */
const timeOf = (sql: SqlClient.SqlClient): StoreTime => {
  const kept = known.get(sql) ?? new StoreTime()
  known.set(sql, kept)
  return kept
}

const readNow = Schema.decodeUnknownSync(Schema.Struct({ at: Schema.Date }))

/** The database's clock as records have it, rounded down: what was written as due now is due. */
export const makeNow = (sql: SqlClient.SqlClient): Effect.Effect<DateTime.Utc> => {
  const asked = readAside(sql`SELECT date_trunc('milliseconds', clock_timestamp()) AS at`)
  const ask = Effect.map(asked, ([row]) => readNow(row).at)
  const now = Effect.suspend(() => timeOf(sql).read(ask))
  return Effect.orDie(Effect.flatMap(now, bySurroundingClock))
}
