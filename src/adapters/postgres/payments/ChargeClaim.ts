import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ChargeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { bySurroundingClock } from "../../../ports/kernel/AheadClock.ts"
import type { ChargeStore, DueCharge } from "../../../ports/payments/ChargeStore.ts"
import { type DueRows, leasedInOrder, nextDues, nowOf } from "../records/FairQueue.ts"
import { storeTime } from "../records/StoreTime.ts"

type Store = ChargeStore["Service"]

const readNow = Schema.decodeUnknownSync(Schema.Struct({ at: Schema.Date }))
const isDue = Schema.is(Schema.Struct({ organisation_id: OrganisationId, id: ChargeId }))

/** The database's clock as records have it, rounded down: what was written as due now is due. */
const now = (sql: SqlClient.SqlClient) => sql`date_trunc('milliseconds', clock_timestamp())`

export const makeNow = (sql: SqlClient.SqlClient): Store["now"] => {
  const ask = Effect.map(sql`SELECT ${now(sql)} AS at`, ([row]) => readNow(row).at)
  return Effect.orDie(Effect.flatMap(storeTime(sql, ask), bySurroundingClock))
}

const awaiting: DueRows = { table: "charges", due: "look_at", time: "organisation" }

const columns = "t.organisation_id, t.id"

/** Leases what is due. A row whose id is none is leased with the rest, and not handed out. */
export const makeClaim =
  (sql: SqlClient.SqlClient): Store["claim"] =>
  (limit, duration, only) =>
    Effect.orDie(
      Effect.map(
        leasedInOrder(sql, awaiting, { columns, lease: duration, limit, only }),
        (found): ReadonlyArray<DueCharge> => found.filter((row) => isDue(row))
      )
    )

/** Makes a charge due. What is due already keeps its place. */
export const makeDue = (sql: SqlClient.SqlClient, organisation_id: OrganisationId, id: ChargeId) => sql`
  UPDATE charges SET look_at = least(look_at, ${nowOf(sql, organisation_id)})
  WHERE organisation_id = ${organisation_id} AND id = ${id}`

export const makeNextDues = (sql: SqlClient.SqlClient): Pick<Store, "nextDue" | "nextDueOf"> => nextDues(sql, awaiting)
