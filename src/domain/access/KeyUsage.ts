import { Schema } from "effect"

/**
 * The id of the key that sealed a text: it stands between the text's first two dots.
 * @example KeyUsage.keyIdOf("v1.2026a.c2VhbGVk") // => "2026a"
 */
export const keyIdOf = (sealed: string): string => {
  const [, id = ""] = sealed.split(".")
  return id
}

/** How many of the things in use were made with one server key, over all organisations. decisions, section 4: Server keys. */
export class KeyUsage extends Schema.Opaque<KeyUsage>()(
  Schema.Struct({
    key_id: Schema.String,
    /** Secrets that sign deliveries, those of a rotation that overlaps included. */
    webhook_secrets: Schema.Int,
    /** Stored answers that hold a secret, kept for their Idempotency-Keys. */
    stored_answers: Schema.Int,
    /** Payment tokens of donors, until their processors have it. */
    payment_tokens: Schema.Int,
    /** Credentials of integrations' own accounts, notice secrets of a rotation that overlaps included. */
    credentials: Schema.Int,
    /** Introductions whose link still leads somewhere. */
    introductions: Schema.Int,
    passphrases: Schema.Int
  }).annotate({ identifier: "KeyUsage" })
) {}

/** The counts of a key that nothing in use was made with. */
export const zeroUsage = {
  webhook_secrets: 0,
  stored_answers: 0,
  payment_tokens: 0,
  credentials: 0,
  introductions: 0,
  passphrases: 0
} as const satisfies Omit<KeyUsage, "key_id">

/** The name under which each kind of sealed secret is counted. */
export const countedAs = {
  integration_credentials: "credentials",
  payment_token: "payment_tokens",
  previous_notice_secrets: "credentials",
  previous_webhook_secret: "webhook_secrets",
  stored_answer: "stored_answers",
  webhook_secret: "webhook_secrets"
} as const satisfies Readonly<Record<string, keyof typeof zeroUsage>>

/** The kind of a sealed secret. */
export type SealedKind = keyof typeof countedAs

/** A key of the ring, or a key that the ring has lost although something in use was made with it. */
export const KeyStatus = KeyUsage.mapFields((fields) => ({
  ...fields,
  /** Whether the ring has it. */
  in_ring: Schema.Boolean,
  /** Whether new secrets are sealed with it: it is the newest. */
  seals: Schema.Boolean
})).annotate({ identifier: "KeyStatus" })
export type KeyStatus = typeof KeyStatus.Type

/** The result of a resealing. */
export const ResealCount = Schema.Struct({
  /** Secrets that the newest key now seals. */
  resealed: Schema.Int,
  /** Secrets that their own key does not open: they are damaged, or the ring has a different key under that id. */
  unopened: Schema.Int
}).annotate({ identifier: "Resealed" })
export type ResealCount = typeof ResealCount.Type

/**
 * The keys of the ring, newest first, then those that it lacks, each with its counts.
 * @example
 * KeyUsage.statusOf(["new", "old"], []).map(({ key_id, seals }) => [key_id, seals])
 * // => [["new", true], ["old", false]]
 */
export const statusOf = (ring: ReadonlyArray<string>, usage: ReadonlyArray<KeyUsage>): ReadonlyArray<KeyStatus> => {
  const byId = new Map(usage.map((each) => [each.key_id, each]))
  const lacking = usage.flatMap(({ key_id }) => (ring.includes(key_id) ? [] : [key_id]))
  return [...ring, ...lacking].map((key_id) => ({
    ...zeroUsage,
    ...byId.get(key_id),
    key_id,
    in_ring: ring.includes(key_id),
    seals: key_id === ring[0]
  }))
}

/** The result of trying a ring on the sealed texts: ids of keys. */
export const Trial = Schema.Struct({
  /** Keys that opened something. */
  opened: Schema.Array(Schema.String),
  /** Keys of the ring that opened nothing of what was sealed under their ids. */
  differing: Schema.Array(Schema.String),
  /** Keys that sealed something and are not in the ring. */
  lacking: Schema.Array(Schema.String)
})

/** See {@link Trial}. */
export type Trial = typeof Trial.Type

const named = (ids: ReadonlyArray<string>): string => ids.toSorted().join(", ")

/**
 * The reason why a process must not serve with a ring; null where it may. A ring that lacks some keys may serve: what a
 * removed key made ends with it. A ring that opens nothing belongs to another installation.
 * @example
 * KeyUsage.faultOf({ opened: ["new"], lacking: ["old"], differing: [] }) // => null
 * KeyUsage.faultOf({ opened: [], lacking: ["old"], differing: [] }) === null // => false
 */
export const faultOf = ({ differing, lacking, opened }: Trial): string | null => {
  if (differing.length > 0) {
    return `The encryption keys do not fit the database: secrets that were sealed with ${named(differing)} do not open with the key of that name. Give the keys that the database was used with.`
  }
  return opened.length === 0 && lacking.length > 0
    ? `The encryption keys do not fit the database: they open no secret that was sealed there with ${named(lacking)}. Give the keys that the database was used with; where they are lost, make new secrets with almoner endpoint rotate-secret, and give those of own accounts again with almoner integration rotate-credentials.`
    : null
}

/**
 * The warning about a ring that may serve; null where it has every key.
 * @example KeyUsage.warningOf({ opened: ["new"], lacking: [], differing: [] }) // => null
 */
export const warningOf = ({ lacking }: Trial): string | null =>
  lacking.length === 0
    ? null
    : `The encryption keys lack ${named(lacking)}: no secret that was sealed with it can be opened any more (almoner key-ring status).`
