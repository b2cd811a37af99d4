import { Duration, Effect, Option } from "effect"
import fc from "fast-check"
import * as Mail from "../../domain/kernel/Mail.ts"
import * as Rule from "../../domain/kernel/Rule.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { MailOutbox } from "../../ports/kernel/MailOutbox.ts"
import { assert } from "./Assert.ts"
import { dueRecords, hintCheck, isHinted } from "./DueRecords.ts"
import { lists } from "./Lists.ts"
import { mailBudgets } from "./MailBudgets.ts"
import {
  addMail,
  ago,
  aWhile,
  claim,
  claimFirst,
  findMail,
  ids,
  isHeldFor,
  keepMail,
  mailIn,
  mailOf
} from "./MailRecords.ts"
import { at, freshId, idsOf } from "./Records.ts"
import { inTransaction, lawsOf, none, runsOf, same, suite, type Thoroughness } from "./Suite.ts"
import { trimCheck } from "./Trims.ts"
import { newUser } from "./Users.ts"

const { law, must } = lawsOf(MailOutbox)

/** What hints at mails of this lane. */
const writtenLane = Effect.map(MailOutbox, ({ wait }) => ({ wait: wait("written") }))

const hinted = isHinted(writtenLane)

const claims = (given: Thoroughness) => [
  ...dueRecords(
    {
      name: "mails",
      must: "MailOutbox.claim MUST give a mail to one worker only, for as long as lease; from then on it is due again.",
      port: Effect.map(MailOutbox, ({ claim, nextDue, now }) => ({
        now,
        claim: Effect.fnUntraced(function* (limit: number, lease: Duration.Duration) {
          const { claimed } = yield* claim({ lane: "written", lease_id: yield* freshId("request"), lease, limit })
          return claimed.map(({ mail }) => mail)
        }),
        nextDue: nextDue("written")
      })),
      make: Effect.fnUntraced(function* (organisation_id, seconds) {
        const mail = yield* mailIn(organisation_id, yield* ago(-(seconds ?? 0)))
        // One that was tried before may be due later, and one that has ended never is.
        return yield* keepMail(seconds === null ? Mail.endMail(mail, "SENT", at(0)) : { ...mail, attempt_count: 3 })
      }),
      find: ({ id, organisation_id }: Mail.Mail) => MailOutbox.use((outbox) => outbox.find(organisation_id, id)),
      field: "next_attempt_at",
      moves: ["attempt_count"]
    },
    runsOf(given)
  ),

  law("what is handed out is as an attempt makes it, and again when its lease has ended", function* ({ store, other }) {
    const { id: recipient_id } = yield* newUser()
    // Many times, at any part of a millisecond.
    for (let time = 0; time < 20; time++) {
      const mail = yield* keepMail({ ...(yield* mailOf(yield* ago(0))), recipient_id })
      const before = yield* store.now
      const [short] = yield* claim(1, Duration.zero)
      const [again] = yield* claim()
      if (short === undefined || again === undefined) return assert.isTrue(false, "nothing was claimed")
      isHeldFor(again.mail, aWhile, before, yield* store.now)
      const until = again.mail.next_attempt_at ?? before
      same(again.mail, Mail.beginAttempt(Mail.beginAttempt(mail, until), until))
      same(yield* findMail(mail), again.mail)
      none(yield* store.find(other, mail.id))
      assert.strictEqual(short.mail.attempt_count, 1)
    }
  }),

  must(
    "a lane is handed out, hinted at and waited for by itself, whatever waits in another",
    ["MailOutbox.claim MUST hand out none of another lane."],
    function* ({ store: outbox, id }) {
      yield* addMail(10)
      yield* outbox.wait("written")
      const owed = yield* mailIn(id, yield* ago(0))
      // What other checks left is handed out already, and may be due before this one is again.
      yield* claim(100, aWhile, "owed")
      const others = Option.map(yield* outbox.nextDue("owed"), Duration.toMinutes)
      const minutes = Math.min(10, ...Option.toArray(others))
      const isDue = Effect.map(outbox.nextDue("owed"), Option.exists(Duration.isZero))
      assert.isFalse(yield* isDue)
      yield* keepMail({ ...owed, template: "endpoint_disabled" })
      assert.isFalse(yield* hinted)
      yield* outbox.wait("owed")
      assert.isTrue(yield* isDue)
      same(ids(yield* claim(100, aWhile, "owed")), [owed.id])
      const left = Duration.toMinutes(Option.getOrThrow(yield* outbox.nextDue("owed")))
      assert.isTrue(left > minutes - 1 && left < minutes + 0.1, `${left} minutes`)
      same(ids(yield* claim(100, aWhile, "owed")), [])
      assert.lengthOf(yield* claim(), 1)
    }
  ),

  must(
    "a gift has one receipt, and a payment one summary, whoever writes it again",
    ["MailOutbox.add MUST leave out a second one of a template and a subject that Mail.singleTemplates names."],
    function* ({ store: outbox, id }) {
      for (const template of Mail.Template.literals) {
        const mails = [yield* mailIn(id, yield* ago(2)), yield* mailIn(id, yield* ago(1))]
        // Sent already, so that no other check is handed it.
        for (const each of mails) {
          yield* keepMail({ ...Mail.endMail(each, "SENT", each.created_at), template, subject_id: `the same ${id}` })
        }
        const found = yield* Effect.forEach(mails, (each) => Effect.map(outbox.find(id, each.id), Option.isSome))
        same(found, [true, !Mail.singleTemplates.includes(template)])
      }
    }
  ),

  must(
    "a new mail is due at once, though the clock that it was made by ran ahead",
    ["MailOutbox.add MUST be due at once, however far ahead the clock is by which it was made."],
    function* () {
      // Many times, at any part of a millisecond.
      for (let time = 0; time < 20; time++) {
        const { id } = yield* addMail(-3_600)
        same(ids(yield* claim()), [id])
      }
    }
  )
]

