import { Schema } from "effect"

/** The id of the key that made a sealed text. It stands between the text's first two dots. */
export const keyIdOf = (sealed: string): string => sealed.split(".", 2)[1] ?? ""

/** How much of what is in use was made with a key, over all organisations. decisions, section 4: Server keys. */
export class KeyUsage extends Schema.Opaque<KeyUsage>()(
  Schema.Struct({
    key_id: Schema.String,
    /** Secrets that sign deliveries, those of a rotation that overlaps included. */
    webhook_secrets: Schema.Int,
    /** Answers with a secret in them that are kept for their Idempotency-Keys. */
    stored_answers: Schema.Int,
    /** Introductions whose link still leads somewhere. */
    introductions: Schema.Int,
    passphrases: Schema.Int
  }).annotate({ identifier: "KeyUsage" })
) {}

/** A key of the ring, or one that something in use was made with although the ring has it no more. */
export const KeyStatus = KeyUsage.mapFields((fields) => ({
  ...fields,
  /** Whether the ring has it. */
  in_ring: Schema.Boolean,
  /** Whether new secrets are sealed with it: it is the newest. */
  seals: Schema.Boolean
})).annotate({ identifier: "KeyStatus" })
export type KeyStatus = typeof KeyStatus.Type

/** What a resealing did. */
export const Resealed = Schema.Struct({
  /** Secrets that the newest key seals from now on. */
  resealed: Schema.Int,
  /** Secrets that their own key does not open: they are damaged, or the ring has another key of its name. */
  unopened: Schema.Int
}).annotate({ identifier: "Resealed" })
export type Resealed = typeof Resealed.Type

/** The keys of the ring, newest first, and after them those that it lacks, each with what it made. */
export const statusOf = (ring: ReadonlyArray<string>, usage: ReadonlyArray<KeyUsage>): ReadonlyArray<KeyStatus> => {
  const byId = new Map(usage.map((each) => [each.key_id, each]))
  const lacking = usage.flatMap(({ key_id }) => (ring.includes(key_id) ? [] : [key_id]))
  return [...ring, ...lacking].map((key_id) => ({
    webhook_secrets: 0,
    stored_answers: 0,
    introductions: 0,
    passphrases: 0,
    ...byId.get(key_id),
    key_id,
    in_ring: ring.includes(key_id),
    seals: key_id === ring[0]
  }))
}

/** What came of trying a ring on what is sealed: ids of keys. */
export const Trial = Schema.Struct({
  /** Those that opened something. */
  opened: Schema.Array(Schema.String),
  /** Those of the ring that opened nothing of what was sealed under their names. */
  differing: Schema.Array(Schema.String),
  /** Those that sealed something and are not in the ring. */
  lacking: Schema.Array(Schema.String)
})

/** See {@link Trial}. */
export type Trial = typeof Trial.Type

const named = (ids: ReadonlyArray<string>): string => ids.toSorted().join(", ")

/**
 * Why a process must not serve with a ring, null where it may. One that lacks a key serves, as what a removed key made
 * ends with it; one that opens nothing belongs to another installation.
 */
export const faultOf = ({ differing, lacking, opened }: Trial): string | null => {
  if (differing.length > 0) {
    return `The key ring does not fit the database: what was sealed with ${named(differing)} does not open with its key of that name. Give the key ring that the database was used with.`
  }
  return opened.length === 0 && lacking.length > 0
    ? `The key ring does not fit the database: it opens nothing of what is sealed there with ${named(lacking)}. Give the key ring that the database was used with; where it is lost, make new secrets with almoner endpoint rotate-secret.`
    : null
}

/** What is to be told of a ring that may serve, null where it has every key. */
export const warningOf = ({ lacking }: Trial): string | null =>
  lacking.length === 0
    ? null
    : `The key ring lacks ${named(lacking)}: what was sealed with it is not opened any more (almoner keys status).`
