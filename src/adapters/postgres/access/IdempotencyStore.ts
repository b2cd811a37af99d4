import { Duration, Effect, Option, Schema } from "effect"
import type { Statement } from "effect/sql/Statement"
import * as Idempotency from "../../../domain/access/Idempotency.ts"
import { IdempotencyStore } from "../../../ports/access/IdempotencyStore.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import { reservingTransaction, runWrite } from "../connection/DeferredTransaction.ts"
import { isEmbedded } from "../connection/Kind.ts"
import { CurrentLevel } from "../connection/LazyConnection.ts"
import { deleteOldest, readOrDie, runOrDie, storeFrom } from "../records/Records.ts"
import { type Query, rowsOf } from "../records/Rows.ts"
import * as KeysInFlight from "./KeysInFlight.ts"

const Row = Schema.Struct({
  body_hash: Schema.String,
  /** Null where the answer was too large to keep. */
  status: Schema.NullOr(Schema.Int),
  content_type: Schema.NullOr(Schema.String),
  body: Schema.NullOr(Schema.Uint8Array),
  /** Instead of `body` where the answer holds a secret: its base64, sealed. */
  sealed_body: Schema.NullOr(Schema.String),
  created_at: Schema.DateTimeUtc
})

const rows = rowsOf(Row)

const inFlight: Idempotency.Reservation = { _tag: "InFlight" }

/** Keys and their answers. {@link KeysInFlight} is to be one for this and for the intake. */
export const layer = storeFrom(IdempotencyStore, function* (sql) {
  const box = yield* SecretBox
  const keys = yield* KeysInFlight.KeysInFlight
  const embedded = yield* isEmbedded
  const columns = sql.literal(rows.columns("r"))

  /** A lock of the other processes' requests; it ends with the transaction. */
  const lock = ({ lock }: KeysInFlight.ScopeName): Effect.Effect<boolean> =>
    embedded
      ? Effect.succeed(true)
      : readOrDie(
          sql<{ readonly locked: boolean }>`SELECT pg_try_advisory_xact_lock(${lock}::int8) AS locked`,
          ([row]) => row?.locked === true
        )

  const answerOf = Effect.fnUntraced(function* (row: typeof Row.Type, name: KeysInFlight.ScopeName) {
    const body =
      row.sealed_body === null
        ? row.body
        : Buffer.from(yield* Effect.orDie(box.open(row.sealed_body, name.text)), "base64")
    if (row.status === null || row.content_type === null || body === null) return null
    return { status: row.status, content_type: row.content_type, body }
  })

  const recordOf = Effect.fnUntraced(function* (
    organisation_id: string,
    name: KeysInFlight.ScopeName,
    ask: (statement: Statement<Readonly<Record<string, unknown>>>) => Query = (statement) => statement
  ) {
    const row = yield* rows.first(
      ask(sql`
        SELECT ${columns} FROM idempotency_records AS r
        WHERE r.organisation_id = ${organisation_id} AND r.scope = ${name.text}`)
    )
    if (Option.isNone(row)) return undefined
    const { body_hash, created_at } = row.value
    return { body_hash, created_at, answer: yield* answerOf(row.value, name) }
  })

  const reserve: IdempotencyStore["Service"]["reserve"] = Effect.fnUntraced(function* (scope, body_hashes, now) {
    const level = yield* CurrentLevel
    if (level === undefined) return yield* Effect.die(new Error("a key is reserved in a transaction only"))
    const name = keys.nameOf(scope)
    const release = keys.take(name)
    if (release === undefined) return inFlight
    level.atEnd.push(release)
    const draft = yield* reservingTransaction
    if (draft !== undefined) {
      const record = yield* recordOf(scope.organisation_id, name, (statement) => draft.beside(statement))
      const reservation = Idempotency.decide(record, body_hashes, now)
      if (record === undefined)
        draft.reserve({ organisation_id: scope.organisation_id, scope: name.text, lock: name.lock })
      if (record === undefined || reservation._tag !== "Run") return reservation
    }
    if (!(yield* lock(name))) {
      release()
      return inFlight
    }
    return Idempotency.decide(yield* recordOf(scope.organisation_id, name), body_hashes, now)
  })

  const keep: IdempotencyStore["Service"]["keep"] = Effect.fnUntraced(function* (
    scope,
    body_hash,
    answer,
    { now, secret }
  ) {
    const name = keys.nameOf(scope)
    const kept = Idempotency.storableAnswer(answer)
    const status = kept === null ? null : kept.status
    const content_type = kept === null ? null : kept.content_type
    const body = kept === null || secret ? null : kept.body
    const sealed =
      kept === null || !secret ? null : yield* box.seal(Buffer.from(kept.body).toString("base64"), name.text)
    const record = sql`
      INSERT INTO idempotency_records (organisation_id, scope, body_hash, status, content_type, body, sealed_body, created_at)
      SELECT ${scope.organisation_id}::text, ${name.text}::text, ${body_hash}::text, ${status}::int4, ${content_type}::text,
             ${body}::bytea, ${sealed}::text, ${new Date(now.epochMilliseconds)}::timestamptz`
    yield* runWrite({
      part: "answer",
      scope: name.text,
      direct: () => sql`
        ${record}
        ON CONFLICT (organisation_id, scope) DO UPDATE SET
          body_hash = EXCLUDED.body_hash, status = EXCLUDED.status, content_type = EXCLUDED.content_type,
          body = EXCLUDED.body, sealed_body = EXCLUDED.sealed_body, created_at = EXCLUDED.created_at`,
      gated: (condition) => sql`
        ${record} WHERE ${condition} ON CONFLICT (organisation_id, scope) DO NOTHING RETURNING scope`
    })
  }, Effect.orDie)

  /** A hold is a row beside the key's record: without an answer, it names its holder. */
  const heldName = (scope: Idempotency.IdempotencyScope) => `${keys.nameOf(scope).text}.held`

  const hold: IdempotencyStore["Service"]["hold"] = (scope, holder, now, lease) =>
    readOrDie(
      sql<{ readonly scope: string }>`
        INSERT INTO idempotency_records (organisation_id, scope, body_hash, created_at)
        SELECT ${scope.organisation_id}::text, ${heldName(scope)}::text, ${holder}::text,
               ${new Date(now.epochMilliseconds)}::timestamptz
        ON CONFLICT (organisation_id, scope) DO UPDATE SET
          body_hash = EXCLUDED.body_hash, created_at = EXCLUDED.created_at
        WHERE idempotency_records.created_at
              <= ${new Date(now.epochMilliseconds - Duration.toMillis(lease))}::timestamptz
        RETURNING scope`,
      (held) => held.length > 0
    )

  const release: IdempotencyStore["Service"]["release"] = (scope, holder) =>
    runOrDie(sql`
      DELETE FROM idempotency_records AS r
      WHERE r.organisation_id = ${scope.organisation_id} AND r.scope = ${heldName(scope)} AND r.body_hash = ${holder}`)

  /** Skips a record that a request is replacing at this moment; one that was just replaced is checked again, and stays. */
  const forget: IdempotencyStore["Service"]["forget"] = deleteOldest(sql, {
    table: "idempotency_records",
    at: "created_at",
    key: "scope"
  })

  return { reserve, keep, hold, release, forget }
})
