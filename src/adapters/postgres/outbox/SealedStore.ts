import { type DateTime, Effect, Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import * as Idempotency from "../../../domain/access/Idempotency.ts"
import * as Integration from "../../../domain/access/Integration.ts"
import { countedAs, KeyUsage, type SealedKind } from "../../../domain/access/KeyUsage.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import * as Introduction from "../../../domain/sharing/Introduction.ts"
import { type SealedSecret, SealedStore } from "../../../ports/access/SealedStore.ts"
import { storeFrom } from "../records/Records.ts"
import { ruleOf } from "../records/Rows.ts"

const Row = Schema.Struct({
  kind: Schema.Literals(Struct.keys(countedAs)),
  organisation_id: Schema.String,
  id: Schema.String,
  sealed: Schema.String
})

const readRows = Schema.decodeUnknownSync(Schema.Array(Row))
const readUsage = Schema.decodeUnknownSync(Schema.Array(KeyUsage))

/** Where secrets of a kind are kept: `key` is the column that has the record's id, `id` when not said. */
interface Place {
  readonly table: string
  readonly column: string
  readonly key?: string
}

const places: Readonly<Record<SealedKind, Place>> = {
  integration_credentials: { table: "integrations", column: "sealed_credentials" },
  payment_token: { table: "charges", column: "sealed_token" },
  previous_notice_secrets: { table: "integrations", column: "previous_sealed_notice_secrets" },
  previous_webhook_secret: { table: "webhook_endpoints", column: "previous_sealed_secret" },
  stored_answer: { table: "idempotency_records", column: "sealed_body", key: "scope" },
  webhook_secret: { table: "webhook_endpoints", column: "sealed_secret" }
}

const sealedAt = (sql: SqlClient.SqlClient, now: DateTime.Utc) => sql`
  SELECT 'previous_webhook_secret'::text COLLATE "C" AS kind, e.organisation_id, e.id, e.previous_sealed_secret AS sealed
  FROM /* every organisation */ webhook_endpoints AS e
  WHERE ${ruleOf(sql, WebhookEndpoint.undeletedRule, "e")} AND ${ruleOf(sql, Rule.at(WebhookEndpoint.overlapRule, now), "e")}
  UNION ALL
  SELECT 'integration_credentials', i.organisation_id, i.id, i.sealed_credentials
  FROM /* every organisation */ integrations AS i WHERE ${ruleOf(sql, Integration.ownCredentialsRule, "i")}
  UNION ALL
  SELECT 'previous_notice_secrets', i.organisation_id, i.id, i.previous_sealed_notice_secrets
  FROM /* every organisation */ integrations AS i WHERE ${ruleOf(sql, Rule.at(Integration.overlapRule, now), "i")}
  UNION ALL
  SELECT 'payment_token', c.organisation_id, c.id, c.sealed_token
  FROM /* every organisation */ charges AS c WHERE c.sealed_token IS NOT NULL
  UNION ALL
  SELECT 'stored_answer', r.organisation_id, r.scope, r.sealed_body
  FROM /* every organisation */ idempotency_records AS r
  WHERE r.sealed_body IS NOT NULL AND ${ruleOf(sql, Rule.at(Idempotency.live, now), "r")}
  UNION ALL
  SELECT 'webhook_secret', e.organisation_id, e.id, e.sealed_secret
  FROM /* every organisation */ webhook_endpoints AS e WHERE ${ruleOf(sql, WebhookEndpoint.undeletedRule, "e")}`

/** Sealed values, over the tables of the stores that keep them. */
export const layer = storeFrom(SealedStore, function* (sql) {
  const usage: SealedStore["Service"]["usage"] = Effect.fnUntraced(function* (now) {
    const found = yield* sql`
      WITH sealed AS (${sealedAt(sql, now)}), used AS (
        SELECT split_part(s.sealed, '.', 2) AS key_id, w.what
        FROM sealed AS s JOIN jsonb_each_text(${JSON.stringify(countedAs)}::jsonb) AS w (kind, what) ON w.kind = s.kind
        UNION ALL
        SELECT i.token_key_id, 'introductions' FROM /* every organisation */ introductions AS i
        WHERE ${ruleOf(sql, Rule.at(Introduction.open, now), "i")}
        UNION ALL
        SELECT g.passphrase_key_id, 'passphrases' FROM /* every organisation */ integrations AS g
        WHERE g.passphrase_key_id IS NOT NULL
      )
      SELECT u.key_id, (count(*) FILTER (WHERE u.what = 'webhook_secrets'))::int4 AS webhook_secrets,
             (count(*) FILTER (WHERE u.what = 'stored_answers'))::int4 AS stored_answers,
             (count(*) FILTER (WHERE u.what = 'payment_tokens'))::int4 AS payment_tokens,
             (count(*) FILTER (WHERE u.what = 'credentials'))::int4 AS credentials,
             (count(*) FILTER (WHERE u.what = 'introductions'))::int4 AS introductions,
             (count(*) FILTER (WHERE u.what = 'passphrases'))::int4 AS passphrases
      FROM used AS u GROUP BY u.key_id ORDER BY u.key_id`
    return readUsage(found)
  }, Effect.orDie)

  const samples: SealedStore["Service"]["samples"] = Effect.fnUntraced(function* (limit) {
    const found = yield* sql`
      WITH secrets AS (
        SELECT 'webhook_secret' AS kind, e.organisation_id, e.id, e.sealed_secret AS sealed, e.updated_at
        FROM /* every organisation */ webhook_endpoints AS e WHERE ${ruleOf(sql, WebhookEndpoint.undeletedRule, "e")}
        UNION ALL
        SELECT 'integration_credentials', i.organisation_id, i.id, i.sealed_credentials, i.updated_at
        FROM /* every organisation */ integrations AS i WHERE ${ruleOf(sql, Integration.ownCredentialsRule, "i")}
      ), latest AS (
        SELECT s.kind, s.organisation_id, s.id, s.sealed, row_number() OVER (
          PARTITION BY split_part(s.sealed, '.', 2) ORDER BY s.updated_at DESC, s.id DESC) AS place
        FROM secrets AS s
      )
      SELECT l.kind, l.organisation_id, l.id, l.sealed FROM latest AS l
      WHERE l.place <= ${limit}::int4`
    return readRows(found)
  }, Effect.orDie)

  const sealedWith: SealedStore["Service"]["sealedWith"] = Effect.fnUntraced(function* (key_ids, now, after, limit) {
    const from = after ?? { kind: "", organisation_id: "", id: "" }
    const found = yield* sql`
      WITH sealed AS (${sealedAt(sql, now)})
      SELECT s.kind, s.organisation_id, s.id, s.sealed FROM sealed AS s
      WHERE split_part(s.sealed, '.', 2) = ANY(${key_ids}::text[])
        AND (s.kind, s.organisation_id, s.id) > (${from.kind}::text, ${from.organisation_id}::text, ${from.id}::text)
      ORDER BY s.kind, s.organisation_id, s.id LIMIT ${limit}::int4`
    return readRows(found)
  }, Effect.orDie)

  const replaced = ({ id, kind, organisation_id, sealed: before }: SealedSecret, sealed: string) => {
    const place = places[kind]
    const [table, column, key] = [sql.literal(place.table), sql.literal(place.column), sql.literal(place.key ?? "id")]
    return sql`
      UPDATE ${table} SET ${column} = ${sealed}
      WHERE organisation_id = ${organisation_id} AND ${key} = ${id} AND ${column} = ${before} RETURNING ${key}`
  }

  return {
    usage,
    samples,
    sealedWith,
    replace: (secret, sealed) => Effect.orDie(Effect.map(replaced(secret, sealed), ({ length }) => length > 0))
  }
})
