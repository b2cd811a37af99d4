import { Effect, Option } from "effect"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { undeletedRule, WebhookEndpoint } from "../../../domain/outbox/WebhookEndpoint.ts"
import { WebhookEndpointStore } from "../../../ports/outbox/WebhookEndpointStore.ts"
import { makeRecords, storeFrom } from "../records/Records.ts"
import { rowsOf, ruleOf } from "../records/Rows.ts"

export const rows = rowsOf(WebhookEndpoint)

export const layer = storeFrom(WebhookEndpointStore, function* (sql) {
  const records = makeRecords(sql, {
    rows,
    table: "webhook_endpoints",
    hiddenBy: undeletedRule.column
  })

  /** The organisation's row is what those who count wait for. Its readers and the keys that refer to it do not. */
  const countForUpdate = Effect.fnUntraced(function* (organisation_id: string) {
    yield* sql`SELECT id FROM organisations WHERE id = ${organisation_id} FOR NO KEY UPDATE`
    const [row] = yield* sql<{ readonly count: number }>`
        SELECT count(*)::int4 AS count FROM webhook_endpoints AS t
        WHERE t.organisation_id = ${organisation_id} AND ${ruleOf(sql, undeletedRule, "t")}`
    return row?.count ?? 0
  }, Effect.orDie)

  return {
    ...records,
    find: (organisation_id, id) =>
      Effect.map(
        records.find(organisation_id, id),
        Option.filter((endpoint) => Rule.holds(undeletedRule, endpoint))
      ),
    countForUpdate
  }
})
