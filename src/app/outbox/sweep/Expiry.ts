import { type Cause, Effect, Exit, Option, Schema } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import * as CheckoutLink from "../../../domain/giving/CheckoutLink.ts"
import { CheckoutLinkId, IntroductionId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import type { Expirable, FindExpirable } from "../../../ports/kernel/Expirable.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { UnreadableRecord, unreadableIn } from "../../../ports/kernel/UnreadableRecord.ts"
import { IntroductionStore } from "../../../ports/sharing/IntroductionStore.ts"
import { actingIn, makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { makeCheckoutLinkChange } from "../../giving/link/CheckoutLinkChange.ts"
import { makeIntroductionChange } from "../../sharing/introduction/IntroductionChange.ts"

const actor = { type: "SYSTEM", id: "sweeper" } as const

/** Records that are looked for with one statement and decided one by one. */
const batch = 100

/** Records that may break before the rest is left alone: one must not hold up the others, and a store that is away does. */
export const brokenMaximum = 2

/** Records whose expiry is written by the sweeper. */
interface Expiring<Id> {
  /** The name of one of them, for the log. */
  readonly record: string
  readonly readId: (text: string) => Option.Option<Id>
  /** Those of all organisations that are due. */
  readonly due: FindExpirable
  /** Writes that a record expired, with its event; false where it was paid, moved or swept since it was found. */
  readonly expire: (organisation: Organisation, id: Id) => Effect.Effect<boolean, never, CurrentCaller>
}

/** How many of the records that were due were written, and could not be read. */
export interface ExpiryCount {
  readonly written: number
  /** Those that cannot be read. */
  readonly unreadable: number
}

const readOrganisation = Schema.decodeUnknownOption(OrganisationId)

/**
 * Expires records and emits their events: all that are due, or those of one organisation by its clock, each in a
 * transaction of its own, and answers how many. Several processes may do it at the same time. One that cannot be read
 * is left as it is, and reported once by a process. It dies of a record that breaks otherwise, after the others are
 * done.
 */
const makeExpiry = Effect.fnUntraced(function* <Id extends string>(expiring: Expiring<Id>) {
  const organisations = yield* OrganisationStore
  const timeOf = yield* makeOrganisationTime
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
    return yield* expiring
      .expire(organisation.value, id.value)
      .pipe(actingIn(organisation.value, actor, request_id), timeOf(organisation.value.id))
  }, transaction.run)

  const tell = Effect.fnUntraced(function* ({ id }: Expirable, { fields }: UnreadableRecord) {
    if (told.has(id)) return
    told.add(id)
    yield* Effect.logError(`The ${expiring.record} ${id} cannot be read (${fields.join(", ")}) and is left as it is`)
  })

  return Effect.fnUntraced(function* (only?: OrganisationId) {
    const request_id = yield* tokens.id("request")
    const broken: Array<Cause.Cause<never>> = []
    const aside = new Set<string>()
    let [written, unreadable] = [0, 0]
    const now = only === undefined ? organisationNow : timeOf(only)(organisationNow)
    const next = Effect.flatMap(now, (until) => expiring.due(until, batch, [...aside], only))
    for (let due = yield* next; due.length > 0 && broken.length <= brokenMaximum; due = yield* next) {
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
        if (broken.length > brokenMaximum) break
      }
    }
    const [first] = broken
    const expired: ExpiryCount = { written, unreadable }
    return first === undefined ? expired : yield* Effect.failCause(first)
  })
})

/** Expires introductions. decisions, section 5: Introduction. */
export const makeIntroductionExpiry = Effect.gen(function* () {
  const store = yield* IntroductionStore
  const change = (yield* makeIntroductionChange)(null)
  const expire = Effect.fnUntraced(function* (organisation: Organisation, id: IntroductionId) {
    const held = yield* change.take(organisation, id)
    return yield* change.settle("introductions.expire", held, [{ _tag: "Expire", at: held.at }])
  }, Effect.isSuccess)
  return yield* makeExpiry<IntroductionId>({
    record: "introduction",
    readId: Schema.decodeUnknownOption(IntroductionId),
    due: store.expirable,
    expire
  })
})

/** Expires checkout links, archived ones too. decisions, section 5: Checkout link. */
export const makeLinkExpiry = Effect.gen(function* () {
  const store = yield* CheckoutLinkStore
  const change = yield* makeCheckoutLinkChange
  const expire = Effect.fnUntraced(function* (organisation: Organisation, id: CheckoutLinkId) {
    const held = yield* change.take(organisation, id)
    return yield* change.settle("checkout_links.expire", held, [CheckoutLink.expiry(held.before, held.at)])
  }, Effect.isSuccess)
  return yield* makeExpiry<CheckoutLinkId>({
    record: "checkout link",
    readId: Schema.decodeUnknownOption(CheckoutLinkId),
    due: store.expirable,
    expire
  })
})
