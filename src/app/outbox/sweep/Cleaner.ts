import { DateTime, Duration, Effect } from "effect"
import * as Idempotency from "../../../domain/access/Idempotency.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import * as Mail from "../../../domain/kernel/Mail.ts"
import type { SweepPlan } from "../../../domain/outbox/Sweep.ts"
import * as Passphrase from "../../../domain/sharing/Passphrase.ts"
import { IdempotencyStore } from "../../../ports/access/IdempotencyStore.ts"
import { MailOutbox } from "../../../ports/kernel/MailOutbox.ts"
import { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { NoticeStore } from "../../../ports/payments/NoticeStore.ts"
import { TestBank } from "../../../ports/payments/TestBank.ts"
import { PassphraseFailures } from "../../../ports/sharing/PassphraseFailures.ts"

/** Rows that are deleted with one statement. */
const trimBatch = 1_000

/** The cleaner of records whose retention is over: each effect deletes a batch, and answers how many there were. */
export const makeCleaner = Effect.gen(function* () {
  const answers = yield* IdempotencyStore
  const deliveries = yield* DeliveryStore
  const mails = yield* MailOutbox
  const notices = yield* NoticeStore
  const bank = yield* TestBank
  const failures = yield* PassphraseFailures

  return (now: DateTime.Utc, { delivery_retention_days }: SweepPlan) => {
    const daysAgo = (days: number) => DateTime.subtractDuration(now, Duration.days(days))
    return {
      idempotency_records_forgotten: answers.forget(Idempotency.absentSince(now), trimBatch),
      deliveries_trimmed: deliveries.trim(daysAgo(delivery_retention_days), trimBatch),
      mails_trimmed: mails.trim(daysAgo(Mail.keptDays), trimBatch),
      notices_trimmed: Effect.zipWith(
        notices.trim(daysAgo(Limits.noticeKeptDays), trimBatch),
        bank.trimNotices(daysAgo(Limits.noticeKeptDays), trimBatch),
        (received, sent) => received + sent
      ),
      passphrase_failures_trimmed: failures.trim(Passphrase.uncountedSince(now), trimBatch)
    }
  }
})
