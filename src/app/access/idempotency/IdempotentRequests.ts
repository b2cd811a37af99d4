import { type DateTime, Duration, Effect, Option } from "effect"
import {
  IdempotencyConflict,
  type IdempotencyScope,
  type Reservation,
  type StoredAnswer
} from "../../../domain/access/Idempotency.ts"
import { IdempotencyStore } from "../../../ports/access/IdempotencyStore.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { Macs } from "../../../ports/kernel/Macs.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Repeatable, Transaction } from "../../../ports/kernel/Transaction.ts"

/** The hashes of a body: the one to store, and those that an older record may have. */
type BodyHashes = readonly [kept: string, ...older: ReadonlyArray<string>]

/**
 * Makes the hashes by which a request's body is recognised when its Idempotency-Key comes again. The first is the one
 * to store, keyed with the ring's newest key, because a body may hold a passphrase, whose plain digest could be found
 * by trying. The others are those that an older record may have: under the ring's older keys, and the plain digest that
 * records had before hashes were keyed.
 */
const makeBodyHashes = Effect.gen(function* () {
  const macs = yield* Macs
  const tokens = yield* Tokens

  return Effect.fnUntraced(function* (body: Uint8Array) {
    const digest = yield* tokens.digestBytes(body)
    const under = (key_id: string) =>
      Effect.map(macs.make(key_id, "request_body", digest), (mac) => `${key_id}.${Option.getOrThrow(mac)}`)
    const [newest, ...older] = macs.keyIds
    const hashes: BodyHashes = [yield* under(newest), ...(yield* Effect.forEach(older, under)), digest]
    return hashes
  })
})

export interface KeyedRequest {
  readonly scope: IdempotencyScope
  /** Whether the answer holds a secret: it is sealed where it is kept. */
  readonly secret: boolean
}

/** How an operation is answered. */
export interface Answers<A, E> {
  readonly succeed: (value: A) => StoredAnswer
  /** Undefined for a refusal that is not kept, so that the same key can be used again. */
  readonly fail: (failure: E) => StoredAnswer | undefined
}

/** An operation in two parts: the first runs in no transaction and gives the rest, of which nothing may wait for the world outside. */
export interface KeyedOperation<A, E, R> {
  readonly begin: Effect.Effect<Effect.Effect<A, E, R>, never, R>
  /** Whether the first part waits for the world outside, so that it runs only for a key without an answer. */
  readonly waits: boolean
  /** Whether it has effects there, so that it runs once for a key at a time. */
  readonly holdsKey: boolean
}

/** The lease of a key of which a request is held: none takes as long, and one whose process died is free after it. */
const holdLease = Duration.minutes(1)

/** A keyed request that was answered, now or when it came first. */
export type KeyedResult<E> =
  | { readonly _tag: "Answered"; readonly answer: StoredAnswer; readonly replayed: boolean }
  /** Refused without a trace: the same key can be tried again. */
  | { readonly _tag: "Refused"; readonly failure: E | IdempotencyConflict }

const conflict = (reason: IdempotencyConflict["reason"]): KeyedResult<never> => ({
  _tag: "Refused",
  failure: new IdempotencyConflict({ reason })
})

/** The refusal while another request holds the key. */
export const inFlight = conflict("in_flight")

/** The immediate answer to a reservation; none where the operation is to run. */
const answerOf = (reservation: Reservation): Option.Option<KeyedResult<never>> => {
  switch (reservation._tag) {
    case "Replay":
      return Option.some({ _tag: "Answered", answer: reservation.answer, replayed: true })
    case "BodyDiffers":
      return Option.some(conflict("body_differs"))
    case "InFlight":
      return Option.some(inFlight)
    case "AnswerNotKept":
      return Option.some(conflict("answer_not_kept"))
    case "Run":
      return Option.none()
  }
}

/** Makes the hold of a key, in all processes, while a request under it does what no transaction undoes, until its answer is kept. */
const makeKeyHold = Effect.gen(function* () {
  const store = yield* IdempotencyStore
  const tokens = yield* Tokens

  return <E, R>({ scope }: KeyedRequest, use: Effect.Effect<KeyedResult<E>, never, R>) =>
    Effect.acquireUseRelease(
      Effect.gen(function* () {
        const holder = yield* tokens.id("request")
        return (yield* store.hold(scope, holder, yield* realNow, holdLease)) ? holder : null
      }),
      (holder): Effect.Effect<KeyedResult<E>, never, R> => (holder === null ? Effect.succeed(inFlight) : use),
      (holder) => (holder === null ? Effect.void : store.release(scope, holder))
    )
})

/**
 * Makes the one way in which operations run under an Idempotency-Key: the reservation of the key, the operation, its events
 * and the kept answer are one transaction, so that a crash in between leaves nothing and frees the key.
 * docs/decisions/0003.
 */
export const makeIdempotentRequests = Effect.gen(function* () {
  const hashesOf = yield* makeBodyHashes
  const store = yield* IdempotencyStore
  const whileHeld = yield* makeKeyHold
  const transaction = yield* Transaction

  const concluded = <A, E, R>(
    { scope, secret }: KeyedRequest,
    body_hash: string,
    operation: Effect.Effect<A, E, R>,
    { fail, succeed }: Answers<A, E>,
    now: DateTime.Utc
  ): Effect.Effect<KeyedResult<E>, never, R> => {
    const keep = (answer: StoredAnswer): Effect.Effect<KeyedResult<E>> =>
      Effect.as(store.keep(scope, body_hash, answer, { secret, now }), { _tag: "Answered", answer, replayed: false })
    return Effect.matchEffect(operation, {
      onSuccess: (value) => keep(succeed(value)),
      onFailure: (failure) => {
        const answer = fail(failure)
        return answer === undefined ? Effect.succeed<KeyedResult<E>>({ _tag: "Refused", failure }) : keep(answer)
      }
    })
  }

  const reserved = Effect.fnUntraced(function* <A, E, R>(
    request: KeyedRequest,
    body_hashes: BodyHashes,
    operation: Effect.Effect<A, E, R>,
    answers: Answers<A, E>
  ) {
    const now = yield* realNow
    const reservation = yield* store.reserve(request.scope, body_hashes, now)
    const known = answerOf(reservation)
    return Option.isSome(known) ? known.value : yield* concluded(request, body_hashes[0], operation, answers, now)
  })

  /** The answer to a request whose key has one, or is another request's; none where its operation is to run. Nothing is reserved. */
  const answered = ({ scope }: KeyedRequest, body_hashes: BodyHashes) =>
    Effect.flatMap(realNow, (now) => store.reserve(scope, body_hashes, now)).pipe(
      // The reservation is undone.
      Effect.flatMap((reservation) => Effect.fromOption(answerOf(reservation))),
      transaction.run,
      Effect.option
    )

  /** Runs an operation, unless its key has an answer. */
  const run = <A, E, R>(
    request: KeyedRequest,
    body_hashes: BodyHashes,
    { begin, holdsKey, waits }: KeyedOperation<A, E, R>,
    answers: Answers<A, E>
  ): Effect.Effect<KeyedResult<E>, never, R> => {
    const anew = Effect.flatMap(begin, (operation) =>
      Effect.provideService(transaction.run(reserved(request, body_hashes, operation, answers)), Repeatable, true)
    )
    if (!waits) return anew
    const once = Effect.flatMap(answered(request, body_hashes), (earlier) =>
      Option.isSome(earlier) ? Effect.succeed<KeyedResult<E>>(earlier.value) : anew
    )
    return holdsKey ? whileHeld(request, once) : once
  }

  return { hashesOf, run } as const
})
