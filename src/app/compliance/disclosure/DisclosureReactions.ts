import { Effect, Option } from "effect"
import { moveDuties } from "../../../domain/compliance/Assessment.ts"
import type { Donation } from "../../../domain/giving/Donation.ts"
import { DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import type { Reaction } from "../../kernel/reaction/Reactions.ts"
import { makeDisclosureKeeper } from "./DisclosureKeeper.ts"
import { recountTime } from "./RecountTime.ts"

/**
 * What disclosures make of a gift that is written. A gift without a code costs nothing, and one whose code is assigned to no
 * jurisdiction a look at the code. All is read before the write: a unit of work that is sent as one statement stays one, as long as
 * no disclosure changes.
 */
export const makeGiftReaction = Effect.gen(function* () {
  const store = yield* DisclosureStore
  const keeper = yield* makeDisclosureKeeper

  return Effect.fnUntraced(function* (gift: Donation, write: Effect.Effect<void>) {
    // A gift counts from its success on: nothing follows while it waits, or when it fails.
    if (gift.status === "PENDING" || gift.status === "FAILED") return yield* write
    const { donation_day, donor_id, organisation_id, updated_at: at } = gift
    const jurisdiction = yield* store.jurisdictionOf(gift)
    const reach = keeper.reachOf(jurisdiction, donation_day)
    if (jurisdiction === null || reach === null) return yield* write
    const organisation = yield* keeper.organisationOf(organisation_id)
    const context = { organisation, at, written: { ...gift, jurisdiction } }
    const tell = yield* keeper.judgeGift({ donor_id, jurisdiction, reach }, donation_day, context)
    yield* write
    yield* tell
  })
})

/** What disclosures make of a merge: the duplicate's are superseded, and what was lodged of its gifts is to be amended. law, section 4. */
export const disclosureReactions = Effect.gen(function* () {
  const store = yield* DisclosureStore
  const keeper = yield* makeDisclosureKeeper

  const reaction: Partial<Reaction> = {
    // Duties end with a day of the organisation's calendar: those that are open get their moments anew.
    timezoneChanged: Effect.fnUntraced(function* (organisation_id) {
      const counts = Option.isSome(yield* store.recountOf(organisation_id))
      if (counts) yield* store.requestRecount(organisation_id, yield* recountTime)
    }),
    donorMerged: Effect.fnUntraced(function* ({ at, duplicate, organisation_id, survivor }) {
      const former = yield* keeper.holdDisclosures(organisation_id, duplicate)
      const context = { organisation: yield* keeper.organisationOf(organisation_id), at }
      yield* keeper.assessDonor(survivor, context, former)
      for (const each of former) yield* keeper.settle(each, moveDuties(each, at), context, "Supersede")
    })
  }
  return reaction
})
