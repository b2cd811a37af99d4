import { DateTime, Duration, Result, Schema } from "effect"
import { subtractTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import { InvalidInput, Rejection } from "../kernel/Rejection.ts"

/**
 * Too many exchanges of distribution passphrases failed within an hour: until enough of them are older, every exchange
 * is refused, one with a right passphrase included. service-spec, Limits: Failed passphrase exchanges.
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
 * The form in which a passphrase is hashed: lower case, one space between words. Case does not matter, nor whether
 * blanks or hyphens separate the words. Words are not counted here: some of the word list have a hyphen of their own.
 * @example Passphrase.normalise(" Felt-tip  OTTER ") // => "felt tip otter"
 */
export const normalise = (text: string): string =>
  text
    .toLowerCase()
    .split(/[\s\p{Pd}]+/u)
    .filter((word) => word !== "")
    .join(" ")

/**
 * The form in which a passphrase is shown, once. decisions, section 4: Recipient accounts.
 * @example Passphrase.assemble(["amber", "otter"]) // => "amber otter"
 */
export const assemble = (words: ReadonlyArray<string>): string => words.join(" ")

const refused = (message: string): InvalidInput => new InvalidInput({ param: "passphrase", message })

/**
 * The answer to a passphrase that no organisation of this kind, live or sandbox, has. decisions, section 4: Recipient
 * accounts.
 * @example Passphrase.wrongPassphrase().param // => "passphrase"
 */
export const wrongPassphrase = (): InvalidInput =>
  refused(
    "This passphrase is not in use. Check its six words with the organisation that made it; a live organisation links live accounts only, a sandbox those of sandboxes."
  )

/**
 * The answer to one's own passphrase. decisions, section 4: Recipient accounts.
 * @example Passphrase.ownPassphrase().param // => "passphrase"
 */
export const ownPassphrase = (): InvalidInput =>
  refused("This passphrase is your organisation's own. Give it to those who recommend you, and ask them for theirs.")

/** The times of an organisation's failed exchanges, oldest first, as far back as they count. */
export type Failures = ReadonlyArray<DateTime.Utc>

const windowMillis = Limits.passphraseWindowSeconds * 1000

/**
 * The latest time of failures that no longer count at `now`.
 * @example
 * DateTime.formatIso(Passphrase.uncountedSince(DateTime.makeUnsafe("2026-04-02T01:00:00Z")))
 * // => "2026-04-02T00:00:00.000Z"
 */
export const uncountedSince = (now: DateTime.Utc): DateTime.Utc => subtractTime(now, Duration.millis(windowMillis))

/**
 * The failures that still count, those less than an hour old, up to the number that locks.
 * @example Passphrase.countedAt([DateTime.subtract(at, { hours: 1 }), at], at) // => [at]
 */
export const countedAt = (failures: Failures, now: DateTime.Utc): Failures =>
  failures.filter((at) => DateTime.isGreaterThan(at, uncountedSince(now))).slice(-Limits.passphraseFailures)

/** Seconds until the oldest counted failure is an hour old and an exchange is let through again, 1 to 3,600. */
const retryAfterSeconds = (oldest: DateTime.Utc, now: DateTime.Utc): number =>
  Math.min(
    Limits.passphraseWindowSeconds,
    Math.ceil((oldest.epochMilliseconds + windowMillis - now.epochMilliseconds) / 1000)
  )

/**
 * Failures with a time ahead of the clock, which was set back since, are moved to `now`. Unmoved they would lock
 * longer, by as much as the clock went back.
 * @example Passphrase.settledAt([DateTime.add(at, { hours: 1 })], at) // => [at]
 */
export const settledAt = (failures: Failures, now: DateTime.Utc): Failures =>
  failures.map((at) => (DateTime.isGreaterThan(at, now) ? now : at))

/**
 * Refuses an exchange with {@link PassphraseLocked} while ten failures count. A refused exchange is no failure. decisions, section 4.
 * @example
 * const failures = Array.from({ length: 10 }, () => at)
 * Result.isFailure(Passphrase.checkLock(failures, at)) // => true
 * Result.isSuccess(Passphrase.checkLock(failures, DateTime.add(at, { hours: 1 }))) // => true
 */
export const checkLock = (failures: Failures, now: DateTime.Utc): Result.Result<void, PassphraseLocked> => {
  const counted = countedAt(failures, now)
  const oldest = counted[0]
  return oldest === undefined || counted.length < Limits.passphraseFailures
    ? Result.void
    : Result.fail(new PassphraseLocked({ retry_after_seconds: retryAfterSeconds(oldest, now) }))
}

/**
 * The failures after one more. Only failures of exchanges that {@link checkLock} let through are added.
 * @example Passphrase.withFailure([DateTime.subtract(at, { hours: 1 })], at) // => [at]
 */
export const withFailure = (failures: Failures, at: DateTime.Utc): Failures => countedAt([...failures, at], at)
