import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKey, active } from "../../../domain/access/ApiKey.ts"
import { ApiKeyStore } from "../../../ports/access/ApiKeyStore.ts"
import { insertRecord, updateRecord } from "../records/RecordWriter.ts"
import { rowsOf } from "../records/Rows.ts"
import { ruleOf } from "../records/Rules.ts"
import { rows as organisationRows } from "./OrganisationStore.ts"

const rows = rowsOf(ApiKey)

/** Both records have fields of the same names: the key's columns are told apart by a prefix. */
const prefix = "key_"
const keyColumns = rows.names.map((name) => `k.${name} AS ${prefix}${name}`).join(", ")

const keyOf = (row: Readonly<Record<string, unknown>>): ApiKey =>
  rows.read(Object.fromEntries(rows.names.map((name) => [name, row[`${prefix}${name}`]])))

export const layer: Layer.Layer<ApiKeyStore, never, SqlClient.SqlClient> = Layer.effect(
  ApiKeyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const select = sql`SELECT ${sql.literal(rows.columns("k"))} FROM api_keys AS k`
    const isActive = ruleOf(sql, active, "k")
    const withOrganisation = sql.literal(`${keyColumns}, ${organisationRows.columns("o")}`)

    return ApiKeyStore.of({
      insert: (key) => Effect.asVoid(Effect.orDie(insertRecord(sql, "api_keys", key))),
      findActive: (secret_hash) =>
        Effect.orDie(
          Effect.map(
            sql`
              SELECT ${withOrganisation} FROM /* every organisation */ api_keys AS k
              JOIN organisations AS o ON o.id = k.organisation_id
              WHERE k.secret_hash = ${secret_hash} AND ${isActive}`,
            ([row]) =>
              row === undefined
                ? Option.none()
                : Option.some({ key: keyOf(row), organisation: organisationRows.read(row) })
          )
        ),
      findForUpdate: (organisation_id, id) =>
        rows.first(sql`${select} WHERE k.organisation_id = ${organisation_id} AND k.id = ${id} FOR NO KEY UPDATE`),
      list: (organisation_id) =>
        rows.all(sql`${select} WHERE k.organisation_id = ${organisation_id} ORDER BY k.created_at, k.id`),
      update: (key) => Effect.asVoid(Effect.orDie(updateRecord(sql, "api_keys", key)))
    })
  })
)
