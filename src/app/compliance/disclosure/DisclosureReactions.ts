import { Effect } from "effect"
import { moveDuties } from "../../../domain/compliance/Assessment.ts"
import type { Donation } from "../../../domain/giving/Donation.ts"
import { firstDay, lastDay } from "../../../domain/kernel/CalendarDate.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import type { DonorMerge, Reaction } from "../../kernel/reaction/Reactions.ts"
import { makeDisclosureKeeper, type Span } from "./DisclosureKeeper.ts"

/** What disclosures make of a gift that was written. Gifts without a code that is assigned to a jurisdiction cost one look at most. */
export const makeGiftReaction = Effect.gen(function* () {
  const store = yield* DisclosureStore
  const keeper = yield* makeDisclosureKeeper

  return Effect.fnUntraced(function* (gift: Donation) {
    // A gift that never counted is told of while it waits, and when it fails.
    if (gift.status === "PENDING" || gift.status === "FAILED") return
    const { donation_day, donor_id, organisation_id, updated_at: at } = gift
    const jurisdiction = yield* store.jurisdictionOf(gift)
    const reach = jurisdiction === null ? null : keeper.reachOf(jurisdiction, donation_day)
    if (jurisdiction === null || reach === null) return
    const organisation = yield* keeper.organisationOf(organisation_id)
    yield* keeper.assess({ donor_id, jurisdiction, reach }, { organisation, at })
  })
})

const keyOf = ({ jurisdiction, reach }: Span): string => `${jurisdiction} ${reach.period.starts_on}`

/** What disclosures make of a merge: the duplicate's are superseded, and what was lodged of its gifts is to be amended. law, section 4. */
export const disclosureReactions = Effect.gen(function* () {
  const store = yield* DisclosureStore
  const keeper = yield* makeDisclosureKeeper

  const donorMerged = Effect.fnUntraced(function* ({ at, duplicate, organisation_id, survivor }: DonorMerge) {
    const gifts = yield* store.giftsOf(organisation_id, survivor, firstDay, lastDay)
    const theirs = yield* store.ofDonor(organisation_id, duplicate)
    if (gifts.length === 0 && theirs.length === 0) return
    const spans = new Map<string, Span>()
    for (const { donation_day, jurisdiction } of gifts) {
      const reach = jurisdiction === null ? null : keeper.reachOf(jurisdiction, donation_day)
      if (jurisdiction === null || reach === null) continue
      const span = { donor_id: survivor, jurisdiction, reach }
      spans.set(keyOf(span), span)
    }
    for (const { ends_on, jurisdiction, period: label, regime, starts_on } of theirs) {
      const span = { donor_id: survivor, jurisdiction, reach: { regime, period: { label, starts_on, ends_on } } }
      if (!spans.has(keyOf(span))) spans.set(keyOf(span), span)
    }
    const occasion = { organisation: yield* keeper.organisationOf(organisation_id), at }
    for (const [key, span] of [...spans].toSorted(([a], [b]) => compareCodePoints(a, b))) {
      const former = theirs.find((each) => `${each.jurisdiction} ${each.starts_on}` === key)
      yield* keeper.assess(span, { ...occasion, carried: former?.lodged_gifts ?? [] })
      if (former !== undefined) yield* keeper.settle(former, moveDuties(former, at), occasion, "Supersede")
    }
  })

  const reaction: Partial<Reaction> = { donorMerged }
  return reaction
})
