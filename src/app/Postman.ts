import { Context, DateTime, Duration, Effect, Fiber, Layer, Option } from "effect"
import * as Mail from "../domain/Mail.ts"
import { type Letter, Mailer, type MailOutcome } from "../ports/Mailer.ts"
import { type ClaimedMail, MailOutbox } from "../ports/MailOutbox.ts"
import { Tokens } from "../ports/Tokens.ts"
import { makeLetters } from "./steps/Letters.ts"
import { makeStoreOutage } from "./steps/StoreOutage.ts"

/** Mails that are leased with one claim, and sent side by side. */
const batch = 8

/** Digits of a lease's id, base62: unique over all workers without asking any. */
const leaseDigits = 22

/** The longest that sending one mail may take. It ends well before the lease. */
const sendWithin = Duration.seconds(40)

/** How long what is under way may take when the worker is told to stop. */
const drainWithin = Duration.seconds(8)

/** How often is looked when nothing hints, milliseconds: mails of other processes are found by looking. */
const lookEveryMillis = 5_000

/** Another worker may be about to take what is due. */
const lookAgainMillis = 100

/**
 * Sends the mails of committed changes: claims what is due, makes it from the record that it is about, sends it, and records
 * what came of it. Any number of processes may run one over the same store. A mail may arrive twice, and is not lost.
 */
export class Postman extends Context.Service<Postman>()("almoner/app/Postman", {
  make: Effect.gen(function* () {
    const outbox = yield* MailOutbox
    const mailer = yield* Mailer
    const tokens = yield* Tokens
    const letterOf = yield* makeLetters

    const after = (mail: Mail.Mail, outcome: MailOutcome, at: DateTime.Utc): Mail.Mail => {
      if (outcome._tag === "Sent") return Mail.ended(mail, "SENT", at)
      return outcome._tag === "Refused" ? Mail.ended(mail, "FAILED", at) : Mail.failed(mail, at)
    }

    const post = Effect.fnUntraced(function* (mail: Mail.Mail, letter: Letter) {
      const sent = yield* Effect.timeoutOption(mailer.send(letter), sendWithin)
      const outcome = Option.getOrElse(sent, (): MailOutcome => ({ _tag: "Failed", reason: "timeout" }))
      const next = after(mail, outcome, yield* DateTime.now)
      if (outcome._tag !== "Sent") {
        const consequence = next.status === "PENDING" ? "it is tried again later" : "it is given up"
        yield* Effect.logWarning(`Mail ${mail.id} was not sent (${outcome.reason}); ${consequence}`)
      }
      return next
    })

    const attempt = Effect.fnUntraced(function* ({ lease_id, mail }: ClaimedMail) {
      const now = yield* DateTime.now
      const letter = yield* letterOf(mail, now)
      const next = Option.isSome(letter) ? yield* post(mail, letter.value) : Mail.ended(mail, "DROPPED", now)
      yield* outbox.settle({ mail: next, lease_id })
    })

    /** What broke is tried again when its lease ends. */
    const attemptSafely = (claimed: ClaimedMail): Effect.Effect<void> =>
      Effect.catchCause(attempt(claimed), (cause) =>
        Effect.logError(`The attempt of mail ${claimed.mail.id} broke`, cause)
      )

    /** One claim and its mails, side by side. When it is interrupted, what is under way gets some time to end. */
    const sendBatch = (due: DateTime.Utc): Effect.Effect<number> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          // Counted from before the call: a slow answer shortens the lease, and never stretches it.
          const lease_until = DateTime.addDuration(yield* DateTime.now, Duration.seconds(Mail.leaseSeconds))
          const lease_id = yield* tokens.base62(leaseDigits)
          const claimed = yield* outbox.claim({ now: due, lease_id, lease_until, limit: batch })
          if (claimed.length === 0) return 0
          const all = Effect.forEach(claimed, attemptSafely, { concurrency: "unbounded", discard: true })
          const sending = yield* Effect.forkDetach(Effect.interruptible(all))
          const drain = Effect.andThen(
            Effect.timeoutOption(Effect.interruptible(Fiber.await(sending)), drainWithin),
            Fiber.interrupt(sending)
          )
          yield* Effect.onInterrupt(restore(Fiber.join(sending)), () => drain)
          return claimed.length
        })
      )

    /**
     * Sends everything that is due at this moment, and answers how many attempts that took. For hosts with a job runner of
     * their own, in place of {@link run}. Dies when the store is away, and may then be called again.
     */
    const sendDue: Effect.Effect<number> = Effect.gen(function* () {
      const due = yield* DateTime.now
      let total = 0
      for (let size = yield* sendBatch(due); size > 0; size = yield* sendBatch(due)) total += size
      return total
    })

    const untilNext = Effect.gen(function* () {
      const next = yield* outbox.nextDue
      const now = yield* DateTime.now
      const millis = Option.match(next, {
        onNone: () => lookEveryMillis,
        onSome: (at) =>
          Math.min(lookEveryMillis, Math.max(lookAgainMillis, DateTime.toEpochMillis(at) - DateTime.toEpochMillis(now)))
      })
      yield* Effect.timeoutOption(outbox.wait, Duration.millis(millis))
    })

    /** Sends for as long as it is not interrupted; to be forked in a scope. It outlives any outage of the store. */
    const run: Effect.Effect<never> = Effect.suspend(() => {
      const outage = makeStoreOutage("The store of mails")
      const once = Effect.flatMap(outage.watch(Effect.andThen(sendDue, untilNext)), (done) =>
        Option.isSome(done) ? Effect.void : Effect.sleep(Duration.millis(lookEveryMillis))
      )
      return Effect.forever(once)
    })

    return { run, sendDue } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
