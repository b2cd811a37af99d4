import { type DateTime, Duration, Schema } from "effect"
import { EmailCodeId, OrganisationId } from "../kernel/Ids.ts"
import { addTime, subtractTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import { Instant } from "../kernel/Timestamp.ts"

/**
 * A code of six digits that is mailed to an address, so that whoever enters it is known to read its mails. Its digits are derived
 * from its id with a key of the ring and kept nowhere. pages, section 2.
 */
export class EmailCode extends Schema.Opaque<EmailCode>()(
  Schema.Struct({
    id: EmailCodeId,
    /** The organisation on whose page it was asked for. */
    organisation_id: OrganisationId,
    /** What it opens, and nothing else. */
    subject: Schema.String,
    /** The address as it was typed. */
    email: Schema.String,
    /** The address as addresses are compared. */
    email_key: Schema.String,
    /** The language of the page; null where none was said. */
    language: Schema.NullOr(Schema.String),
    token_key_id: Schema.String,
    /** How often it was entered, right or wrong. */
    tries: Schema.Int,
    created_at: Instant
  }).annotate({ identifier: "EmailCode" })
) {}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/**
 * The digits of a code, by the MAC of its id.
 * @example
 * EmailCode.digitsOf("AAAAAAAAAAAA") // => "000000"
 * EmailCode.digitsOf("AAAAAAAAAAPQ") // => "000976"
 */
export const digitsOf = (mac: string): string => {
  // 72 bits, of which a million numbers have as good as equal shares.
  const number = Array.from(mac.slice(0, 12)).reduce(
    (rest, each) => (rest * alphabet.length + alphabet.indexOf(each)) % 1_000_000,
    0
  )
  return String(number).padStart(6, "0")
}

/** When a code that is made now is worth nothing any more. */
export const endsAt = (now: DateTime.Utc): DateTime.Utc => addTime(now, Duration.minutes(Limits.emailCodeMinutes))

/** Codes that were made before are worth nothing. */
export const livingSince = (now: DateTime.Utc): DateTime.Utc =>
  subtractTime(now, Duration.minutes(Limits.emailCodeMinutes))

/** Codes that were made before count no more toward how many are mailed, and are kept no longer. */
export const countedSince = (now: DateTime.Utc): DateTime.Utc =>
  subtractTime(now, Duration.minutes(Limits.emailCodeBudgetMinutes))
