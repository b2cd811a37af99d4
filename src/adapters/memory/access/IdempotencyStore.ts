import { DateTime, Effect, HashMap, Option, Result } from "effect"
import { Base64 } from "effect/encoding"
import {
  decide,
  type IdempotencyScope,
  type Reservation,
  type StoredAnswer,
  storableAnswer
} from "../../../domain/access/Idempotency.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { IdempotencyStore } from "../../../ports/access/IdempotencyStore.ts"
import { SecretBox } from "../../../ports/kernel/SecretBox.ts"
import { type Change, storeFrom } from "../Memory.ts"
import type { KeptAnswer, State } from "../State.ts"

/** A scope as one text; different scopes have different texts. */
export const scopeKey = (scope: IdempotencyScope): string =>
  JSON.stringify([scope.organisation_id, scope.api_key_id, scope.generation, scope.method, scope.path, scope.key])

export const withAnswer = (state: State, scope: IdempotencyScope, record: KeptAnswer): State => ({
  ...state,
  answers: HashMap.set(state.answers, scopeKey(scope), record)
})

const forgotten = (state: State, before: DateTime.Utc, limit: number): Change<number, never> => {
  const old = Array.from(state.answers)
    .filter(([, { created_at }]) => DateTime.isLessThanOrEqualTo(created_at, before))
    .sort(([, a], [, b]) => DateTime.Order(a.created_at, b.created_at))
    .slice(0, limit)
    .map(([key]) => key)
  return Result.succeed([old.length, { ...state, answers: HashMap.removeMany(state.answers, old) }])
}

const inFlight: Reservation = { _tag: "InFlight" }

export const layer = storeFrom(IdempotencyStore, function* (memory) {
  const box = yield* SecretBox

  const opened = (key: string, { body, ...rest }: NonNullable<KeptAnswer["answer"]>): Effect.Effect<StoredAnswer> =>
    "plain" in body
      ? Effect.succeed({ ...rest, body: body.plain })
      : box.open(body.sealed, key).pipe(
          Effect.flatMap((text) => Effect.fromResult(Base64.decode(text))),
          Effect.orDie,
          Effect.map((bytes) => ({ ...rest, body: bytes }))
        )

  const reserve = Effect.fnUntraced(function* (
    scope: IdempotencyScope,
    body_hashes: ReadonlyArray<string>,
    now: KeptAnswer["created_at"]
  ) {
    const key = scopeKey(scope)
    if (!(yield* memory.hold(key))) return inFlight
    const found = yield* memory.read((state) => HashMap.get(state.answers, key))
    if (Option.isNone(found)) return decide(undefined, body_hashes, now)
    const answer = found.value.answer === null ? null : yield* opened(key, found.value.answer)
    return decide({ ...found.value, answer }, body_hashes, now)
  })

  /** Requests whose first part runs in no transaction, by their keys. */
  const held = new Map<string, { readonly holder: string; readonly since: DateTime.Utc }>()

  return {
    reserve,
    hold: (scope, holder, now, lease) =>
      Effect.sync(() => {
        const key = scopeKey(scope)
        const other = held.get(key)
        if (other !== undefined && DateTime.isLessThan(now, addTime(other.since, lease))) return false
        held.set(key, { holder, since: now })
        return true
      }),
    release: (scope, holder) =>
      Effect.sync(() => {
        const key = scopeKey(scope)
        if (held.get(key)?.holder === holder) held.delete(key)
      }),
    forget: (before, limit) => memory.decide((state) => forgotten(state, before, limit)),
    keep: Effect.fnUntraced(function* (scope, body_hash, answer, { now, secret }) {
      const small = storableAnswer(answer)
      const body =
        secret && small !== null
          ? { sealed: yield* box.seal(Base64.encode(small.body), scopeKey(scope)) }
          : { plain: answer.body }
      const { content_type, status } = answer
      yield* memory.change((state) =>
        withAnswer(state, scope, {
          body_hash,
          created_at: now,
          answer: small === null ? null : { status, content_type, body }
        })
      )
    })
  }
})
