import type { Effect } from "effect"

/** A document that is served without a key, such as the reference page. */
export interface Document {
  readonly contentType: string
  readonly body: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** The address of the document, for a redirect with status 303. */
  readonly location?: string
}

/** Documents by path. One that is costly to make is an effect, which runs at the first request and whose result is kept. */
export type Documents = ReadonlyMap<string, Document | Effect.Effect<Document>>
