/** A document that is served without a key, such as the reference page. */
export interface Document {
  readonly contentType: string
  readonly body: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Where the document is to be found instead, with status 303. */
  readonly location?: string
}

/** Documents by path. */
export type Documents = ReadonlyMap<string, Document>
