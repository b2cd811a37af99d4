import { DateTime, Option, Schema } from "effect"

/** A signing secret from before a rotation, and until when it signs, milliseconds since the epoch. */
const FormerSecret = Schema.Struct({ secret: Schema.String, until_millis: Schema.Int })
/** A signing secret from before a rotation. */
export type FormerSecret = typeof FormerSecret.Type

/** Former secrets, newest first, as the text that is sealed. */
const FormerSecretsText = Schema.fromJsonString(Schema.Array(FormerSecret))

const readText = Schema.decodeUnknownOption(FormerSecretsText)
const writeText = Schema.encodeSync(FormerSecretsText)

/**
 * Former secrets in the text that was sealed, those that still sign at an instant. A text that is no list is one secret, as
 * earlier versions sealed it; `expires_at` is its end.
 * @example
 * const former = SigningSecret.rotatedSecrets("almwh_a", [], DateTime.add(at, { hours: 24 }))
 * const text = SigningSecret.formerSecretsText(former)
 * SigningSecret.formerSecretsIn(text, at, at).map(({ secret }) => secret) // => ["almwh_a"]
 * SigningSecret.formerSecretsIn(text, at, DateTime.add(at, { hours: 24 })) // => []
 */
export const formerSecretsIn = (
  text: string,
  expires_at: DateTime.Utc,
  at: DateTime.Utc
): ReadonlyArray<FormerSecret> =>
  Option.getOrElse(readText(text), () => [{ secret: text, until_millis: DateTime.toEpochMillis(expires_at) }]).filter(
    ({ until_millis }) => DateTime.toEpochMillis(at) < until_millis
  )

/** Former secrets as the text that is sealed. */
export const formerSecretsText = (former: ReadonlyArray<FormerSecret>): string => writeText(former)

/** The former secrets after a rotation: the present one until an instant, and those that still sign until theirs. */
export const rotatedSecrets = (
  present: string,
  former: ReadonlyArray<FormerSecret>,
  until: DateTime.Utc
): ReadonlyArray<FormerSecret> => [{ secret: present, until_millis: DateTime.toEpochMillis(until) }, ...former]

/** When the last of some former secrets stops to sign, milliseconds since the epoch. */
export const lastUntilMillis = (former: ReadonlyArray<FormerSecret>): number =>
  Math.max(...former.map(({ until_millis }) => until_millis))
