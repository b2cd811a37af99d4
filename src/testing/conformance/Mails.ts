import { DateTime, Effect, Fiber, Option } from "effect"
import fc from "fast-check"
import { MailId } from "../../domain/Ids.ts"
import * as Mail from "../../domain/Mail.ts"
import { type ClaimedMail, MailOutbox } from "../../ports/MailOutbox.ts"
import type { OrganisationStore } from "../../ports/OrganisationStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import type { UserStore } from "../../ports/UserStore.ts"
import { assert } from "./Assert.ts"
import { at, freshId, newOrganisation } from "./Records.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"
import { newUser } from "./UserRecords.ts"

/** What the checks ask for. */
type Needs = MailOutbox | OrganisationStore | Transaction | UserStore

const mailOf = Effect.fnUntraced(function* (due: DateTime.Utc) {
  const { id: organisation_id } = yield* newOrganisation()
  const id = MailId.make(yield* freshId("mail"))
  const subject_id = yield* freshId("introduction")
  const about = { organisation_id, template: "introduction", subject_id, recipient_id: null } as const
  return { ...Mail.create({ id, ...about }, at(0)), next_attempt_at: due }
})

const farOff = at(1_000_000_000)

/** Claims under a lease of its own. */
const claim = Effect.fnUntraced(function* (now: DateTime.Utc, lease_until: DateTime.Utc, limit = 100) {
  const lease_id = yield* freshId("request")
  return yield* (yield* MailOutbox).claim({ now, lease_id, lease_until, limit })
})

/** Ends whatever is pending, so that no other check is handed it. */
const emptied = Effect.gen(function* () {
  const outbox = yield* MailOutbox
  for (const { lease_id, mail } of yield* claim(farOff, farOff, 10_000)) {
    yield* outbox.settle({ lease_id, mail: Mail.ended(mail, "DROPPED", farOff) })
  }
})

const added = Effect.fnUntraced(function* (due: DateTime.Utc) {
  const outbox = yield* MailOutbox
  yield* Effect.addFinalizer(() => emptied)
  return yield* Effect.tap(mailOf(due), outbox.add)
})

const ids = (claimed: ReadonlyArray<ClaimedMail>): ReadonlyArray<string> => claimed.map(({ mail }) => mail.id)

/** Whether there is a hint, without waiting for one that comes later. */
const isHinted = Effect.gen(function* () {
  const waiting = yield* Effect.forkChild((yield* MailOutbox).wait)
  for (let turn = 0; turn < 50 && waiting.pollUnsafe() === undefined; turn++) yield* Effect.yieldNow
  const hinted = waiting.pollUnsafe() !== undefined
  yield* Fiber.interrupt(waiting)
  return hinted
})

const claims = (given: Thoroughness) => [
  law("what is due is handed out earliest first, as an attempt makes it, within the limit", () =>
    forAll(
      runsOf(given),
      fc.record({
        seconds: fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 6 }),
        limit: fc.integer({ min: 1, max: 4 })
      }),
      ({ limit, seconds }) =>
        Effect.scoped(
          Effect.gen(function* () {
            const outbox = yield* MailOutbox
            const mails = yield* Effect.forEach(seconds, (second) => added(at(second)))
            const due = mails
              .filter((mail) => Number(mail.next_attempt_at.epochMilliseconds) <= at(10).epochMilliseconds)
              .toSorted((a, b) => a.next_attempt_at.epochMilliseconds - b.next_attempt_at.epochMilliseconds)
            const claimed = yield* claim(at(10), at(60), limit)
            same(
              claimed.map(({ mail }) => mail),
              due.slice(0, limit).map((mail) => Mail.attempted(mail, at(60)))
            )
            for (const { mail } of claimed) same(yield* outbox.find(mail.organisation_id, mail.id), Option.some(mail))
          })
        )
    )
  ),

  must(
    "of workers at the same moment one is handed a mail, and another one when the lease has ended",
    ["MailOutbox.claim MUST give a mail to one worker only, until lease_until; from then on it is due again"],
    () =>
      Effect.gen(function* () {
        const mails = yield* Effect.forEach([0, 1, 2, 3], (second) => added(at(second)))
        const rivals = yield* Effect.all(
          Array.from({ length: 4 }, () => claim(at(10), at(60), 2)),
          { concurrency: "unbounded" }
        )
        const rest = yield* claim(at(10), at(60))
        const first = [...rivals.flat(), ...rest]
        same(ids(first).toSorted(), mails.map(({ id }) => id).toSorted())
        same(ids(yield* claim(at(59), at(99))), [])
        const second = yield* claim(at(60), at(99))
        assert.lengthOf(second, 4)
        assert.isTrue(second.every(({ mail }) => mail.attempt_count === 2))
      })
  )
]

