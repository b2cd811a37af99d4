import { Ids, Rejection, RevenueCode } from "almoner/domain"
import { RevenueCodeStore } from "almoner/ports"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { listFrom } from "./Lists.ts"
import { type Row, Sqlite, type Statements, type Value } from "./Sqlite.ts"

type Code = RevenueCode.RevenueCode

const schema = `
  CREATE TABLE IF NOT EXISTS revenue_codes (
    organisation_id TEXT NOT NULL,
    id TEXT NOT NULL,
    code TEXT NOT NULL,
    code_key TEXT NOT NULL,
    namespace TEXT NOT NULL,
    description TEXT,
    is_fca INTEGER NOT NULL,
    jurisdiction TEXT,
    archived_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (organisation_id, id),
    UNIQUE (organisation_id, namespace, code_key)
  ) STRICT`

const columns = [
  "code",
  "code_key",
  "namespace",
  "description",
  "is_fca",
  "jurisdiction",
  "archived_at",
  "created_at",
  "updated_at"
] as const

/** The code's values in the order of {@link columns}. Instants are milliseconds since the epoch. */
const valuesOf = (code: Code): ReadonlyArray<Value> => [
  code.code,
  RevenueCode.codeKey(code.code),
  code.namespace,
  code.description,
  Number(code.is_fca),
  code.jurisdiction,
  code.archived_at === null ? null : DateTime.toEpochMillis(code.archived_at),
  DateTime.toEpochMillis(code.created_at),
  DateTime.toEpochMillis(code.updated_at)
]

const namespaceOf = Schema.decodeUnknownSync(RevenueCode.Namespace)

const instantOf = (value: unknown): DateTime.Utc => DateTime.makeUnsafe(Number(value))

const recordOf = (row: Row): Code => ({
  id: Ids.RevenueCodeId.make(String(row["id"])),
  organisation_id: Ids.OrganisationId.make(String(row["organisation_id"])),
  code: String(row["code"]),
  namespace: namespaceOf(row["namespace"]),
  description: row["description"] === null ? null : String(row["description"]),
  is_fca: row["is_fca"] === 1,
  jurisdiction: row["jurisdiction"] === null ? null : String(row["jurisdiction"]),
  archived_at: row["archived_at"] === null ? null : instantOf(row["archived_at"]),
  created_at: instantOf(row["created_at"]),
  updated_at: instantOf(row["updated_at"])
})

const first = (rows: ReadonlyArray<Row>): Option.Option<Code> => Option.map(Option.fromNullishOr(rows[0]), recordOf)

const byId = (sql: Statements, organisation_id: string, id: string) =>
  first(sql.all("SELECT * FROM revenue_codes WHERE organisation_id = ? AND id = ?", [organisation_id, id]))

const byCode = (sql: Statements, organisation_id: string, namespace: string, code: string) =>
  first(
    sql.all("SELECT * FROM revenue_codes WHERE organisation_id = ? AND namespace = ? AND code_key = ?", [
      organisation_id,
      namespace,
      RevenueCode.codeKey(code)
    ])
  )

/** The code itself where it was inserted, or the one that has its text. */
const insertOrFind = (sql: Statements, code: Code): Code => {
  const written = sql.run(
    `INSERT INTO revenue_codes (organisation_id, id, ${columns.join(", ")})
     VALUES (?, ?, ${columns.map(() => "?").join(", ")})
     ON CONFLICT (organisation_id, namespace, code_key) DO NOTHING`,
    [code.organisation_id, code.id, ...valuesOf(code)]
  )
  return written > 0 ? code : Option.getOrThrow(byCode(sql, code.organisation_id, code.namespace, code.code))
}

/** The code itself where it was updated, or where there is none to update; or the other one that has its text. */
const updateOrFind = (sql: Statements, code: Code): Code => {
  const holder = byCode(sql, code.organisation_id, code.namespace, code.code)
  if (Option.isSome(holder) && holder.value.id !== code.id) return holder.value
  sql.run(
    `UPDATE revenue_codes SET ${columns.map((column) => `${column} = ?`).join(", ")}
     WHERE organisation_id = ? AND id = ?`,
    [...valuesOf(code), code.organisation_id, code.id]
  )
  return code
}

const unlessTaken = (code: Code, kept: Code): Effect.Effect<void, Rejection.AlreadyTaken> =>
  kept.id === code.id
    ? Effect.void
    : Effect.fail(new Rejection.AlreadyTaken({ record: "revenue code", field: "code", holder_id: kept.id }))

const make = Effect.gen(function* () {
  const sqlite = yield* Sqlite
  yield* sqlite.use((sql) => sql.run(schema))
  // A transaction has the only session, so that whatever it reads is held until it ends.
  const find = (organisation_id: string, id: string) => sqlite.use((sql) => byId(sql, organisation_id, id))
  return RevenueCodeStore.of({
    insert: (code) =>
      Effect.flatMap(
        sqlite.use((sql) => insertOrFind(sql, code)),
        (kept) => unlessTaken(code, kept)
      ),
    findOrInsert: (code) =>
      Effect.map(
        sqlite.use((sql) => insertOrFind(sql, code)),
        (kept) => ({ code: kept, created: kept.id === code.id })
      ),
    find,
    findForUpdate: find,
    findByCode: (organisation_id, namespace, code) =>
      sqlite.use((sql) => byCode(sql, organisation_id, namespace, code)),
    update: (code) =>
      Effect.flatMap(
        sqlite.use((sql) => updateOrFind(sql, code)),
        (kept) => unlessTaken(code, kept)
      ),
    list: listFrom(sqlite, "revenue_codes", recordOf)
  })
})

/** Revenue codes in a SQLite database. Makes its table. */
export const layer: Layer.Layer<RevenueCodeStore, never, Sqlite> = Layer.effect(RevenueCodeStore, make)
