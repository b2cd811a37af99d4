import { Cause, DateTime, Duration, Effect, Option } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import * as Mail from "../../domain/kernel/Mail.ts"
import { emailKey } from "../../domain/kernel/Text.ts"
import { loggedCause } from "../../ports/kernel/LoggedCause.ts"
import { Macs } from "../../ports/kernel/Macs.ts"
import { type Admission, type ClaimedMail, MailOutbox } from "../../ports/kernel/MailOutbox.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { guard } from "../../ports/kernel/WorkGuard.ts"
import { type MailMessage, type MailOutcome, MailTransport } from "../../ports/outbox/MailTransport.ts"
import { Service } from "../kernel/service/Service.ts"
import { followStoreClock } from "../kernel/time/StoreClock.ts"
import { batchOf, untilDue, untilNone, workThroughOutages } from "../kernel/worker/ClaimLoop.ts"
import { makeMailMessages } from "./mail/MailMessages.ts"

/** Digits of a lease's id, base62: unique over all workers without asking any. */
const leaseDigits = 22

const lease = Duration.seconds(Mail.leaseSeconds)

/** The longest that sending one mail may take. It ends well before the lease. */
const sendWithin = Duration.seconds(40)

const budgetWords: { readonly [B in Mail.Budget]: string } = {
  organisation_budget: `its organisation has sent ${Mail.budgetSizes.organisation_budget} within a day`,
  address_budget: `its address was sent ${Mail.budgetSizes.address_budget} within a day`
}

/**
 * Sends the mails of committed changes: claims what is due, makes it from the record that it is about, sends it where the
 * budgets have room, and records what came of it. Any number of processes may run one over the same store, whatever their
 * clocks say: all times are the store's. A mail may arrive twice, and is not lost. docs/decisions/0027.
 */
export class Mailer extends Service<Mailer>()("almoner/app/Mailer", function* () {
  const outbox = yield* MailOutbox
  const transport = yield* MailTransport
  const macs = yield* Macs
  const tokens = yield* Tokens
  const messageOf = yield* makeMailMessages
  const clock = followStoreClock(outbox.now)

  const after = (mail: Mail.Mail, outcome: MailOutcome, at: DateTime.Utc): Mail.Mail => {
    if (outcome._tag === "Sent") return Mail.endMail(mail, "SENT", at)
    return outcome._tag === "Refused" ? Mail.endMail(mail, "FAILED", at) : Mail.failAttempt(mail, at)
  }

  const send = Effect.fnUntraced(function* (mail: Mail.Mail, message: MailMessage) {
    const sent = yield* Effect.timeoutOption(transport.send(message), sendWithin)
    const outcome = Option.getOrElse(sent, (): MailOutcome => ({ _tag: "Failed", reason: "timeout" }))
    const next = after(mail, outcome, yield* clock.now)
    if (outcome._tag !== "Sent") {
      const consequence = next.status === "PENDING" ? "it is tried again later" : "it is given up"
      yield* Effect.logWarning(`Mail ${mail.id} was not sent (${outcome.reason}); ${consequence}`)
    }
    return next
  })

  /** The keyed hashes under which an address is counted: nobody without the keys can tell whose they are. */
  const hashesOf = (address: string) =>
    Effect.map(
      Effect.forEach(macs.keyIds, (key_id) => macs.make(key_id, "mail_address", emailKey(address))),
      (hashes) => hashes.flatMap(Option.toArray)
    )

  /** Sends it where there is room: the last that is done before, so that what was revoked meanwhile counts nowhere. */
  const sendAdmitted = Effect.fnUntraced(function* (claimed: ClaimedMail, message: MailMessage) {
    const admission: Admission = yield* outbox.admit(claimed, { address_hashes: yield* hashesOf(message.to), lease })
    if (admission._tag === "Admitted") return Option.some(yield* send(claimed.mail, message))
    if (admission._tag === "Delayed") {
      const until = DateTime.formatIso(admission.until)
      yield* Effect.logWarning(`Mail ${claimed.mail.id} waits until ${until} or later: ${budgetWords[admission.by]}`)
    }
    return Option.none()
  })

  const attempt = Effect.fnUntraced(function* (claimed: ClaimedMail) {
    const now = yield* clock.now
    const message = Mail.isLate(claimed.mail, now) ? Option.none() : yield* messageOf(claimed.mail, now)
    const next = Option.isSome(message)
      ? yield* sendAdmitted(claimed, message.value)
      : Option.some(Mail.endMail(claimed.mail, "DROPPED", now))
    if (Option.isSome(next)) yield* outbox.settle({ ...claimed, mail: next.value })
  })

  /** An attempt that breaks is recorded as a failed one; where not even that can be written, its lease runs out. */
  const attemptSafely = (claimed: ClaimedMail): Effect.Effect<void> =>
    Effect.catchCause(attempt(claimed), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.logError(`The attempt of mail ${claimed.mail.id} broke`, loggedCause(cause)).pipe(
            Effect.andThen(clock.now),
            Effect.flatMap((at) => outbox.settle({ ...claimed, mail: Mail.failAttempt(claimed.mail, at) })),
            Effect.exit
          )
    )

  const claim = Effect.fnUntraced(function* (lane: Mail.Lane) {
    const lease_id = yield* tokens.base62(leaseDigits)
    const found = yield* outbox.claim({ lane, lease_id, lease, limit: Limits.mailsAtOnce })
    for (const id of found.unreadable) {
      yield* Effect.logError(`Mail ${id} cannot be read and is set aside until a worker starts: almoner mail list`)
    }
    return found
  })

  /** One claim and its mails, side by side; how many that were, with those that cannot be read. */
  const sendBatch = (lane: Mail.Lane): Effect.Effect<number> =>
    Effect.suspend(() => {
      let setAside = 0
      const batch = batchOf(
        () =>
          Effect.map(claim(lane), ({ claimed, unreadable }) => {
            setAside = unreadable.length
            return claimed
          }),
        (claimed) =>
          Effect.forEach(claimed, (each) => guard({ kind: "mail", id: each.mail.id }, attemptSafely(each)), {
            concurrency: "unbounded",
            discard: true
          })
      )
      return Effect.map(batch, (size) => size + setAside)
    })

  const mendAfterTurn = Effect.flatMap(clock.read, (isBack) => (isBack ? outbox.mend : Effect.void))

  const sendLane = (lane: Mail.Lane) => untilNone(sendBatch(lane))

  /** Does for each lane by itself, so that none waits for another. */
  const inLanes = <A>(use: (lane: Mail.Lane) => Effect.Effect<A>) =>
    Effect.forEach(Mail.Lane.literals, use, { concurrency: "unbounded" })

  /**
   * Sends everything that is due, and answers how many attempts that took. For hosts with a job runner of their own, in
   * place of {@link run}. Dies when the store is away, and may then be called again.
   */
  const sendDue: Effect.Effect<number> = Effect.andThen(
    mendAfterTurn,
    Effect.map(inLanes(sendLane), (sizes) => sizes.reduce((total, size) => total + size, 0))
  )

  const untilNext = (lane: Mail.Lane) => untilDue(Effect.map(outbox.nextDue(lane), Option.toArray), outbox.wait(lane))

  /** Sends for as long as it is not interrupted; to be forked in a scope. It outlives any outage of the store. */
  const run: Effect.Effect<never> = Effect.andThen(
    inLanes((lane) =>
      workThroughOutages(
        "The store of mails",
        Effect.andThen(Effect.andThen(mendAfterTurn, sendLane(lane)), untilNext(lane))
      )
    ),
    Effect.never
  )

  return { run, sendDue } as const
}) {}