const outcomes = [
  must(
    "an outcome is recorded by who holds the mail, and by nobody else",
    ["MailOutbox.settle MUST leave alone a mail that is no longer held under the lease given"],
    () =>
      Effect.gen(function* () {
        const outbox = yield* MailOutbox
        const { id, organisation_id } = yield* added(at(0))
        const [lost] = yield* claim(at(0), at(10))
        const [held] = yield* claim(at(10), at(70))
        if (lost === undefined || held === undefined) return assert.isTrue(false, "nothing was claimed")
        yield* outbox.settle({ ...lost, mail: Mail.ended(lost.mail, "SENT", at(11)) })
        same(yield* outbox.find(organisation_id, id), Option.some(held.mail))
        const failed = Mail.failed(held.mail, at(12))
        yield* outbox.settle({ ...held, mail: failed })
        same(yield* outbox.find(organisation_id, id), Option.some(failed))
        yield* outbox.settle({ ...held, mail: Mail.ended(failed, "SENT", at(13)) })
        same(yield* outbox.find(organisation_id, id), Option.some(failed))
        same(yield* outbox.nextDue, Option.fromNullOr(failed.next_attempt_at))
        const [last] = yield* claim(farOff, farOff)
        if (last === undefined) return assert.isTrue(false, "nothing was claimed")
        const sent = Mail.ended(last.mail, "SENT", at(99))
        yield* outbox.settle({ ...last, mail: sent })
        same(yield* outbox.find(organisation_id, id), Option.some(sent))
        same(ids(yield* claim(farOff, farOff)), [])
        none(yield* outbox.nextDue)
      })
  ),

  law("a mail to a user is read back as it was written", () =>
    Effect.gen(function* () {
      const outbox = yield* MailOutbox
      const user = yield* newUser()
      yield* Effect.addFinalizer(() => emptied)
      const mail: Mail.Mail = { ...(yield* mailOf(at(0))), template: "endpoint_disabled", recipient_id: user.id }
      yield* outbox.add(mail)
      same(yield* outbox.find(mail.organisation_id, mail.id), Option.some(mail))
    })
  ),

  law("another organisation does not find the mail", () =>
    Effect.gen(function* () {
      const { id } = yield* added(at(0))
      none(yield* (yield* MailOutbox).find((yield* newOrganisation()).id, id))
    })
  )
]

const hints = [
  must(
    "a mail is hinted at once its change has committed, and is gone when that was rolled back",
    ["MailOutbox.add MUST raise the hint that wait waits for once that committed"],
    () =>
      Effect.gen(function* () {
        const outbox = yield* MailOutbox
        const transaction = yield* Transaction
        yield* added(at(0))
        yield* outbox.wait
        assert.isFalse(yield* isHinted)
        const mail = yield* mailOf(at(0))
        yield* Effect.flip(transaction.run(Effect.andThen(outbox.add(mail), Effect.fail("refused"))))
        assert.isFalse(yield* isHinted)
        none(yield* outbox.find(mail.organisation_id, mail.id))
        const late = yield* mailOf(at(0))
        const early = yield* transaction.run(Effect.andThen(outbox.add(late), isHinted))
        assert.isFalse(early)
        assert.isTrue(yield* isHinted)
      })
  )
]

/** Before anything that other checks end. */
const before = (seconds: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1970, 0, 1) + seconds * 1_000)

const trims = [
  must(
    "what ended so long ago is forgotten, the oldest first, and nothing that is pending",
    ["MailOutbox.trim MUST leave alone those that are pending"],
    () =>
      Effect.gen(function* () {
        const outbox = yield* MailOutbox
        const endedAt = Effect.fnUntraced(function* (second: number) {
          const mail = Mail.ended(yield* mailOf(at(0)), second === 1 ? "SENT" : "FAILED", before(second))
          yield* outbox.add(mail)
          return mail
        })
        const ended = [yield* endedAt(3), yield* endedAt(1), yield* endedAt(2)]
        const pending = yield* added(before(0))
        const known = Effect.forEach([...ended, pending], ({ id, organisation_id }) =>
          Effect.map(outbox.find(organisation_id, id), Option.isSome)
        )
        assert.strictEqual(yield* outbox.trim(before(0), 10), 0)
        assert.strictEqual(yield* outbox.trim(before(2), 1), 1)
        same(yield* known, [true, false, true, true])
        const counts = yield* Effect.all([outbox.trim(before(2), 10), outbox.trim(before(2), 10)], { concurrency: 2 })
        assert.strictEqual(counts[0] + counts[1], 1)
        same(yield* known, [true, false, false, true])
        assert.strictEqual(yield* outbox.trim(before(9), 10), 1)
        same(yield* known, [false, false, false, true])
      })
  )
]

/** The laws of {@link MailOutbox}. */
export const mails = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  ...claims(given),
  ...outcomes,
  ...hints,
  ...trims
]
