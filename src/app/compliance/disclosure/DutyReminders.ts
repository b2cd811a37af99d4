import { DateTime, Duration, Effect, Option, Result } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import * as Disclosure from "../../../domain/compliance/Disclosure.ts"
import * as DutyReminder from "../../../domain/compliance/DutyReminder.ts"
import { type CalendarDate, dayOf } from "../../../domain/kernel/CalendarDate.ts"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { parse } from "../../../domain/kernel/Listing.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import { organisationNow, realNow } from "../../../ports/kernel/AheadClock.ts"
import { orLogged } from "../../../ports/kernel/LoggedCause.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { makeAdminMails } from "../../access/mail/AdminMails.ts"

/** What is due within so many days by one calendar is due within one more by any. */
const reach = Duration.days(Math.max(...Limits.dutyReminderDays) + 2)

/** Finds the open duties that an organisation's admins are reminded of on a day, page by page. */
export const makeDutyFinder = Effect.gen(function* () {
  const store = yield* DisclosureStore

  const pageFrom = Effect.fnUntraced(function* (
    { id, timezone }: Organisation,
    today: CalendarDate,
    after: string | null
  ) {
    const asked = parse(Disclosure.listing, [
      ["due_at[lte]", DateTime.formatIso(DutyReminder.remindedUntil(today, timezone))],
      ["limit", String(Limits.pageMaximum)],
      ...(after === null ? [] : [["starting_after", after] as const])
    ])
    const { data, has_more } = yield* Effect.orDie(store.list(id, Result.getOrThrow(asked)))
    return {
      found: data.flatMap((disclosure) => DutyReminder.remindersOf(disclosure, today, timezone)),
      next: has_more ? (data.at(-1)?.id ?? null) : null
    }
  })

  return Effect.fnUntraced(function* (
    organisation: Organisation,
    today: CalendarDate,
    isEnough: (count: number) => boolean
  ) {
    const found: Array<DutyReminder.DutyReminder> = []
    for (let after: string | null = null; ; ) {
      const page: Effect.Success<ReturnType<typeof pageFrom>> = yield* pageFrom(organisation, today, after)
      found.push(...page.found)
      if (page.next === null || isEnough(found.length)) return found.toSorted(DutyReminder.byDueDay)
      after = page.next
    }
  })
})

/**
 * Makes the effect that writes to the admins of every organisation, or of one, about duties that are late or due soon: at most
 * once on each day of its own calendar. Answers how many organisations were written to. law, section 5.
 */
export const makeDutyReminders = Effect.gen(function* () {
  const store = yield* DisclosureStore
  const organisations = yield* OrganisationStore
  const mails = yield* makeAdminMails
  const transaction = yield* Transaction
  const timeOf = yield* makeOrganisationTime
  const dutiesOf = yield* makeDutyFinder

  const remind = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
    const organisation = yield* organisations.find(organisation_id)
    if (Option.isNone(organisation)) return false
    const today = dayOf(yield* organisationNow, organisation.value.timezone)
    const duties = yield* dutiesOf(organisation.value, today, (count) => count > 0)
    const admins = duties.length === 0 ? [] : yield* mails.adminsOf(organisation_id)
    if (admins.length === 0 || !(yield* store.beginReminder(organisation_id, today))) return false
    const about = { organisation_id, template: "disclosure_duties", subject_id: today } as const
    yield* mails.write(admins, about, yield* realNow)
    return true
  }, transaction.run)

  return Effect.fnUntraced(function* (only?: OrganisationId) {
    const now = only === undefined ? organisationNow : timeOf(only)(organisationNow)
    let reminded = 0
    const remindOne = (id: OrganisationId) =>
      Effect.map(timeOf(id)(remind(id)), (isNew) => {
        if (isNew) reminded += 1
      })
    for (const id of yield* store.organisationsDue(addTime(yield* now, reach), only)) {
      yield* orLogged(
        remindOne(id),
        `The admins of ${id} could not be reminded of duties; it is tried again in an hour`
      )
    }
    return reminded
  })
})
