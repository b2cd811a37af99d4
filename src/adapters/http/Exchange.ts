import type { Effect } from "effect"

/** How a request's body came in. */
export type BodyRead =
  | { readonly _tag: "Body"; readonly bytes: Uint8Array }
  /** More than the limit was announced or sent; the rest was not read. */
  | { readonly _tag: "TooLarge" }
  /** It did not end in time. */
  | { readonly _tag: "TimedOut" }
  /** The client went away in the middle. */
  | { readonly _tag: "Broken" }

/** A request as plain values: the pipeline knows no server. */
export interface EdgeRequest {
  readonly method: string
  /** The path as requested, percent-encoded, without the query. */
  readonly path: string
  /** The query as requested, without the question mark. */
  readonly query: string
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The address that the connection comes from. */
  readonly clientAddress: string
  /** Reads the body, up to so many bytes. Called at most once. */
  readonly readBody: (maximumBytes: number) => Effect.Effect<BodyRead>
}

/** An answer as plain values. */
export interface EdgeResponse {
  readonly status: number
  /** Without content-length, which the host knows best. */
  readonly headers: Readonly<Record<string, string>>
  /** Text is sent in UTF-8. */
  readonly body: string | Uint8Array
  /** Whether the connection must end with this answer, because the request was not read to its end. */
  readonly close?: boolean
}

/** The one value of a header, undefined when it is absent; several are joined as HTTP says. */
export const headerOf = (request: EdgeRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return value === undefined || typeof value === "string" ? value : value.join(", ")
}
