import type { Effect } from "effect"

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
}

/** The one value of a header, undefined when it is absent; several are joined as HTTP says. */
export const headerOf = (request: EdgeRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return value === undefined || typeof value === "string" ? value : value.join(", ")
}
