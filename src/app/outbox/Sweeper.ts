import { Context, type DateTime, Duration, Effect, Number, Option, Random } from "effect"
import * as EmailCode from "../../domain/access/EmailCode.ts"
import * as Idempotency from "../../domain/access/Idempotency.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { subtractTime } from "../../domain/kernel/InstantRange.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import * as Mail from "../../domain/kernel/Mail.ts"
import { lineOf, type SweepPlan, type Swept, standardPlan } from "../../domain/outbox/Sweep.ts"
import * as CardGuard from "../../domain/payments/CardGuard.ts"
import * as Passphrase from "../../domain/sharing/Passphrase.ts"
import { EmailCodeStore } from "../../ports/access/EmailCodeStore.ts"
import { IdempotencyStore } from "../../ports/access/IdempotencyStore.ts"
import { SandboxClockStore } from "../../ports/access/SandboxClockStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { realNow } from "../../ports/kernel/AheadClock.ts"
import { MailOutbox } from "../../ports/kernel/MailOutbox.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { CardGuardStore } from "../../ports/payments/CardGuardStore.ts"
import { NoticeStore } from "../../ports/payments/NoticeStore.ts"
import { TestBank } from "../../ports/payments/TestBank.ts"
import { PassphraseFailures } from "../../ports/sharing/PassphraseFailures.ts"
import { makeDutyReminders } from "../compliance/disclosure/DutyReminders.ts"
import { Service } from "../kernel/service/Service.ts"
import { makeStoreOutage } from "../kernel/store/StoreOutage.ts"
import { makeDisableFailing } from "./endpoint/FailingEndpoints.ts"
import { makeSummaryWriter } from "./summary/SummaryWriter.ts"
import { makeIntroductionExpiry, makeLinkExpiry } from "./sweep/Expiry.ts"

/** Rows that are deleted with one statement. */
const trimBatch = 1_000

/** The cleaner of records whose retention is over: each effect deletes a batch, and answers how many there were. */
const makeCleaner = Effect.gen(function* () {
  const answers = yield* IdempotencyStore
  const deliveries = yield* DeliveryStore
  const mails = yield* MailOutbox
  const notices = yield* NoticeStore
  const bank = yield* TestBank
  const failures = yield* PassphraseFailures
  const guards = yield* CardGuardStore
  const codes = yield* EmailCodeStore

  return (now: DateTime.Utc, { delivery_retention_days }: SweepPlan) => {
    const daysAgo = (days: number) => subtractTime(now, Duration.days(days))
    return {
      idempotency_records_forgotten: answers.forget(Idempotency.absentSince(now), trimBatch),
      deliveries_trimmed: deliveries.trim(daysAgo(delivery_retention_days), trimBatch),
      mails_trimmed: mails.trim(daysAgo(Mail.keptDays), trimBatch),
      notices_trimmed: Effect.zipWith(
        notices.trim(daysAgo(Limits.noticeKeptDays), trimBatch),
        bank.trimNotices(daysAgo(Limits.noticeKeptDays), trimBatch),
        (received, sent) => received + sent
      ),
      passphrase_failures_trimmed: failures.trim(Passphrase.uncountedSince(now), trimBatch),
      card_guards_trimmed: guards.trim(CardGuard.forgottenBefore(now), trimBatch),
      email_codes_trimmed: codes.trim(EmailCode.countedSince(now), trimBatch)
    }
  }
})

/** How often is swept, and what is kept; an operator may set it. */
export const Plan = Context.Reference<SweepPlan>("almoner/app/Sweeper/Plan", { defaultValue: () => standardPlan })

/** Donors whose search words are made anew with one statement: whoever writes to one of them waits for it. */
const reindexBatch = 200

/** Processes that start together do not sweep together: the first sweep comes within this time, milliseconds. */
const firstWithinMillis = 60_000

/** How long to leave the store alone after a sweep that broke. */
const againAfter = Duration.minutes(1)

/** Goes on until there is nothing left, and answers how many there were. */
const untilNone = Effect.fnUntraced(function* (once: Effect.Effect<number>) {
  let total = 0
  for (let count = yield* once; count > 0; count = yield* once) total += count
  return total
})