const outcomes = [
  must(
    "an outcome is recorded by who holds the mail, and by nobody else",
    ["MailOutbox.settle MUST leave alone a mail that is no longer held under the lease given"],
    function* ({ store: outbox }) {
      const mail = yield* addMail(10)
      const now = yield* outbox.now
      const [lost] = yield* claim(1, Duration.zero)
      const [held] = yield* claim()
      if (lost === undefined || held === undefined) return assert.isTrue(false, "nothing was claimed")
      yield* outbox.settle({ ...lost, mail: Mail.endMail(lost.mail, "SENT", now) })
      same(yield* findMail(mail), held.mail)
      const sent = Mail.endMail(held.mail, "SENT", now)
      yield* outbox.settle({ ...held, mail: sent })
      same(yield* findMail(mail), sent)
      yield* outbox.settle({ ...held, mail: Mail.endMail(held.mail, "FAILED", now) })
      same(yield* findMail(mail), sent)
      same(ids(yield* claim()), [])
    }
  ),

  law("a mail that has ended is handed out no more and stays as it is", function* ({ store: outbox }) {
    const begun = yield* ago(10)
    const mails = yield* Effect.forEach(Mail.Status.literals, (status) =>
      Effect.flatMap(mailOf(begun), (mail) =>
        keepMail(status === "PENDING" ? mail : Mail.endMail({ ...mail, attempt_count: 1 }, status, begun))
      )
    )
    const isInFlight = (mail: Mail.Mail) => Rule.holds(Mail.inFlight, mail)
    const claimed = yield* claim()
    same(ids(claimed), idsOf(mails.filter(isInFlight)))
    for (const { lease_id } of claimed) {
      for (const mail of mails.filter((mail) => !isInFlight(mail))) {
        yield* outbox.settle({ lease_id, mail: Mail.failAttempt({ ...mail, status: "PENDING" }, begun) })
        same(yield* outbox.admit({ lease_id, mail }, { address_hashes: ["hash"], lease: aWhile }), { _tag: "Lost" })
        same(yield* findMail(mail), mail)
      }
    }
    yield* outbox.mend
    for (const mail of mails.filter((mail) => !isInFlight(mail))) same(yield* findMail(mail), mail)
  }),

  law("a mail that failed is due again after its wait, and that is told beforehand", function* ({ store: outbox }) {
    const mail = yield* keepMail({ ...(yield* mailOf(yield* ago(1))), attempt_count: 19 })
    const held = yield* claimFirst()
    const failed = Mail.failAttempt(held.mail, yield* outbox.now)
    yield* outbox.settle({ ...held, mail: failed })
    same(yield* findMail(mail), failed)
    same(ids(yield* claim()), [])
    const next = Option.getOrThrow(yield* outbox.nextDue("written"))
    assert.isAtMost(Duration.toHours(next), 6)
    const due = yield* addMail(0)
    assert.strictEqual(Duration.toMillis(Option.getOrThrow(yield* outbox.nextDue("written"))), 0)
    same(ids(yield* claim()), [due.id])
  })
]

