import { Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AlreadyTaken } from "../../domain/Rejection.ts"
import { codeKey, type Namespace, RevenueCode } from "../../domain/RevenueCode.ts"
import { RevenueCodeStore } from "../../ports/RevenueCodeStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { makeList } from "./Listing.ts"
import { rowsOf } from "./Rows.ts"
import { insertRecord, updateRecord } from "./Writing.ts"

const rows = rowsOf(RevenueCode)

const toRecord = (code: RevenueCode) => ({ ...code, code_key: codeKey(code.code) })

const isTaken = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === "revenue_codes_code"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const transaction = yield* Transaction
  const columns = sql.literal(rows.columns("t"))
  const select = sql`SELECT ${columns} FROM revenue_codes AS t`

  const find = (organisation_id: string, id: string, hold: string) =>
    rows.first(sql`${select} WHERE t.organisation_id = ${organisation_id} AND t.id = ${id} ${sql.literal(hold)}`)

  const findByCode = (organisation_id: string, namespace: Namespace, code: string) =>
    rows.first(sql`
      ${select}
      WHERE t.organisation_id = ${organisation_id} AND t.namespace = ${namespace} AND t.code_key = ${codeKey(code)}`)

  /** Waits for a transaction that is writing the same text; when that one gives up, or moves on, there is another try. */
  const findOrInsert = (code: RevenueCode): Effect.Effect<{ readonly code: RevenueCode; readonly created: boolean }> =>
    Effect.gen(function* () {
      const written = yield* Effect.orDie(
        sql`
          ${insertRecord(sql, "revenue_codes", toRecord(code))}
          ON CONFLICT (organisation_id, namespace, code_key) DO NOTHING RETURNING id`
      )
      if (written.length > 0) return { code, created: true }
      const holder = yield* findByCode(code.organisation_id, code.namespace, code.code)
      return Option.isSome(holder) ? { code: holder.value, created: false } : yield* findOrInsert(code)
    })

  const taken = (holder_id: string) => new AlreadyTaken({ record: "revenue code", field: "code", holder_id })

  const refuseTaken = Effect.fnUntraced(function* (code: RevenueCode) {
    const holder = yield* findByCode(code.organisation_id, code.namespace, code.code)
    if (Option.isSome(holder) && holder.value.id !== code.id) return yield* taken(holder.value.id)
  })

  /** The savepoint keeps the surrounding transaction alive when another one took the text in between. */
  const update: RevenueCodeStore["Service"]["update"] = Effect.fnUntraced(function* (code) {
    yield* refuseTaken(code)
    yield* transaction
      .run(updateRecord(sql, "revenue_codes", toRecord(code)))
      .pipe(
        Effect.catch((error) =>
          isTaken(error) ? Effect.andThen(refuseTaken(code), Effect.die(error)) : Effect.die(error)
        )
      )
  })

  return RevenueCodeStore.of({
    insert: (code) =>
      Effect.flatMap(findOrInsert(code), (found) => (found.created ? Effect.void : Effect.fail(taken(found.code.id)))),
    findOrInsert,
    find: (organisation_id, id) => find(organisation_id, id, ""),
    findByCode,
    findForUpdate: (organisation_id, id) => find(organisation_id, id, "FOR NO KEY UPDATE"),
    update,
    list: makeList(sql, { rows, table: "revenue_codes", archivable: true })
  })
})

export const layer: Layer.Layer<RevenueCodeStore, never, SqlClient.SqlClient | Transaction> = Layer.effect(
  RevenueCodeStore,
  make
)