/**
 * Writes what time has done: introductions and checkout links that have expired, endpoints that failed for too long, years
 * whose gifts are summed up for their donors, and records that are kept no longer. Makes search words anew that an earlier
 * version made. Any number of processes may run one over the same store: each record is decided by one of them, and a crash
 * leaves the rest to the next sweep. decisions, section 4.
 */
export class Sweeper extends Service<Sweeper>()("almoner/app/Sweeper", function* () {
  const expireIntroductions = yield* makeIntroductionExpiry
  const expireLinks = yield* makeLinkExpiry
  const disableFailing = yield* makeDisableFailing("sweeper")
  const remindOfDuties = yield* makeDutyReminders
  const writeSummaries = yield* makeSummaryWriter
  const clean = yield* makeCleaner
  const clocks = yield* SandboxClockStore
  const donors = yield* DonorStore
  const plan = yield* Plan

  /** By the real time, and by the clocks of the sandboxes that are ahead of it. */
  const eachTime = <A>(work: (only?: OrganisationId) => Effect.Effect<A>) =>
    Effect.flatMap(clocks.moved, (moved) =>
      Effect.forEach([undefined, ...moved.map((each) => each.organisation_id)], (only) => work(only))
    )

  const everywhere = (expire: typeof expireLinks) =>
    Effect.map(eachTime(expire), (all) => {
      return {
        written: all.reduce((total, { written }) => total + written, 0),
        unreadable: all.reduce((total, { unreadable }) => total + unreadable, 0)
      }
    })

  /** The parts of a sweep, each with its outcome: one that breaks does not stop the others. */
  const tasksAt = (now: DateTime.Utc) => {
    const old = clean(now, plan)
    const each = (once: Effect.Effect<number>) => Effect.exit(untilNone(once))
    return {
      introductions: Effect.exit(everywhere(expireIntroductions)),
      links: Effect.exit(everywhere(expireLinks)),
      webhook_endpoints_disabled: Effect.exit(disableFailing),
      organisations_reminded: Effect.exit(Effect.map(eachTime(remindOfDuties), Number.sumAll)),
      yearly_summaries_written: Effect.exit(Effect.map(eachTime(writeSummaries), Number.sumAll)),
      idempotency_records_forgotten: each(old.idempotency_records_forgotten),
      deliveries_trimmed: each(old.deliveries_trimmed),
      mails_trimmed: each(old.mails_trimmed),
      notices_trimmed: each(old.notices_trimmed),
      passphrase_failures_trimmed: each(old.passphrase_failures_trimmed),
      card_guards_trimmed: each(old.card_guards_trimmed),
      email_codes_trimmed: each(old.email_codes_trimmed),
      // The last: after an upgrade it may take minutes.
      donors_reindexed: each(donors.reindex(reindexBatch))
    }
  }

  /**
   * Does all that is due now, and answers and logs how much that was. Dies when the store is away or a part of it broke,
   * after the other parts were done, and may then be called again.
   */
  const sweepOnce: Effect.Effect<Swept> = Effect.gen(function* () {
    const ended = yield* Effect.all(tasksAt(yield* realNow))
    const { introductions, links, ...others } = yield* Effect.all(ended)
    const swept: Swept = {
      introductions_expired: introductions.written,
      checkout_links_expired: links.written,
      ...others,
      records_unreadable: introductions.unreadable + links.unreadable
    }
    yield* Effect.logInfo(`Swept: ${lineOf(swept)}`)
    return swept
  })

  /**
   * Sweeps soon, and then at every interval, for as long as it is not interrupted; to be forked in a scope. It outlives
   * any outage of the store.
   */
  const run: Effect.Effect<never> = Effect.gen(function* () {
    const outage = makeStoreOutage("The store that is swept")
    const interval = Duration.minutes(plan.interval_minutes)
    yield* Effect.sleep(Duration.millis(yield* Random.nextIntBetween(0, firstWithinMillis)))
    const round = Effect.flatMap(outage.watch(sweepOnce), (done) =>
      Effect.sleep(Option.isSome(done) ? interval : Duration.min(interval, againAfter))
    )
    return yield* Effect.forever(round)
  })

  return { run, sweepOnce } as const
}) {}
