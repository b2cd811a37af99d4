import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { Attempt, Delivery, inFlight } from "../../../domain/outbox/Delivery.ts"
import { Replayed } from "../../../domain/outbox/Replay.ts"
import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { makeList } from "../records/Listing.ts"
import { rowsOf } from "../records/Rows.ts"
import { ruleOf } from "../records/Rules.ts"
import { insertRecord } from "../records/Writing.ts"
import { makeClaim, makeNow, makeRenew, makeUntilDue, makeUntilDueOf } from "./DeliveryClaim.ts"
import { makeTrim } from "./DeliveryCleaner.ts"
import { makeAbandon, makeSettle } from "./DeliveryCompleter.ts"
import { makeBringForward } from "./DeliveryForward.ts"
import { makeExpired, makeRelease, makeRepair } from "./DeliveryRescuer.ts"
import { makePutBack, makeSetAside } from "./DeliverySetAside.ts"
import { rows as endpointRows } from "./WebhookEndpointStore.ts"

const rows = rowsOf(Delivery)
const attemptRows = rowsOf(Attempt)
const replayedRows = rowsOf(Replayed)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const insert = (delivery: Delivery) => {
    const { completed_at, next_attempt_at, status, ...rest } = delivery
    return Rule.holds(inFlight, delivery)
      ? insertRecord(sql, "pending_deliveries", { ...rest, next_attempt_at })
      : insertRecord(sql, "finished_deliveries", { ...rest, status, completed_at })
  }

  const find: DeliveryStore["Service"]["find"] = Effect.fnUntraced(function* (organisation_id, id) {
    const found = yield* rows.first(sql`
      SELECT ${sql.literal(rows.columns("t"))} FROM webhook_deliveries AS t
      WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`)
    if (Option.isNone(found)) return Option.none()
    const attempts = yield* attemptRows.all(sql`
      SELECT ${sql.literal(attemptRows.columns("a"))} FROM delivery_attempts AS a
      WHERE a.organisation_id = ${organisation_id} AND a.delivery_id = ${id} ORDER BY a.number`)
    return Option.some({ delivery: found.value, attempts })
  })

  return DeliveryStore.of({
    insert: (delivery) => Effect.asVoid(Effect.orDie(insert(delivery))),
    find,
    list: makeList(sql, { rows, table: "webhook_deliveries" }),
    replaysOf: (organisation_id, events) =>
      events.length === 0
        ? Effect.succeed([])
        : replayedRows.all(sql`
            SELECT ${sql.literal(replayedRows.columns("t"))} FROM webhook_deliveries AS t
            WHERE t.organisation_id = ${organisation_id} AND t.replay_of IS NOT NULL
              AND t.event_id = ANY(${events}::text[])`),
    claim: makeClaim(sql),
    now: makeNow(sql),
    renew: makeRenew(sql),
    release: makeRelease(sql),
    expired: makeExpired(sql),
    repair: makeRepair(sql),
    setAside: makeSetAside(sql),
    putBack: makePutBack(sql),
    settle: makeSettle(sql),
    untilDue: makeUntilDue(sql),
    untilDueOf: makeUntilDueOf(sql),
    bringForward: makeBringForward(sql),
    abandon: makeAbandon(sql),
    trim: makeTrim(sql),
    // One that cannot be read stays as it is: it is not told apart, and the others are.
    failing: (now) =>
      Effect.orDie(
        Effect.map(
          sql`
            SELECT ${sql.literal(endpointRows.columns("e"))} FROM /* every organisation */ webhook_endpoints AS e
            WHERE ${ruleOf(sql, Rule.at(WebhookEndpoint.failing, now), "e")}
            ORDER BY e.failing_since, e.id`,
          (found) => endpointRows.readable(found).read
        )
      ),
    releaseAll: Effect.asVoid(
      Effect.orDie(sql`
        UPDATE /* every organisation */ pending_deliveries SET lease_until = to_timestamp(0)
        WHERE lease_id IS NOT NULL AND set_aside_reason IS NULL`)
    )
  })
})

export const layer: Layer.Layer<DeliveryStore, never, SqlClient.SqlClient> = Layer.effect(DeliveryStore, make)
