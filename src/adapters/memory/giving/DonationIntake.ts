import { Effect, HashMap, Option, Result } from "effect"
import { storableAnswer } from "../../../domain/access/Idempotency.ts"
import { unarchivedRule } from "../../../domain/kernel/Listing.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { DonationIntake, type KeyedGift } from "../../../ports/giving/DonationIntake.ts"
import { DeliverySignal } from "../../../ports/outbox/DeliverySignal.ts"
import { withEntry } from "../access/AuditStore.ts"
import { scopeKey, withAnswer } from "../access/IdempotencyStore.ts"
import { type Change, storeFrom } from "../Memory.ts"
import { EventHint } from "../outbox/EventHint.ts"
import { isRepeated, withEvent } from "../outbox/Outbox.ts"
import { add, get, type State } from "../State.ts"

/** Whether everything that the gift's decision assumed still holds, and nothing of the gift is stored already. */
const isUsual = (state: State, { donation, events, organisation, scope }: KeyedGift): boolean => {
  const donor = get(state.donors, donation.organisation_id, donation.donor_id)
  const now = HashMap.get(state.organisations, donation.organisation_id)
  return (
    !HashMap.has(state.answers, scopeKey(scope)) &&
    Option.isSome(donor) &&
    Rule.holds(unarchivedRule, donor.value) &&
    Option.isSome(now) &&
    now.value.timezone === organisation.timezone &&
    now.value.default_currency === organisation.default_currency &&
    Option.isNone(get(state.donations, donation.organisation_id, donation.id)) &&
    !events.some((event) => isRepeated(state, event))
  )
}

const written = (state: State, { answer, audit, body_hash, donation, events, now, scope }: KeyedGift): State => {
  const donations = add(state.donations, donation)
  const small = storableAnswer(answer)
  const record = {
    body_hash,
    created_at: now,
    answer:
      small === null ? null : { status: small.status, content_type: small.content_type, body: { plain: small.body } }
  }
  const next = events.reduce((before, event) => withEvent(before, event, now), { ...state, donations })
  return withAnswer(withEntry(next, audit), scope, record)
}

const take = (state: State, gift: KeyedGift): Change<boolean, never> =>
  Result.succeed(isUsual(state, gift) ? [true, written(state, gift)] : [false, state])

export const layer = storeFrom(DonationIntake, function* (memory) {
  const signal = yield* DeliverySignal
  const { raise } = yield* EventHint
  const record = Effect.fnUntraced(function* (gift: KeyedGift) {
    if (!(yield* memory.hold(scopeKey(gift.scope)))) return "in_flight" as const
    const taken = yield* memory.decide((state) => take(state, gift))
    if (taken) yield* memory.afterCommit(Effect.andThen(raise, signal.raise))
    return taken
  })
  return { record: (gift) => memory.run(record(gift)) }
})