const listed = (given: Thoroughness) =>
  lists<Mail.Mail, Pick<Mail.Mail, "created_at" | "status">, MailOutbox | OrganisationStore>(
    {
      name: "mails",
      port: "MailOutbox",
      spec: Mail.listing,
      draft: fc.record({ status: fc.constantFrom(...Mail.Status.literals), created_at: fc.nat(3).map(at) }),
      store: Effect.fnUntraced(function* (organisation_id, { created_at, status }) {
        const mail = { ...(yield* mailIn(organisation_id, yield* ago(1))), created_at }
        return yield* keepMail(status === "PENDING" ? mail : Mail.endMail(mail, status, created_at))
      }),
      list: (organisation_id, query) => MailOutbox.use((outbox) => outbox.list(organisation_id, query)),
      columns: (mail) => mail,
      shown: ({ organisation_id: _, ...record }) => record
    },
    runsOf(given)
  )

const hints = [
  hintCheck(
    "a mail is hinted at once its change has committed",
    ["MailOutbox.add MUST raise the hint that wait waits for once that committed"],
    writtenLane,
    Effect.fnUntraced(function* () {
      yield* addMail(1)
      return [Effect.flatMap(Effect.flatMap(ago(1), mailOf), (yield* MailOutbox).add)]
    })
  ),

  law("a mail whose transaction was rolled back is gone", function* ({ store: outbox }) {
    const mail = yield* mailOf(yield* ago(1))
    yield* Effect.flip(inTransaction(Effect.andThen(outbox.add(mail), Effect.fail("refused"))))
    none(yield* outbox.find(mail.organisation_id, mail.id))
  })
]

const trims = [
  trimCheck({
    name: "mails",
    must: ["MailOutbox.trim MUST leave alone those that are pending"],
    port: MailOutbox,
    trim: ({ trim }, until, limit) => trim(until, limit),
    isOldestFirst: true,
    make: Effect.fnUntraced(function* (organisation_id, since) {
      const status = since.epochMilliseconds % 2 === 0 ? "SENT" : "FAILED"
      return yield* keepMail(Mail.endMail(yield* mailIn(organisation_id, since), status, since))
    }),
    kept: (organisation_id, since) => Effect.all([Effect.flatMap(mailIn(organisation_id, since), keepMail)]),
    isThere: ({ id, organisation_id }) =>
      MailOutbox.use((outbox) => Effect.map(outbox.find(organisation_id, id), Option.isSome))
  })
]

/** The laws of {@link MailOutbox}. */
export const mails = (given: Thoroughness = {}) =>
  suite([...claims(given), ...outcomes, ...listed(given), ...mailBudgets, ...hints, ...trims])
