import { DateTime, Duration, Result, Schema } from "effect"
import { Limits } from "../kernel/Limits.ts"
import { InvalidInput, Rejection } from "../kernel/Rejection.ts"

/**
 * Too many exchanges of distribution passphrases failed within an hour; every exchange is refused for the present, a
 * right one included. service-spec, Limits: Failed passphrase exchanges.
 */
export class PassphraseLocked extends Rejection.extend<PassphraseLocked>("PassphraseLocked")({
  _tag: Schema.tag("PassphraseLocked"),
  retry_after_seconds: Schema.Int
}) {
  override get message(): string {
    return `Too many passphrases failed within an hour. Try again in ${this.retry_after_seconds} s, even with the right one.`
  }
}

/**
 * A passphrase as it is hashed: in lower case, its words apart by one space. Case, and blanks or hyphens between words,
 * do not matter. Words are not counted here: some of the word list have a hyphen of their own.
 */
export const normalise = (text: string): string =>
  text
    .toLowerCase()
    .split(/[\s\p{Pd}]+/u)
    .filter((word) => word !== "")
    .join(" ")

/** A passphrase as it is shown, once. decisions, section 4: Recipient accounts. */
export const assemble = (words: ReadonlyArray<string>): string => words.join(" ")

const refused = (message: string): InvalidInput => new InvalidInput({ param: "passphrase", message })

/** The answer to a passphrase that is nobody's on this side, live or sandbox. decisions, section 4: Recipient accounts. */
export const wrongPassphrase = (): InvalidInput =>
  refused(
    "This passphrase is not in use. Check its six words with the organisation that made it; a live organisation links live accounts only, a sandbox those of sandboxes."
  )

/** The answer to one's own passphrase. decisions, section 4: Recipient accounts. */
export const ownPassphrase = (): InvalidInput =>
  refused("This passphrase is your organisation's own. Give it to those who recommend you, and ask them for theirs.")

/** When an organisation's failed exchanges happened, oldest first, as far back as they count. */
export type Failures = ReadonlyArray<DateTime.Utc>

const windowMillis = Limits.passphraseWindowSeconds * 1000

/** The newest time of a failure that no longer counts at `now`. */
export const uncountedSince = (now: DateTime.Utc): DateTime.Utc =>
  DateTime.subtractDuration(now, Duration.millis(windowMillis))

/** The failures that still count: less than an hour old, and no more of them than lock. */
export const countedAt = (failures: Failures, now: DateTime.Utc): Failures =>
  failures.filter((at) => DateTime.isGreaterThan(at, uncountedSince(now))).slice(-Limits.passphraseFailures)

/** Seconds until an exchange is let through again, 1 to 3,600: the oldest counted failure is then an hour old. */
const retryAfterSeconds = (oldest: DateTime.Utc, now: DateTime.Utc): number =>
  Math.min(
    Limits.passphraseWindowSeconds,
    Math.ceil((oldest.epochMilliseconds + windowMillis - now.epochMilliseconds) / 1000)
  )

/**
 * Failures whose time lies ahead of the clock, which went back, happened at the latest now. Kept as they are they would lock
 * for as long again as the clock went back.
 */
export const settledAt = (failures: Failures, now: DateTime.Utc): Failures =>
  failures.map((at) => (DateTime.isGreaterThan(at, now) ? now : at))

/** Refuses an exchange while ten failures count. A refused exchange is no failure. decisions, section 4. */
export const checkLock = (failures: Failures, now: DateTime.Utc): Result.Result<void, PassphraseLocked> => {
  const counted = countedAt(failures, now)
  const oldest = counted[0]
  return oldest === undefined || counted.length < Limits.passphraseFailures
    ? Result.void
    : Result.fail(new PassphraseLocked({ retry_after_seconds: retryAfterSeconds(oldest, now) }))
}

/** The failures after one more. Only an exchange that {@link checkLock} let through is added. */
export const withFailure = (failures: Failures, at: DateTime.Utc): Failures => countedAt([...failures, at], at)
