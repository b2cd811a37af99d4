import { type Cause, DateTime, Effect, Exit, Option, Schema } from "effect"
import * as CheckoutLink from "../../../domain/giving/CheckoutLink.ts"
import { CheckoutLinkId, IntroductionId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import * as Machine from "../../../domain/kernel/Machine.ts"
import * as Introduction from "../../../domain/sharing/Introduction.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import type { Expirable } from "../../../ports/kernel/Expirable.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { UnreadableRecord, unreadableIn } from "../../../ports/kernel/UnreadableRecord.ts"
import { IntroductionStore } from "../../../ports/sharing/IntroductionStore.ts"
import { actingIn } from "../../access/steps/Acting.ts"
import { type Entry, Journal } from "../../access/steps/Journal.ts"

const actor = { type: "SYSTEM", id: "sweeper" } as const

/** Records that are looked for with one statement and decided one by one. */
const batch = 100

/** Records that may break before the rest is left alone: one must not hold up the others, and a store that is away does. */
const brokenAtMost = 2

/** Records whose expiry is written by the sweeper. */
interface Expiring<Id> {
  /** What one of them is called. */
  readonly record: string
  readonly readId: (text: string) => Option.Option<Id>
  /** Those of all organisations that are due. */
  readonly due: (
    now: DateTime.Utc,
    limit: number,
    except: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Expirable>>
  /**
   * Writes that a record has expired, and answers what is to be told of it: nothing where it was paid, moved or swept since
   * it was found.
   */
  readonly expire: (organisation_id: OrganisationId, id: Id) => Effect.Effect<Option.Option<Entry>>
}

/** What became of records that were due. */
export interface Expired {
  readonly written: number
  /** Those that cannot be read. */
  readonly unreadable: number
}

const readOrganisation = Schema.decodeUnknownOption(OrganisationId)

/**
 * Makes what writes and tells that records have expired: all that are due, each in a transaction of its own, and answers how
 * many. Several processes may do it at the same time. One that cannot be read is left as it is, and told of once by a process.
 * It dies of a record that breaks otherwise, after the others are done.
 */
const makeExpiry = Effect.fnUntraced(function* <Id extends string>(expiring: Expiring<Id>) {
  const organisations = yield* OrganisationStore
  const journal = yield* Journal
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  const told = new Set<string>()

  const expireOne = Effect.fnUntraced(function* (found: Expirable, request_id: string) {
    const [organisation_id, id] = [readOrganisation(found.organisation_id), expiring.readId(found.id)]
    if (Option.isNone(organisation_id) || Option.isNone(id)) {
      return yield* Effect.die(new UnreadableRecord({ fields: ["id"] }))
    }
    const organisation = yield* organisations.find(organisation_id.value)
    if (Option.isNone(organisation)) return false
    const entry = yield* expiring.expire(organisation_id.value, id.value)
    if (Option.isNone(entry)) return false
    yield* journal.write(entry.value).pipe(actingIn(organisation.value, actor, request_id))
    return true
  }, transaction.run)

  const tell = Effect.fnUntraced(function* ({ id }: Expirable, { fields }: UnreadableRecord) {
    if (told.has(id)) return
    told.add(id)
    yield* Effect.logError(`The ${expiring.record} ${id} cannot be read (${fields.join(", ")}) and is left as it is`)
  })

  return Effect.gen(function* () {
    const request_id = yield* tokens.id("request")
    const broken: Array<Cause.Cause<never>> = []
    const aside = new Set<string>()
    let [written, unreadable] = [0, 0]
    const next = Effect.flatMap(DateTime.now, (now) => expiring.due(now, batch, [...aside]))
    for (let due = yield* next; due.length > 0 && broken.length <= brokenAtMost; due = yield* next) {
      for (const found of due) {
        const exit = yield* Effect.exit(expireOne(found, request_id))
        if (Exit.isSuccess(exit) && exit.value) {
          written += 1
          continue
        }
        // Whatever it is, this sweep comes back to it no more.
        aside.add(found.id)
        if (Exit.isSuccess(exit)) continue
        const damage = unreadableIn(exit.cause)
        if (damage === undefined) broken.push(exit.cause)
        else {
          unreadable += 1
          yield* tell(found, damage)
        }
        if (broken.length > brokenAtMost) break
      }
    }
    const [first] = broken
    const expired: Expired = { written, unreadable }
    return first === undefined ? expired : yield* Effect.failCause(first)
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
  makeExpiry<IntroductionId>({
    record: "introduction",
    readId: Schema.decodeUnknownOption(IntroductionId),
    due: store.expirable,
    expire: Effect.fnUntraced(function* (organisation_id, id) {
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
  makeExpiry<CheckoutLinkId>({
    record: "checkout link",
    readId: Schema.decodeUnknownOption(CheckoutLinkId),
    due: store.expirable,
    expire: Effect.fnUntraced(function* (organisation_id, id) {
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
