import { DateTime, Effect, HashMap, Layer, Option, Queue, Result } from "effect"
import * as Mail from "../../domain/Mail.ts"
import { compareCodePoints } from "../../domain/Text.ts"
import { MailOutbox } from "../../ports/MailOutbox.ts"
import type { Change } from "./Memory.ts"
import { Memory } from "./Memory.ts"
import { add, get, type KeptMail, remove, replace, type State } from "./State.ts"

const dueMillis = ({ mail: { next_attempt_at } }: KeptMail): number =>
  next_attempt_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(next_attempt_at)

const earliestFirst = (a: KeptMail, b: KeptMail): number => dueMillis(a) - dueMillis(b) || compareCodePoints(a.id, b.id)

const pendingOf = (state: State): ReadonlyArray<KeptMail> =>
  HashMap.toValues(state.mails)
    .flatMap((table) => HashMap.toValues(table))
    .filter(({ mail }) => mail.status === "PENDING")
    .sort(earliestFirst)

const claim = (
  state: State,
  { lease_id, lease_until, limit, now }: Parameters<MailOutbox["Service"]["claim"]>[0]
): Change<ReadonlyArray<{ readonly mail: Mail.Mail; readonly lease_id: string }>, never> => {
  const claimed = pendingOf(state)
    .filter((kept) => dueMillis(kept) <= DateTime.toEpochMillis(now))
    .slice(0, limit)
    .map((kept): KeptMail => ({ ...kept, lease_id, mail: Mail.attempted(kept.mail, lease_until) }))
  const mails = claimed.reduce((table, kept) => replace(table, kept), state.mails)
  return Result.succeed([claimed.map(({ mail }) => ({ mail, lease_id })), { ...state, mails }])
}

const endedMillis = ({ mail: { completed_at } }: KeptMail): number =>
  completed_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(completed_at)

const trim = (state: State, before: DateTime.Utc, limit: number): Change<number, never> => {
  const old = HashMap.toValues(state.mails)
    .flatMap((table) => HashMap.toValues(table))
    .filter((kept) => endedMillis(kept) <= DateTime.toEpochMillis(before))
    .sort((a, b) => endedMillis(a) - endedMillis(b))
    .slice(0, limit)
  const mails = old.reduce((table, { id, organisation_id }) => remove(table, organisation_id, id), state.mails)
  return Result.succeed([old.length, { ...state, mails }])
}

/** Mails in memory. */
export const layer = Layer.effect(
  MailOutbox,
  Effect.gen(function* () {
    const memory = yield* Memory
    const hints = yield* Queue.sliding<void>(1)
    const raise = Effect.asVoid(Queue.offer(hints, undefined))
    return MailOutbox.of({
      add: (mail) =>
        Effect.andThen(
          memory.change((state) => ({
            ...state,
            mails: add(state.mails, { id: mail.id, organisation_id: mail.organisation_id, mail, lease_id: null })
          })),
          memory.afterCommit(raise)
        ),
      find: (organisation_id, id) =>
        memory.read((state) => Option.map(get(state.mails, organisation_id, id), ({ mail }) => mail)),
      claim: (options) => memory.decide((state) => claim(state, options)),
      settle: ({ lease_id, mail }) =>
        memory.change((state) => {
          const kept = Option.getOrUndefined(get(state.mails, mail.organisation_id, mail.id))
          return kept?.lease_id === lease_id
            ? { ...state, mails: replace(state.mails, { ...kept, mail, lease_id: null }) }
            : state
        }),
      trim: (before, limit) => memory.decide((state) => trim(state, before, limit)),
      nextDue: memory.read((state) =>
        Option.flatMapNullishOr(Option.fromNullishOr(pendingOf(state)[0]), (kept) => kept.mail.next_attempt_at)
      ),
      wait: Queue.take(hints)
    })
  })
)
