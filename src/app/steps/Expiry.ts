import { type Cause, DateTime, Effect, Exit, Option } from "effect"
import * as CheckoutLink from "../../domain/CheckoutLink.ts"
import type { OrganisationId } from "../../domain/Ids.ts"
import * as Introduction from "../../domain/Introduction.ts"
import * as Machine from "../../domain/Machine.ts"
import { CheckoutLinkStore } from "../../ports/CheckoutLinkStore.ts"
import { IntroductionStore } from "../../ports/IntroductionStore.ts"
import { OrganisationStore } from "../../ports/OrganisationStore.ts"
import { Tokens } from "../../ports/Tokens.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { actingIn } from "./Acting.ts"
import { type Entry, Journal } from "./Journal.ts"

const actor = { type: "SYSTEM", id: "sweeper" } as const

/** Records that may break before the rest is left alone: one must not hold up the others, and a store that is away does. */
const brokenAtMost = 2

/** Records whose expiry is written by the sweeper. */
interface Expiring<A> {
  /** Those of all organisations that are due. */
  readonly due: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<A>>
  /**
   * Writes that a record has expired, and answers what is to be told of it: nothing where it was paid, moved or swept since
   * it was found.
   */
  readonly expire: (found: A) => Effect.Effect<Option.Option<Entry>>
}

/**
 * Makes what writes and tells that records have expired: at most `limit` of all organisations, each in a transaction of its
 * own, and answers how many it was that wrote. Several processes may do it at the same time. It dies of a record that
 * breaks after the others are done.
 */
const makeExpiry = Effect.fnUntraced(function* <A extends { readonly organisation_id: OrganisationId }>(
  expiring: Expiring<A>
) {
  const organisations = yield* OrganisationStore
  const journal = yield* Journal
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const expireOne = Effect.fnUntraced(function* (found: A, request_id: string) {
    const organisation = yield* organisations.find(found.organisation_id)
    if (Option.isNone(organisation)) return false
    const entry = yield* expiring.expire(found)
    if (Option.isNone(entry)) return false
    yield* journal.write(entry.value).pipe(actingIn(organisation.value, actor, request_id))
    return true
  }, transaction.run)

  return Effect.fnUntraced(function* (limit: number) {
    const due = yield* expiring.due(yield* DateTime.now, limit)
    const request_id = yield* tokens.id("request")
    let written = 0
    const broken: Array<Cause.Cause<never>> = []
    for (const found of due) {
      const exit = yield* Effect.exit(expireOne(found, request_id))
      if (Exit.isFailure(exit)) broken.push(exit.cause)
      else if (exit.value) written += 1
      if (broken.length > brokenAtMost) break
    }
    const [first] = broken
    return first === undefined ? written : yield* Effect.failCause(first)
  })
})

const decided = Effect.fnUntraced(function* <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  machine: Machine.Machine<State, Status, Command, Event>,
  held: Option.Option<State>,
  command: (state: State) => Command
) {
  if (Option.isNone(held)) return Option.none<Machine.Decision<State, Event>>()
  return yield* Effect.option(Effect.fromResult(Machine.decide(machine, held.value, command(held.value))))
})

/** Expires introductions. decisions, section 5: Introduction. */
export const makeIntroductionExpiry = Effect.flatMap(IntroductionStore, (store) =>
  makeExpiry<Introduction.Introduction>({
    due: store.expirable,
    expire: Effect.fnUntraced(function* ({ id, organisation_id }) {
      const held = yield* store.findForUpdate(organisation_id, id)
      const at = yield* DateTime.now
      const decision = yield* decided(Introduction.machine, held, (): Introduction.Command => ({ _tag: "Expire", at }))
      if (Option.isNone(decision)) return Option.none()
      const { state } = decision.value
      // The external id does not change, so it cannot be taken.
      yield* Effect.orDie(store.update(state))
      const data = Introduction.eventDataOf(state)
      const events = [{ type: "introduction.expired" as const, data }]
      return Option.some({ operation: "introductions.expire", subject_id: id, at, events })
    })
  })
)

/** Expires checkout links, archived ones too. decisions, section 5: Checkout link. */
export const makeLinkExpiry = Effect.flatMap(CheckoutLinkStore, (store) =>
  makeExpiry<CheckoutLink.CheckoutLink>({
    due: store.expirable,
    expire: Effect.fnUntraced(function* ({ id, organisation_id }) {
      const held = yield* store.findForUpdate(organisation_id, id)
      const at = yield* DateTime.now
      const decision = yield* decided(CheckoutLink.machine, held, (link) => CheckoutLink.expiry(link, at))
      if (Option.isNone(decision)) return Option.none()
      const { events, state } = decision.value
      yield* store.update(state)
      const data = CheckoutLink.eventDataOf(state, at)
      const told = events.map((type) => ({ type, data }))
      return Option.some({ operation: "checkout_links.expire", subject_id: id, at, events: told })
    })
  })
)
