import { Effect, Result, Schema } from "effect"
import { Failure, problemOf } from "../adapters/http/pipeline/Problem.ts"
import { type KeyedResult, makeIdempotentRequests } from "../app/access/idempotency/IdempotentRequests.ts"
import type { AnyOperation } from "../app/access/operation/Operation.ts"
import { isKey, type StoredAnswer } from "../domain/access/Idempotency.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import { InvalidInput, type MalformedInput } from "../domain/kernel/Rejection.ts"
import { CurrentCaller } from "../ports/access/CurrentCaller.ts"
import { notJson, type Perform } from "./Perform.ts"

/** An answer as it is kept: the value as JSON has it, or the failure. */
const Kept = Schema.fromJsonString(
  Schema.toCodecJson(
    Schema.Union([
      Schema.Struct({ ok: Schema.Literal(true), value: Schema.optionalKey(Schema.Json) }),
      Schema.Struct({ ok: Schema.Literal(false), failure: Failure })
    ])
  )
)

const encode = Schema.encodeSync(Kept)
const decode = Schema.decodeSync(Kept)

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The same arguments have the same text, in whatever order the fields of an object were given. */
const sorted = (_name: string, value: unknown): unknown =>
  isPlain(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value

const textOf = (given: ReadonlyArray<unknown>): Result.Result<string, MalformedInput> =>
  Result.try({ try: () => JSON.stringify(given, sorted), catch: notJson })

/** The key, checked as the header Idempotency-Key is. decisions, section 1. */
const checked = (key: unknown): Result.Result<string, InvalidInput> =>
  typeof key === "string" && isKey(key)
    ? Result.succeed(key)
    : Result.fail(
        new InvalidInput({
          param: "idempotency_key",
          message: `An idempotency key is a text of 1 to ${Limits.idempotencyKeyCharacters} characters.`
        })
      )

const answerOf = (status: number, body: string): StoredAnswer => ({
  status,
  content_type: "application/json",
  body: bytesOf(body)
})

const answers = {
  succeed: (value: unknown) => answerOf(200, encode({ ok: true, value: value as Schema.Json })),
  /** As over HTTP, a refusal by a limit that has to be waited for leaves the key free. */
  fail: (failure: Failure) =>
    problemOf(failure).lockedForSeconds === undefined ? answerOf(400, encode({ ok: false, failure })) : undefined
}

const outcomeOf = (answered: KeyedResult<Failure>): Result.Result<unknown, Failure> => {
  if (answered._tag === "Refused") return Result.fail(answered.failure)
  const kept = decode(new TextDecoder().decode(answered.answer.body))
  return kept.ok ? Result.succeed(kept.value) : Result.fail(kept.failure)
}

/**
 * Performs an operation under an idempotency key, as the bundled server does under the header of that name: one effect, and
 * a repetition within 24 hours is answered as the first call was. A refusal is an answer, too: it is a value here, so that
 * the transaction that keeps it commits.
 */
export const performKeyed = Effect.fnUntraced(function* (
  key: unknown,
  name: string,
  { holdsKey = false, input, prepare, secret }: AnyOperation,
  perform: Perform,
  args: ReadonlyArray<unknown>
) {
  const given = Result.all([checked(key), textOf(args.slice(0, input.length))])
  if (Result.isFailure(given)) return Result.fail(given.failure)
  const [sound, text] = given.success
  const keyed = yield* makeIdempotentRequests
  const { actor, organisation } = yield* CurrentCaller
  const ids = input.flatMap(({ _tag }, index) => (_tag === "Id" ? [String(args[index])] : []))
  const scope = {
    organisation_id: organisation.id,
    api_key_id: `${actor.type}:${actor.id}`,
    generation: 0,
    method: "CALL",
    path: [name, ...ids].join("/"),
    key: sound
  }
  const body_hashes = yield* keyed.hashesOf(bytesOf(text))
  // Every failure of an operation is in the one map of errors: endpoints accept no others.
  type Typed = Effect.Effect<unknown, Failure, CurrentCaller>
  const begin = Effect.match(perform(args), {
    onFailure: (failure): Typed => Effect.fail(failure) as Typed,
    onSuccess: (operation) => operation as Typed
  }) as Effect.Effect<Typed, never, CurrentCaller>
  const operation = { begin, waits: prepare !== undefined, holdsKey }
  return outcomeOf(yield* keyed.run({ scope, secret }, body_hashes, operation, answers))
})
