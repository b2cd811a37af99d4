import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { makeDutyReminders } from "../../src/app/compliance/disclosure/DutyReminders.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { DisclosureStore, DonorStore, MailOutbox } from "../../src/ports.ts"
import { disclosureOf } from "../../src/testing/conformance/DisclosureRecords.ts"
import { newDonor } from "../../src/testing/conformance/MoneyRecords.ts"
import { harbourTrust } from "../support/HarbourTrust.ts"
import { withFresh } from "../support/Steps.ts"
import { addMember, inviter, Post, sendDue, sentTo, setRole, world } from "./MailerWorld.ts"

const remind = Effect.flatMap(makeDutyReminders, (work) => work())

const { effect } = withFresh(world)

/** A notice of an organisation that is due so many days from now, and an admin to be reminded of it. */
const owed = Effect.fnUntraced(function* (organisation: Organisation, days: number, email: string) {
  const ada = yield* addMember(organisation, email, "ADMIN")
  const donor = { ...(yield* newDonor(organisation.id)), first_name: "Mary", last_name: "<Lee>" }
  yield* DonorStore.use(({ update }) => update(donor))
  const due_at = DateTime.add(yield* DateTime.now, { days })
  const plain = yield* disclosureOf(donor)
  const disclosure = { ...plain, due_at, duties: plain.duties.map((duty) => ({ ...duty, due_at })) }
  yield* DisclosureStore.use(({ insert }) => insert(disclosure))
  return { organisation, ada, disclosure }
})

/** An organisation with an admin, and a notice that is due so many days from now. */
const owing = Effect.fnUntraced(function* (days: number) {
  const organisation = yield* inviter
  yield* addMember(organisation, "cy@example.org", "EDITOR")
  return yield* owed(organisation, days, "ada@example.org")
})

effect("admins are reminded of a duty 7, 2 and 0 days before it is due, and daily when it is late", function* () {
  yield* owing(9)
  const days: Array<number> = []
  for (let left = 9; left >= -3; left -= 1) {
    if ((yield* remind) > 0) days.push(left)
    yield* TestClock.adjust("1 day")
  }
  assert.deepStrictEqual(days, [7, 2, 0, -1, -2, -3])
})

effect("a reminder names the donor and the duty, to admins alone, once on a day", function* () {
  const { organisation } = yield* owing(2)
  const counts = yield* Effect.all([remind, remind, remind], { concurrency: "unbounded" })
  assert.deepStrictEqual(counts.toSorted(), [0, 0, 1])
  yield* TestClock.adjust("1 hour")
  assert.strictEqual(yield* remind, 0)
  assert.strictEqual(yield* sendDue, 1)
  assert.deepStrictEqual(yield* sentTo, ["ada@example.org"])
  const [mail] = (yield* Post).sent
  assert.strictEqual(mail?.subject, `1 duty to disclose gifts to ${organisation.name}`)
  assert.match(mail?.text ?? "", /Mary <Lee>, AU 2040: give notice of a gift; it is due on \d{4}-\d\d-\d\d\./)
})

effect("nothing is sent of a duty that was fulfilled meanwhile, nor to who is an admin no more", function* () {
  const { ada, disclosure, organisation } = yield* owing(0)
  yield* remind
  yield* setRole(organisation, ada, "VIEWER")
  yield* sendDue
  assert.deepStrictEqual(yield* sentTo, [])
  yield* setRole(organisation, ada, "ADMIN")
  yield* TestClock.adjust("1 day")
  assert.strictEqual(yield* remind, 1)
  const closed_at = Option.some(yield* DateTime.now)
  const duties = disclosure.duties.map((duty) => ({ ...duty, closed_at: Option.getOrNull(closed_at) }))
  yield* DisclosureStore.use(({ update }) => update({ ...disclosure, status: "COMPLETED", due_at: null, duties }))
  yield* sendDue
  assert.deepStrictEqual(yield* sentTo, [])
})

effect(
  "a day's reminder that breaks before its mail is written is written later, and keeps no other from theirs",
  function* () {
    const { live: organisation, sandbox } = yield* harbourTrust
    yield* owed(organisation, 2, "ada@example.org")
    yield* owed(sandbox, 2, "eve@example.org")
    const outbox = yield* MailOutbox
    const breaking = MailOutbox.of({
      ...outbox,
      add: (mail) => (mail.organisation_id === organisation.id ? Effect.die("broken") : outbox.add(mail))
    })
    assert.strictEqual(yield* Effect.provideService(remind, MailOutbox, breaking), 1)
    assert.strictEqual(yield* remind, 1)
    assert.strictEqual(yield* remind, 0)
    yield* sendDue
    assert.deepStrictEqual(yield* sentTo, ["ada@example.org", "eve@example.org"])
  }
)

effect("a clock that jumps over many days leads to one reminder, of what is late by then", function* () {
  yield* owing(9)
  yield* TestClock.adjust("40 days")
  assert.deepStrictEqual([yield* remind, yield* remind], [1, 0])
  yield* sendDue
  assert.deepStrictEqual(yield* sentTo, ["ada@example.org"])
  assert.match((yield* Post).sent[0]?.text ?? "", /give notice of a gift; it was due on/)
})
