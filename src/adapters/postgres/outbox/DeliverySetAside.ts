import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { SetAside } from "../../../domain/outbox/Delivery.ts"
import type { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { readOrDie } from "../records/Records.ts"

/** The lease of what is set aside. No worker has it, and it never ends. */
const asideLease = "set aside"

interface Unreadable extends SetAside {
  readonly lease_id: string
}

/** Keeps deliveries that cannot be read from every worker, with the reason, and says so in the log. */
export const setAside = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (unreadable: ReadonlyArray<Unreadable>) {
    for (const { id, lease_id, organisation_id, reason } of unreadable) {
      yield* sql`
        UPDATE pending_deliveries SET lease_id = ${asideLease}, lease_until = 'infinity', set_aside_reason = ${reason}
        WHERE organisation_id = ${organisation_id} AND id = ${id} AND lease_id = ${lease_id}`
      yield* Effect.logError(
        `Delivery ${id} of ${organisation_id} cannot be read and is set aside (almoner delivery set-aside): ${reason}`
      )
    }
  })

const readSetAside = Schema.decodeUnknownSync(SetAside)

/** The deliveries that are set aside, in the order of the index of leases. */
export const makeSetAside =
  (sql: SqlClient.SqlClient): DeliveryStore["Service"]["setAside"] =>
  (limit) =>
    readOrDie(
      sql`
          SELECT organisation_id, id, coalesce(set_aside_reason, '') AS reason
          FROM /* every organisation */ pending_deliveries
          WHERE lease_id IS NOT NULL AND lease_id = ${asideLease}
          ORDER BY organisation_id, lease_until, id LIMIT ${limit}::int4`,
      (found) => found.map((row) => readSetAside(row))
    )

export const makePutBack = (sql: SqlClient.SqlClient): DeliveryStore["Service"]["putBack"] =>
  readOrDie(
    sql`
        UPDATE /* every organisation */ pending_deliveries
        SET lease_id = NULL, lease_until = NULL, set_aside_reason = NULL
        WHERE lease_id IS NOT NULL AND lease_id = ${asideLease}
        RETURNING id`,
    (put) => put.length
  )
