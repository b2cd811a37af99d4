import type { Effect } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { IdempotencyScope, StoredAnswer } from "../../../domain/access/Idempotency.ts"
import type { ListQuery } from "../../../domain/kernel/Listing.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import type { Failure } from "./Problem.ts"

/** A request that passed every check before the operation, decoded. */
export interface DecodedRequest<Params = never, Payload = never> {
  readonly params: Params
  readonly payload: Payload
  /** The query of a list; the default one at endpoints that are no list. */
  readonly list: ListQuery
  readonly request_id: string
}

/** An answer with one of the statuses that its endpoint declares; any other answer has the first of them. */
export class AnswerWith<out A> {
  readonly status: number
  readonly value: A

  constructor(status: number, value: A) {
    this.status = status
    this.value = value
  }
}

type Answering<A> = Effect.Effect<A | AnswerWith<A>, Failure, CurrentCaller>

/** A keyed request, for operations that write their effect and its answer in one statement. */
export interface KeyedRequest<A> {
  readonly scope: IdempotencyScope
  readonly body_hash: string
  readonly answerOf: (value: A) => StoredAnswer
}

/** How the fast path of an operation ended. `Declined` wrote nothing: the slow path decides. */
export type AtOnce =
  | { readonly _tag: "Recorded"; readonly answer: StoredAnswer }
  | { readonly _tag: "InFlight" }
  | { readonly _tag: "Declined" }

/** The implementation of an endpoint. */
export interface Handler<Request, A> {
  /** The whole operation, or the part that {@link prepare} left. */
  readonly run: (request: Request) => Answering<A>
  /** The part that must not run inside a transaction, such as look-ups; it returns the rest of the operation. */
  readonly prepare?: (request: Request) => Effect.Effect<Answering<A>, Failure, CurrentCaller>
  /** The fast path of a keyed request. */
  readonly atOnce?: (request: Request, keyed: KeyedRequest<A>) => Effect.Effect<AtOnce, Failure, CurrentCaller>
}

/** Any handler, for the pipeline, which does not know its types. */
export type AnyHandler = Handler<DecodedRequest<never, never>, unknown>

type TypeOf<S> = [S] extends [never] ? never : S extends { readonly Type: infer T } ? T : never

/** The request that an endpoint's declaration promises its handler. */
export type RequestOf<E> = E extends {
  readonly "~Params": infer Params
  readonly "~Payload": infer Payload
}
  ? DecodedRequest<TypeOf<Params>, TypeOf<Payload>>
  : never

/** The value that an endpoint's declaration expects of its handler. */
export type AnswerOf<E> = E extends { readonly "~Success": infer Success } ? TypeOf<Success> : never

type EndpointsOf<G> = HttpApiGroup.Endpoints<G> & HttpApiEndpoint.Constraint

/** The handlers of a group's endpoints that add to their operations, or replace them. */
export type OwnHandlersOf<G> = {
  readonly [E in EndpointsOf<G> as E["identifier"]]?: Partial<Handler<RequestOf<E>, AnswerOf<E>>>
}
