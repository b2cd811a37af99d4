import { DateTime, Duration, Result, Schema } from "effect"
import { ChargeId, OrganisationId } from "../kernel/Ids.ts"
import { addTime, subtractTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import { Instant } from "../kernel/Timestamp.ts"

/**
 * The guard of a page, or of all forms of an organisation, against whoever tries out stolen cards: declines use up its credit,
 * and successes give it back. It so goes by the share of declines: where more are declined than succeed, the credit ends, however
 * many there are, and where fewer are it does not. pages, section 2: Card testing.
 */
export class CardGuard extends Schema.Opaque<CardGuard>()(
  Schema.Struct({
    organisation_id: OrganisationId,
    /** The form, checkout link, recommendation set or donor whose page it is, or the organisation. */
    subject: Schema.String,
    /** The declines, less the successes, after which cards are closed. */
    credit: Schema.Int,
    /** Since when the credit has grown by itself. */
    credit_at: Instant,
    /** When each try began that the processor is being asked about. */
    under_way: Schema.Array(Instant),
    /** Tries that wait for their donors' approval, and since when, the longest first. */
    waiting: Schema.Array(Schema.Struct({ charge_id: ChargeId, since: Instant })),
    /** When the last try was begun. */
    begun_at: Instant,
    /** Until when cards are not taken; null where that never was, or is forgotten. */
    closed_until: Schema.NullOr(Instant),
    /** How often they were closed since all was well. */
    closings: Schema.Int
  }).annotate({ identifier: "CardGuard" })
) {}

/** Something that is guarded, and its whole credit. */
export interface GuardSubject {
  readonly subject: string
  readonly credit: number
  /** For how long it closes each time, and in which time its whole credit grows; as `Limits` says of pages where not given. */
  readonly hours?: number
}

/** What opens closed cards for a gift: a code that was mailed to its donor, or the wallet that the card is in. */
export type Opener = "code" | "wallet"

/** Wallets whose cards are tried by who holds the device, in the words of processors. Any page can say that it is another one. */
const wallets: ReadonlyArray<string> = ["apple_pay", "google_pay"]

/**
 * Whether a card is taken where cards are closed, by the wallet that its processor says it is in; null where it is in none.
 * @example CardGuard.isOpenedBy("apple_pay") // => true
 * @example CardGuard.isOpenedBy("link") // => false
 */
export const isOpenedBy = (wallet: string | null): boolean => wallet !== null && wallets.includes(wallet)

/** The outcome of a try, as its processor answered it: `UNKNOWN` where it did not. */
export type Outcome = "DECLINED" | "SUCCEEDED" | "UNKNOWN" | "WAITING"

/** A try that has ended, or waits for its donor's approval; without a charge where none was made. */
export interface Try {
  readonly begun_at: DateTime.Utc
  readonly charge_id: ChargeId | null
  readonly outcome: Outcome
}

/** How long it takes until one declined card more is taken. */
const regainOf = ({ credit, hours }: GuardSubject): Duration.Duration =>
  Duration.minutes(hours === undefined ? Limits.cardCreditMinutes : (hours * 60) / credit)

const forgotten = Duration.minutes(Limits.cardFlightMinutes)
const patience = Duration.minutes(Limits.cardApprovalMinutes)

/** The guard of what no card was tried on. */
export const newGuard = (
  organisation_id: OrganisationId,
  { credit, subject }: GuardSubject,
  now: DateTime.Utc
): CardGuard => ({
  organisation_id,
  subject,
  credit,
  credit_at: now,
  under_way: [],
  waiting: [],
  begun_at: now,
  closed_until: null,
  closings: 0
})

/** Whether cards are closed. */
export const isClosed = ({ closed_until }: CardGuard, now: DateTime.Utc): boolean =>
  closed_until !== null && DateTime.isLessThan(now, closed_until)

/** Whether something closed cards that were open, or closed them again: each closing ends at an instant of its own. */
export const hasClosed = (before: CardGuard, after: CardGuard): boolean =>
  after.closed_until !== null && after.closed_until.epochMilliseconds !== before.closed_until?.epochMilliseconds

/** The guard with what time has given back. A try whose end was lost with its process is forgotten, whatever others do. */
const present = (guard: CardGuard, each: GuardSubject, now: DateTime.Utc): CardGuard => {
  const whole = each.credit
  const regain = regainOf(each)
  const passed = now.epochMilliseconds - guard.credit_at.epochMilliseconds
  const gained = Math.max(0, Math.floor(passed / Duration.toMillis(regain)))
  const credit = Math.min(whole, guard.credit + gained)
  return {
    ...guard,
    credit,
    credit_at: credit === whole ? now : addTime(guard.credit_at, Duration.times(regain, gained)),
    under_way: guard.under_way.filter((begun_at) => !DateTime.isLessThan(addTime(begun_at, forgotten), now)),
    closings: credit === whole ? 0 : guard.closings
  }
}

/**
 * One more card is about to be tried; `CLOSED` where none may be. Where so many are under way that their declines alone would close
 * it, the next has to wait for their outcome: `BUSY` while processors are asked about some of them, which is over soon, and
 * `CROWDED` where all wait for their donors.
 */
export const begin = (
  guard: CardGuard,
  each: GuardSubject,
  now: DateTime.Utc
): Result.Result<CardGuard, "BUSY" | "CLOSED" | "CROWDED"> => {
  if (isClosed(guard, now)) return Result.fail("CLOSED")
  const found = present(guard, each, now)
  const places = found.credit + Limits.cardsBeyondCredit
  if (found.waiting.length >= places) return Result.fail("CROWDED")
  if (found.under_way.length + found.waiting.length >= places) return Result.fail("BUSY")
  return Result.succeed({ ...found, under_way: [...found.under_way, now], begun_at: now })
}

/** The guard after an outcome, which may close cards: each time for longer, until all has been well for as long as the credit takes to grow. */
const count = (
  guard: CardGuard,
  each: GuardSubject,
  outcome: "DECLINED" | "SUCCEEDED",
  now: DateTime.Utc
): CardGuard => {
  // What was under way when they were closed says nothing new.
  if (isClosed(guard, now)) return guard
  const found = present(guard, each, now)
  const credit = found.credit + (outcome === "SUCCEEDED" ? 1 : -1)
  if (credit > 0) return { ...found, credit: Math.min(each.credit, credit) }
  const longer = Math.max(...Limits.cardClosingHours.slice(0, found.closings + 1))
  const hours = each.hours ?? longer
  const closed_until = addTime(now, Duration.hours(hours))
  return {
    ...found,
    credit: Limits.cardCreditAgain,
    credit_at: closed_until,
    closed_until,
    closings: found.closings + 1,
    waiting: []
  }
}

/** The guard after a try, or once its processor has it wait for the donor. */
export const settle = (guard: CardGuard, each: GuardSubject, tried: Try, now: DateTime.Utc): CardGuard => {
  const { begun_at, charge_id, outcome } = tried
  const place = guard.under_way.findIndex((each) => each.epochMilliseconds === begun_at.epochMilliseconds)
  const ended = { ...guard, under_way: guard.under_way.filter((_, index) => index !== place) }
  if (outcome === "UNKNOWN") return ended
  if (outcome !== "WAITING") return count(ended, each, outcome, now)
  if (charge_id === null || isClosed(guard, now)) return ended
  return { ...ended, waiting: [...ended.waiting, { charge_id, since: now }] }
}

/**
 * The guard with what became of the tries that waited for their donors: one that is not approved in minutes was declined then,
 * so that cards which are asked for an approval, and never get it, close a page as others do.
 */
export const follow = (
  guard: CardGuard,
  subject: GuardSubject,
  outcomeOf: (charge_id: ChargeId) => Outcome,
  now: DateTime.Utc
): CardGuard => {
  let found = guard
  for (const tried of guard.waiting) {
    const outcome = outcomeOf(tried.charge_id)
    const until = addTime(tried.since, patience)
    const at = DateTime.min(until, now)
    // All are forgotten once one of them has closed the page.
    if (!found.waiting.includes(tried)) break
    if (outcome === "SUCCEEDED" || outcome === "DECLINED" || at === until) {
      const waiting = found.waiting.filter((each) => each !== tried)
      found = count({ ...found, waiting }, subject, outcome === "SUCCEEDED" ? outcome : "DECLINED", at)
    }
  }
  return found
}

/** Guards that were not touched since this instant say nothing any more. */
export const forgottenBefore = (now: DateTime.Utc): DateTime.Utc =>
  subtractTime(now, Duration.days(Limits.cardGuardDays))
