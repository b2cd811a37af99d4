import type { Effect } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { IdempotencyScope, StoredAnswer } from "../../../domain/access/Idempotency.ts"
import type { ListQuery } from "../../../domain/kernel/Listing.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import type { Failure } from "./Problem.ts"

/** The result of reading a request's body. */
export type BodyRead =
  | { readonly _tag: "Body"; readonly bytes: Uint8Array }
  /** More bytes than the limit were announced or sent; the rest was not read. */
  | { readonly _tag: "TooLarge" }
  /** The memory that bodies share was used up; the rest was not read. */
  | { readonly _tag: "Crowded" }
  /** The body did not end in time. */
  | { readonly _tag: "TimedOut" }
  /** The client went away in the middle of it. */
  | { readonly _tag: "Broken" }
  /** The host read it before, and its bytes cannot be had any more. */
  | { readonly _tag: "Taken" }

/** The memory that a body may take. */
export interface BodyAllowance {
  readonly maximumBytes: number
  /** Takes memory for so many more bytes; false where it is not left. They count until the request is answered. */
  readonly hold: (bytes: number) => boolean
}

/** The time that a body may take to arrive, unless the host sets another, milliseconds. */
export const bodyTimeoutMillis = 20_000

/** A request as plain values: the pipeline knows no server. */
export interface EdgeRequest {
  readonly method: string
  /** The path as requested, percent-encoded, without the query. */
  readonly path: string
  /** The query as requested, without the question mark. */
  readonly query: string
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The address of the client: that of the connection, unless a trusted proxy names another. */
  readonly clientAddress: string
  /** Whether the host is stopping, and only answers requests that are still under way. */
  readonly isDraining?: () => boolean
  /** Reads the body within the allowance. Called at most once. */
  readonly readBody: (allowance: BodyAllowance) => Effect.Effect<BodyRead>
}

/** An answer as plain values. */
export interface EdgeResponse {
  readonly status: number
  /** Without content-length, which the host adds. */
  readonly headers: Readonly<Record<string, string>>
  /** Text is sent in UTF-8. */
  readonly body: string | Uint8Array
  /** Whether the connection must end with this answer, because the request was not read to its end. */
  readonly close?: boolean
  /** Whether the caller showed a valid key. When a server runs out of connections, it ends those of strangers first. */
  readonly recognised?: boolean
  /** The organisation whose key was shown, for the host's log. */
  readonly organisation_id?: string | null
  /** Counts bytes of the answer that the client has not read yet, and gives how they are forgotten. */
  readonly hold?: (bytes: number) => () => void
}

/** The one value of a header, undefined when it is absent; several are joined as HTTP says. */
export const headerOf = (request: EdgeRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return value === undefined || typeof value === "string" ? value : value.join(", ")
}

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
  /** Whether that part has effects. */
  readonly holdsKey?: boolean
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
