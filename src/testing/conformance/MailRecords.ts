import { DateTime, Duration, Effect, Option } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import * as Mail from "../../domain/kernel/Mail.ts"
import { type ClaimedMail, MailOutbox } from "../../ports/kernel/MailOutbox.ts"
import { assert } from "./Assert.ts"
import { freshId, newOrganisation } from "./Records.ts"
import { same } from "./Suite.ts"

/** So many seconds before the store's present. */
export const ago = (seconds: number) =>
  MailOutbox.use((outbox) => Effect.map(outbox.now, (now) => DateTime.subtractDuration(now, Duration.seconds(seconds))))

export const mailIn = Effect.fnUntraced(function* (organisation_id: OrganisationId, due: DateTime.Utc) {
  const id = yield* freshId("mail")
  const subject_id = yield* freshId("introduction")
  const about = { organisation_id, template: "introduction", subject_id, recipient_id: null } as const
  return Mail.create({ id, ...about }, due)
})

export const mailOf = Effect.fnUntraced(function* (due: DateTime.Utc) {
  return yield* mailIn((yield* newOrganisation()).id, due)
})

export const aWhile = Duration.minutes(10)

/** Claims under a lease of its own. */
export const claim = Effect.fnUntraced(function* (limit = 100, lease = aWhile, lane: Mail.Lane = "written") {
  const lease_id = yield* freshId("request")
  const { claimed, unreadable } = yield* (yield* MailOutbox).claim({ lane, lease_id, lease, limit })
  same(unreadable, [])
  return claimed
})

/** Ends whatever is due, so that no other check is handed it. */
const endDueMails = Effect.gen(function* () {
  const outbox = yield* MailOutbox
  const now = yield* outbox.now
  for (const lane of Mail.Lane.literals) {
    for (const { lease_id, mail } of yield* claim(1_000, aWhile, lane)) {
      yield* outbox.settle({ lease_id, mail: Mail.endMail(mail, "DROPPED", now) })
    }
  }
})

/** Asserts that the mail is held for so long from between two moments. */
export const isHeldFor = (
  { next_attempt_at }: Mail.Mail,
  lease: Duration.Duration,
  before: DateTime.Utc,
  after: DateTime.Utc
) => {
  const began = DateTime.subtractDuration(next_attempt_at ?? DateTime.makeUnsafe(0), lease)
  assert.isTrue(DateTime.between(began, { minimum: before, maximum: after }), DateTime.formatIso(began))
}

/** The first of what is due, claimed under a lease of its own. */
export const claimFirst = Effect.fnUntraced(function* (lease?: Duration.Duration) {
  const [first] = yield* claim(lease === undefined ? 100 : 1, lease)
  return first ?? (yield* Effect.die("nothing was claimed"))
})

export const keepMail = Effect.fnUntraced(function* (mail: Mail.Mail) {
  yield* Effect.addFinalizer(() => endDueMails)
  yield* (yield* MailOutbox).add(mail)
  return mail
})

/** A mail of a new organisation that has been due for so many seconds. */
export const addMail = (seconds: number) => Effect.flatMap(Effect.flatMap(ago(seconds), mailOf), keepMail)

export const ids = (claimed: ReadonlyArray<ClaimedMail>): ReadonlyArray<string> => claimed.map(({ mail }) => mail.id)

export const findMail = ({ id, organisation_id }: Mail.Mail) =>
  MailOutbox.use((outbox) => Effect.map(outbox.find(organisation_id, id), Option.getOrThrow))
