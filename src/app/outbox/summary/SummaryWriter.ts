import { Effect, Option } from "effect"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import * as Mail from "../../../domain/kernel/Mail.ts"
import {
  advanceSummary,
  beginSummary,
  type SummarySubject,
  subjectText,
  yearDueOn,
  yearOf
} from "../../../domain/outbox/YearlySummary.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { GivingSettingsStore } from "../../../ports/giving/GivingSettingsStore.ts"
import { organisationNow, realNow } from "../../../ports/kernel/AheadClock.ts"
import { orLogged } from "../../../ports/kernel/LoggedCause.ts"
import { MailOutbox } from "../../../ports/kernel/MailOutbox.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { YearlySummaryStore } from "../../../ports/outbox/YearlySummaryStore.ts"
import { makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import type { DonorMerge, Reaction } from "../../kernel/reaction/Reactions.ts"

/** Organisations that are looked for with one statement. */
const batch = 100

/** Somewhere it is a day already when it is so many hours earlier by UTC. */
const furthestAhead = { hours: 14 }

/** Writes the mail of one donor's summary in the surrounding transaction. */
export const makeSummaryMail = Effect.gen(function* () {
  const mails = yield* MailOutbox
  const tokens = yield* Tokens
  return Effect.fnUntraced(function* (organisation_id: OrganisationId, subject: SummarySubject) {
    const about = { template: "yearly_summary", subject_id: subjectText(subject), recipient_id: null } as const
    yield* mails.add(Mail.create({ id: yield* tokens.id("mail"), organisation_id, ...about }, yield* realNow))
  })
})

/**
 * Makes the effect that writes the summaries of the last financial year, of every organisation or of one by its clock, and
 * answers how many mails that were. It goes in steps: each writes the mails of some donors and how far it came in one
 * transaction, so that a crash leaves the rest to the next sweep. Any number of processes may do it. docs/decisions/0083.
 */
export const makeSummaryWriter = Effect.gen(function* () {
  const store = yield* YearlySummaryStore
  const organisations = yield* OrganisationStore
  const settings = yield* GivingSettingsStore
  const transaction = yield* Transaction
  const timeOf = yield* makeOrganisationTime
  const write = yield* makeSummaryMail

  /** How many mails a step wrote; null where everything is written. Nobody gets one where receipts are switched off. */
  const takeStep = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
    const organisation = yield* organisations.find(organisation_id)
    if (Option.isNone(organisation)) return null
    const at = yield* organisationNow
    yield* store.begin(beginSummary(organisation.value, at))
    const open = yield* store.openForUpdate(organisation_id)
    if (Option.isNone(open)) return null
    const year = yearOf(open.value.ends_on)
    const { sends_receipts } = yield* settings.of(organisation_id)
    const step = sends_receipts
      ? yield* store.donorsAfter(organisation_id, year, open.value.after_donor_id, Limits.summaryDonors)
      : { donors: [], last: null }
    for (const donor_id of step.donors) yield* write(organisation_id, { donor_id, year, again_on: null })
    yield* store.save(advanceSummary(open.value, step, at))
    return step.donors.length
  }, transaction.run)

  const writeOf = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
    const step = timeOf(organisation_id)(takeStep(organisation_id))
    let written = 0
    for (let count = yield* step; count !== null; count = yield* step) written += count
    return written
  })

  return Effect.fnUntraced(function* (only?: OrganisationId) {
    if (only !== undefined) return yield* writeOf(only)
    const { ends_on } = yearDueOn(dayOf(addTime(yield* realNow, furthestAhead), "UTC"))
    let written = 0
    const safely = (id: OrganisationId) =>
      orLogged(
        Effect.map(writeOf(id), (count) => {
          written += count
        }),
        `The summaries of the year of ${id} could not be written; it is tried again in an hour`
      )
    for (let after = ""; ; ) {
      const found = yield* store.organisationsWithout(ends_on, after, batch)
      yield* Effect.forEach(found, safely, { discard: true })
      const last = found.at(-1)
      if (last === undefined) return written
      after = last
    }
  })
})

/**
 * A donor who took over another one's gifts gets the summary that the other one would have had, where it was not written yet
 * and the survivor has been passed already. decisions, section 4: Donors.
 */
export const summaryReactions = Effect.gen(function* () {
  const store = yield* YearlySummaryStore
  const write = yield* makeSummaryMail

  const donorMerged = Effect.fnUntraced(function* ({ at, duplicate, organisation_id, survivor }: DonorMerge) {
    const open = yield* store.openForUpdate(organisation_id)
    if (Option.isNone(open)) return
    const { after_donor_id, ends_on } = open.value
    if (survivor > after_donor_id || duplicate <= after_donor_id) return
    yield* write(organisation_id, { donor_id: survivor, year: yearOf(ends_on), again_on: dayOf(at, "UTC") })
  })

  const reaction: Partial<Reaction> = { donorMerged }
  return reaction
})
