import { type DateTime, Duration, Schema } from "effect"
import { subtractTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import { Rejection } from "../kernel/Rejection.ts"
import * as Rule from "../kernel/Rule.ts"

/**
 * The scope of an Idempotency-Key: two requests with the same key are the same request only when all of these are
 * equal. Rotating a key's secret raises the generation, which starts a new namespace. service-spec, Limits: Idempotency
 * rules; decisions, section 1: API keys.
 */
export interface IdempotencyScope {
  readonly organisation_id: string
  readonly api_key_id: string
  readonly generation: number
  readonly method: string
  /** The path as requested, ids included. */
  readonly path: string
  readonly key: string
}

/**
 * Whether a text may be an Idempotency-Key. decisions, section 1.
 * @example Idempotency.isKey("") // => false
 */
export const isKey = (text: string): boolean => text.length >= 1 && text.length <= Limits.idempotencyKeyCharacters

/** An answer that is replayed byte for byte. */
export interface StoredAnswer {
  readonly status: number
  readonly content_type: string
  readonly body: Uint8Array
}

/** The record of a used key. `answer` is null where the answer was too large to keep. */
export interface IdempotencyRecord {
  /** Hash of the request's body as received, keyed because bodies may hold secrets. */
  readonly body_hash: string
  readonly answer: StoredAnswer | null
  readonly created_at: DateTime.Utc
}

/** How a request that carries a key is to be handled. */
export type Reservation =
  /** The key is new: run the operation and keep its answer. */
  | { readonly _tag: "Run" }
  /** Same key, same body: serve what is stored. */
  | { readonly _tag: "Replay"; readonly answer: StoredAnswer }
  /** Same key, other body: 409 idempotency_conflict. */
  | { readonly _tag: "BodyDiffers" }
  /** The key is taken by a request that is still running: 409 conflict. */
  | { readonly _tag: "InFlight" }
  /** Same key, same body, but the answer was too large to keep: 409 conflict, and never a second run. */
  | { readonly _tag: "AnswerNotKept" }

const whyNotAnswered = {
  in_flight: "This Idempotency-Key is still being processed by a concurrent request. Try again shortly.",
  body_differs: "This Idempotency-Key was used with a different body. Use a new key for a new request.",
  answer_not_kept:
    "This Idempotency-Key was used and the operation ran, but its answer was too large to keep for replay. Read the records instead."
} as const

/** A key that cannot be answered: nothing was done, and nothing was kept. decisions, section 2, step 8. */
export class IdempotencyConflict extends Rejection.extend<IdempotencyConflict>("IdempotencyConflict")({
  _tag: Schema.tag("IdempotencyConflict"),
  reason: Schema.Literals(["in_flight", "body_differs", "answer_not_kept"])
}) {
  override get message(): string {
    return whyNotAnswered[this.reason]
  }
}

const keptFor = Duration.hours(Limits.idempotencyRecordHours)

/** Records that still count. One that is older than 24 hours counts as absent, swept or not. decisions, section 2. */
export const live = Rule.rulesOf<IdempotencyRecord>().liesAhead("created_at", keptFor)

/**
 * Whether a record still counts.
 * @example Idempotency.isLive({ created_at: at }, DateTime.add(at, { hours: 24 })) // => false
 */
export const isLive = (record: Pick<IdempotencyRecord, "created_at">, now: DateTime.Utc): boolean =>
  Rule.holdsAt(live, record, now)

/**
 * The newest `created_at` of records that are absent at `now`: those made then or before can be deleted.
 * @example
 * DateTime.formatIso(Idempotency.absentSince(DateTime.makeUnsafe("2026-04-02T00:00:00Z")))
 * // => "2026-04-01T00:00:00.000Z"
 */
export const absentSince = (now: DateTime.Utc): DateTime.Utc => subtractTime(now, keptFor)

/**
 * Decides about a key that no other request holds. `body_hashes` are all the hashes that the body may be recorded
 * under. A hash of an encryption key that this process has not, such as one of a process that was restarted with a new one,
 * tells nothing of the body: the caller is to try again, and never to take another Idempotency-Key.
 * @example
 * Idempotency.decide(undefined, ["a1"], at) // => { _tag: "Run" }
 * const record = { body_hash: "a1", answer: null, created_at: at }
 * Idempotency.decide(record, ["b2"], at) // => { _tag: "BodyDiffers" }
 * Idempotency.decide({ ...record, body_hash: "k2.a1" }, ["k1.a1"], at) // => { _tag: "InFlight" }
 */
export const decide = (
  record: IdempotencyRecord | undefined,
  body_hashes: ReadonlyArray<string>,
  now: DateTime.Utc
): Reservation => {
  if (record === undefined || !isLive(record, now)) return { _tag: "Run" }
  if (!body_hashes.includes(record.body_hash)) {
    // A dot ends the id of the encryption key that a hash was made with; a plain digest has neither.
    const key = record.body_hash.slice(0, record.body_hash.indexOf(".") + 1)
    const isUnknown = key !== "" && !body_hashes.some((hash) => hash.startsWith(key))
    return { _tag: isUnknown ? "InFlight" : "BodyDiffers" }
  }
  return record.answer === null ? { _tag: "AnswerNotKept" } : { _tag: "Replay", answer: record.answer }
}

/**
 * Whether an answer is recorded for replay: all but server errors. Of one that is too large, {@link storableAnswer} leaves only
 * the mark that the key was used.
 * @example
 * Idempotency.isStored(409) // => true
 * Idempotency.isStored(503) // => false
 */
export const isStored = (status: number): boolean => status < 500

/**
 * The answer as it is kept: null when it is larger than 256 KB. service-spec, Limits: Cached response size.
 * @example
 * const answer = { status: 200, content_type: "application/json", body: new Uint8Array(300_000) }
 * Idempotency.storableAnswer(answer) // => null
 */
export const storableAnswer = (answer: StoredAnswer): StoredAnswer | null =>
  answer.body.byteLength > Limits.storedAnswerBytes ? null : answer
