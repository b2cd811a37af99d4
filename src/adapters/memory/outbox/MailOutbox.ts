import { DateTime, Duration, Effect, HashMap, Option, Queue, Result } from "effect"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import * as Mail from "../../../domain/kernel/Mail.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { type Admission, MailOutbox } from "../../../ports/kernel/MailOutbox.ts"
import { fairOrder } from "../FairQueue.ts"
import { page } from "../ListPage.ts"
import { type Change, storeFrom } from "../Memory.ts"
import { add, every, get, type KeptMail, put, remove, replace, type State, type Table } from "../State.ts"

const allMails = (state: State): ReadonlyArray<KeptMail> => every(state.mails)

interface Purse {
  readonly budget: Mail.Budget
  readonly holds: (kept: KeptMail) => boolean
}

const ofOrganisation = (organisation_id: string): Purse => ({
  budget: "organisation_budget",
  holds: (kept) => kept.organisation_id === organisation_id
})

const ofAddress = (hashes: ReadonlyArray<string>): Purse => ({
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
const fullUntil = (state: State, purse: Purse, now: DateTime.Utc): DateTime.Utc | undefined => {
  const last = begun(state, purse, now)[Mail.budgetSizes[purse.budget] - 1]
  return last === undefined ? undefined : Mail.roomAt(last)
}

const madeMillis = ({ mail }: KeptMail): number => DateTime.toEpochMillis(mail.created_at)

/** The mail as it is shown: one that waits is due when its budget has room. */
const withDueTime = (state: State, kept: KeptMail, now: DateTime.Utc): Mail.Mail => {
  const purse = awaited(kept)
  if (purse === undefined) return kept.mail
  return { ...kept.mail, next_attempt_at: fullUntil(state, purse, now) ?? kept.mail.next_attempt_at }
}

/** Makes due what waits for budgets that have room, as many as there is room for. */
const releaseDue = (state: State, now: DateTime.Utc): State => {
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

type Outbox = MailOutbox["Service"]

const dueMillis = ({ mail: { next_attempt_at } }: KeptMail): number =>
  next_attempt_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(next_attempt_at)

const isPending = ({ mail }: KeptMail, lane: Mail.Lane): boolean =>
  Mail.laneOf(mail) === lane && Rule.holds(Mail.inFlight, mail)

const claim = (
  before: State,
  { lane, lease, lease_id, limit }: Parameters<Outbox["claim"]>[0],
  now: DateTime.Utc
): Change<Effect.Success<ReturnType<Outbox["claim"]>>, never> => {
  const state = releaseDue(before, now)
  const due = allMails(state).filter(
    (kept) => isPending(kept, lane) && kept.mail.delayed_by === null && dueMillis(kept) <= DateTime.toEpochMillis(now)
  )
  const lease_until = addTime(now, lease)
  const claimed = fairOrder(due, dueMillis)
    .slice(0, limit)
    .map((kept): KeptMail => ({ ...kept, lease_id, mail: Mail.beginAttempt(kept.mail, lease_until) }))
  const mails = claimed.reduce((table, kept) => replace(table, kept), state.mails)
  return Result.succeed([
    { claimed: claimed.map(({ mail }) => ({ mail, lease_id })), unreadable: [] },
    { ...state, mails }
  ])
}

const admit = (
  state: State,
  { lease_id, mail: { id, organisation_id, template } }: Parameters<Outbox["admit"]>[0],
  { address_hashes, lease }: Parameters<Outbox["admit"]>[1],
  now: DateTime.Utc
): Change<Admission, never> => {
  const kept = Option.getOrUndefined(get(state.mails, organisation_id, id))
  if (kept?.lease_id !== lease_id || dueMillis(kept) <= DateTime.toEpochMillis(now)) {
    return Result.succeed([{ _tag: "Lost" }, state])
  }
  const counts = Rule.holdsAt(Mail.budgetRule, kept, now)
  const draws = Mail.hasBudgets(Mail.laneOf({ template }))
  const full = (draws ? [ofOrganisation(organisation_id), ofAddress(address_hashes)] : [])
    .flatMap((purse) => {
      const until = counts ? undefined : fullUntil(state, purse, now)
      return until === undefined ? [] : [{ by: purse.budget, until }]
    })
    .toSorted((a, b) => DateTime.toEpochMillis(b.until) - DateTime.toEpochMillis(a.until))
  const [delay] = full
  const next: KeptMail =
    delay === undefined
      ? {
          ...kept,
          ...(draws ? { address_hashes, begun_at: now } : {}),
          mail: { ...kept.mail, next_attempt_at: addTime(now, lease) }
        }
      : { ...kept, address_hashes, lease_id: null, mail: Mail.delayMail(kept.mail, delay.by, delay.until) }
  const admission: Admission = delay === undefined ? { _tag: "Admitted" } : { _tag: "Delayed", ...delay }
  return Result.succeed([admission, { ...state, mails: replace(state.mails, next) }])
}

const mended = (state: State, now: DateTime.Utc): State => {
  const earlier = (at: DateTime.Utc | null, furthest: DateTime.Utc) =>
    at !== null && DateTime.isGreaterThan(at, furthest) ? furthest : at
  const mend = (kept: KeptMail): KeptMail => {
    const seconds = Mail.aheadAtMostSeconds(kept.mail.attempt_count, kept.lease_id !== null)
    const furthest = addTime(now, Duration.seconds(seconds))
    const mail = { ...kept.mail, next_attempt_at: earlier(kept.mail.next_attempt_at, furthest) }
    return { ...kept, begun_at: earlier(kept.begun_at, now), mail: kept.mail.delayed_by === null ? mail : kept.mail }
  }
  return {
    ...state,
    mails: allMails(state)
      .map(mend)
      .reduce((table, kept) => replace(table, kept), state.mails)
  }
}

const endedMillis = ({ mail: { completed_at } }: KeptMail): number =>
  completed_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(completed_at)

const trim = (state: State, before: DateTime.Utc, limit: number): Change<number, never> => {
  const old = allMails(state)
    .filter((kept) => endedMillis(kept) <= DateTime.toEpochMillis(before))
    .sort((a, b) => endedMillis(a) - endedMillis(b))
    .slice(0, limit)
  const mails = old.reduce((table, { id, organisation_id }) => remove(table, organisation_id, id), state.mails)
  return Result.succeed([old.length, { ...state, mails }])
}

const recordsOf = (state: State, now: DateTime.Utc): Table<Mail.MailRecord> =>
  allMails(state).reduce((table, kept) => {
    const { organisation_id, ...record } = withDueTime(state, kept, now)
    return put(table, organisation_id, kept.id, record)
  }, HashMap.empty<string, HashMap.HashMap<string, Mail.MailRecord>>())

const untilNext = (state: State, lane: Mail.Lane, now: DateTime.Utc): Option.Option<Duration.Duration> => {
  const due = allMails(state)
    .filter((kept) => isPending(kept, lane))
    .map((kept) => withDueTime(state, kept, now).next_attempt_at ?? now)
  if (due.length === 0) return Option.none()
  const first = Math.min(...due.map(DateTime.toEpochMillis))
  return Option.some(Duration.millis(Math.max(0, first - DateTime.toEpochMillis(now))))
}

const hasSingle = (state: State, { organisation_id, subject_id, template }: Mail.Mail): boolean =>
  Mail.singleTemplates.includes(template) &&
  allMails(state).some(
    ({ mail }) =>
      mail.organisation_id === organisation_id && mail.template === template && mail.subject_id === subject_id
  )

type MailHints = { readonly [L in Mail.Lane]: Queue.Queue<void> }

/** Mails in memory. The store's clock is Effect's. */
export const layer = storeFrom(MailOutbox, function* (memory) {
  const hint = Queue.sliding<void>(1)
  const hints: MailHints = { asked: yield* hint, owed: yield* hint, written: yield* hint, yearly: yield* hint }

  const atNow = <A, E>(use: (now: DateTime.Utc) => Effect.Effect<A, E>) => Effect.flatMap(realNow, use)

  return {
    now: realNow,
    add: (mail) =>
      Effect.andThen(
        atNow((now) =>
          memory.change((state) => {
            const isAhead = mail.attempt_count === 0 && mail.next_attempt_at !== null
            const next_attempt_at = isAhead ? DateTime.min(mail.next_attempt_at ?? now, now) : mail.next_attempt_at
            const kept: KeptMail = {
              id: mail.id,
              organisation_id: mail.organisation_id,
              mail: { ...mail, next_attempt_at },
              lease_id: null,
              begun_at: null,
              address_hashes: []
            }
            return hasSingle(state, mail) ? state : { ...state, mails: add(state.mails, kept) }
          })
        ),
        memory.afterCommit(Effect.asVoid(Queue.offer(hints[Mail.laneOf(mail)], undefined)))
      ),
    find: (organisation_id, id) =>
      atNow((now) =>
        memory.read((state) =>
          Option.map(get(state.mails, organisation_id, id), (kept) => withDueTime(state, kept, now))
        )
      ),
    list: (organisation_id, query) =>
      atNow((now) =>
        Effect.flatMap(
          memory.read((state) => state),
          (state) =>
            page<Mail.MailRecord>(
              { table: () => recordsOf(state, now), columns: (record) => record },
              state,
              organisation_id,
              query
            )
        )
      ),
    claim: (options) => atNow((now) => memory.decide((state) => claim(state, options, now))),
    admit: (claimed, options) => atNow((now) => memory.decide((state) => admit(state, claimed, options, now))),
    settle: ({ lease_id, mail }) =>
      memory.change((state) => {
        const kept = Option.getOrUndefined(get(state.mails, mail.organisation_id, mail.id))
        return kept?.lease_id === lease_id
          ? { ...state, mails: replace(state.mails, { ...kept, mail, lease_id: null }) }
          : state
      }),
    mend: atNow((now) => memory.change((state) => mended(state, now))),
    trim: (before, limit) => memory.decide((state) => trim(state, before, limit)),
    nextDue: (lane) => atNow((now) => memory.read((state) => untilNext(state, lane, now))),
    wait: (lane) => Queue.take(hints[lane])
  }
})
