import { DateTime } from "effect"
import * as Mail from "../../../domain/kernel/Mail.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { fairOrder } from "../FairQueue.ts"
import { every, type KeptMail, replace, type State } from "../State.ts"

/** All mails of all organisations. */
export const allMails = (state: State): ReadonlyArray<KeptMail> => every(state.mails)

/** A budget, and the mails that count toward it. */
export interface Purse {
  readonly budget: Mail.Budget
  readonly holds: (kept: KeptMail) => boolean
}

export const ofOrganisation = (organisation_id: string): Purse => ({
  budget: "organisation_budget",
  holds: (kept) => kept.organisation_id === organisation_id
})

export const ofAddress = (hashes: ReadonlyArray<string>): Purse => ({
  budget: "address_budget",
  holds: ({ address_hashes: [counted] }) => counted !== undefined && hashes.includes(counted)
})

/** The budget that a mail waits for; undefined where it waits for none. */
const awaited = ({ address_hashes, mail, organisation_id }: KeptMail): Purse | undefined => {
  if (mail.delayed_by === null) return undefined
  return mail.delayed_by === "organisation_budget" ? ofOrganisation(organisation_id) : ofAddress(address_hashes)
}

/** When the mails that count toward a budget were begun, the newest first. */
const begun = (state: State, { holds }: Purse, now: DateTime.Utc): ReadonlyArray<DateTime.Utc> =>
  allMails(state)
    .filter((kept) => holds(kept) && Rule.holdsAt(Mail.budgetRule, kept, now))
    .flatMap(({ begun_at }) => (begun_at === null ? [] : [begun_at]))
    .sort((a, b) => DateTime.toEpochMillis(b) - DateTime.toEpochMillis(a))

/** When a budget has room again; undefined where it has room now. */
export const fullUntil = (state: State, purse: Purse, now: DateTime.Utc): DateTime.Utc | undefined => {
  const last = begun(state, purse, now)[Mail.budgetSizes[purse.budget] - 1]
  return last === undefined ? undefined : Mail.roomAt(last)
}

const madeMillis = ({ mail }: KeptMail): number => DateTime.toEpochMillis(mail.created_at)

/** The mail as it is shown: one that waits is due when its budget has room. */
export const withDueTime = (state: State, kept: KeptMail, now: DateTime.Utc): Mail.Mail => {
  const purse = awaited(kept)
  if (purse === undefined) return kept.mail
  return { ...kept.mail, next_attempt_at: fullUntil(state, purse, now) ?? kept.mail.next_attempt_at }
}

/** Makes due what waits for budgets that have room, as many as there is room for. */
export const releaseDue = (state: State, now: DateTime.Utc): State => {
  const waiting = fairOrder(
    allMails(state).filter(({ mail }) => mail.delayed_by !== null),
    madeMillis
  )
  const room = new Map<string, number>()
  let next = state
  for (const kept of waiting) {
    const purse = awaited(kept)
    if (purse === undefined) continue
    const key = `${purse.budget} ${purse.budget === "address_budget" ? kept.address_hashes[0] : kept.organisation_id}`
    const left = room.get(key) ?? Mail.budgetSizes[purse.budget] - begun(state, purse, now).length
    room.set(key, left - 1)
    if (left <= 0) continue
    const mail: Mail.Mail = { ...kept.mail, delayed_by: null, next_attempt_at: now }
    next = { ...next, mails: replace(next.mails, { ...kept, mail }) }
  }
  return next
}
