import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Duration, Effect, Exit } from "effect"
import type { Document } from "./Documents.ts"

/** The content codings of an answer, best first. */
export const codings = ["br", "gzip", "identity"] as const

export type Coding = (typeof codings)[number]

/** A document in one coding. */
export interface Representation {
  readonly coding: Coding
  readonly body: Uint8Array
  /** Strong: of exactly these bytes. */
  readonly etag: string
}

/** A document in every coding; each is made at its first request and then kept. */
export interface DocumentForms {
  readonly document: Document
  readonly in: (coding: Coding) => Effect.Effect<Representation>
}

// Quality 9 is within a twentieth of the smallest, and takes a tenth of its time.
const compressed = (coding: Coding, body: Uint8Array): Promise<Uint8Array> => {
  switch (coding) {
    case "br":
      return promisify(brotliCompress)(body, {
        params: {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_QUALITY]: 9,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength
        }
      })
    case "gzip":
      return promisify(gzip)(body, { level: 9 })
    case "identity":
      return Promise.resolve(body)
  }
}

/** The smallest body that is compressed, bytes: a smaller one fits in a packet anyway. */
const compressedFrom = 1_024

/** Keeps an effect's result; runs it again after a failure. */
const kept = <A>(effect: Effect.Effect<A>): Effect.Effect<Effect.Effect<A>> =>
  Effect.cachedWithTTL(effect, (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero))

const represent = ({ body }: Document, coding: Coding): Effect.Effect<Representation> =>
  Effect.map(
    Effect.promise(() => compressed(coding, body)),
    (bytes) => ({ coding, body: bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` })
  )

const representedOf = Effect.fnUntraced(function* (document: Document) {
  const br = yield* kept(represent(document, "br"))
  const gzip = yield* kept(represent(document, "gzip"))
  const identity = yield* kept(represent(document, "identity"))
  const isSmall = document.body.byteLength < compressedFrom
  const all = isSmall ? { br: identity, gzip: identity, identity } : { br, gzip, identity }
  const represented: DocumentForms = { document, in: (coding) => all[coding] }
  return represented
})

/** Prepares a document for serving. The inner effect makes each representation once. */
export const representations = (
  document: Document | Effect.Effect<Document>
): Effect.Effect<Effect.Effect<DocumentForms>> =>
  kept(Effect.flatMap(Effect.isEffect(document) ? document : Effect.succeed(document), representedOf))

const weightOf = (parameters: ReadonlyArray<string>): number => {
  const weight = parameters.map((each) => each.trim().toLowerCase()).find((each) => each.startsWith("q="))
  const value = weight === undefined ? 1 : Number(weight.slice(2))
  return value >= 0 && value <= 1 ? value : 0
}

/** The weights of an Accept-like header, by lower-case name. RFC 9110, section 12.4.2. */
export const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",").map((each) => {
      const [name = "", ...parameters] = each.split(";")
      return [name.trim().toLowerCase(), weightOf(parameters)] as const
    })
  )

/** The coding that a request prefers; among equals the first of {@link codings}. RFC 9110, section 12.5.3. */
export const codingFor = (accepted: string | undefined): Coding => {
  if (accepted === undefined) return "identity"
  const weights = weightsOf(accepted)
  const any = weights.get("*") ?? 0
  const compressing = codings.filter((each) => each !== "identity")
  const [best] = compressing
    .map((coding) => ({ coding, weight: weights.get(coding) ?? any }))
    .sort((a, b) => b.weight - a.weight)
  const plain = weights.get("identity") ?? 0
  return best === undefined || best.weight === 0 || best.weight < plain ? "identity" : best.coding
}

/** Whether the client already has these bytes. RFC 9110, section 13.1.2: tags are compared weakly. */
export const isCurrent = (ifNoneMatch: string | undefined, { etag }: Representation): boolean =>
  ifNoneMatch
    ?.split(",")
    .map((each) => each.trim().replace(/^W\//, ""))
    .some((each) => each === etag || each === "*") === true
