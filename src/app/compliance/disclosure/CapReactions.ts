import { Effect, Option } from "effect"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { CapStore } from "../../../ports/compliance/CapStore.ts"
import { DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import type { GiftRequest, Reaction } from "../../kernel/reaction/Reactions.ts"
import { makeCheckoutDonors } from "../../payments/charge/ChargeCreation.ts"
import { makeDisclosureKeeper } from "./DisclosureKeeper.ts"

/** What a donor is told: nothing of what was given, nor of how much is left. */
const overCap = () =>
  new InvalidInput({
    param: "amount_cents",
    reason: "over_cap",
    message:
      "amount_cents is more than can be taken: the law limits what one donor may give to a recipient here in a period. Give a smaller amount, or ask the recipient."
  })

/**
 * What the caps make of a gift that is about to be paid: where the organisation set so, one over the cap is refused, gifts under way
 * counted with those that have come. Of two at once the second waits, and sees the first. law, section 4.
 */
export const capReactions = Effect.gen(function* () {
  const caps = yield* CapStore
  const store = yield* DisclosureStore
  const keeper = yield* makeDisclosureKeeper
  const { knownBy } = yield* makeCheckoutDonors

  /** Who gives, held: somebody known by an address alone with the address, who may become a donor meanwhile. */
  const giverOf = Effect.fnUntraced(function* ({ donor, organisation_id }: GiftRequest) {
    if (donor === null) return { donor_id: null, email: null }
    if ("id" in donor) return { donor_id: donor.id, email: null }
    const found = yield* knownBy(organisation_id, donor.email)
    return { donor_id: Option.getOrNull(Option.map(found, ({ id }) => id)), email: donor.email }
  })

  const reaction: Partial<Reaction> = {
    giftAsked: Effect.fnUntraced(function* (asked) {
      const { amount_cents, at, currency, organisation_id } = asked
      if (!(yield* caps.isBlocking(organisation_id))) return
      const organisation = yield* keeper.organisationOf(organisation_id)
      const jurisdiction = yield* store.jurisdictionOf(asked)
      const day = dayOf(at, organisation.timezone)
      const reach = keeper.reachOf(jurisdiction, day)
      if (jurisdiction === null || reach === null || reach.regime.currency !== currency) return
      const giver = yield* giverOf(asked)
      const { donor_id } = giver
      if (donor_id !== null) yield* keeper.holdGifts({ donor_id, jurisdiction, reach }, day, organisation)
      const cap = yield* keeper.capOn({ ...giver, jurisdiction, reach, day }, { organisation, at })
      if (cap === null || cap.used_cents + cap.pending_cents + amount_cents <= cap.cap_cents) return
      yield* Effect.logWarning(
        `A gift to ${organisation_id} was refused: ${donor_id ?? "a new donor"} would be over the cap`
      )
      return yield* overCap()
    })
  }
  return reaction
})
