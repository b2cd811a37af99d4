import { Effect, Option } from "effect"
import { capOn, capsOf } from "../../../domain/compliance/Regime.ts"
import { dayOf } from "../../../domain/kernel/CalendarDate.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { CapStore } from "../../../ports/compliance/CapStore.ts"
import { DisclosureStore } from "../../../ports/compliance/DisclosureStore.ts"
import { makeDonorByEmail } from "../../giving/donor/MergedDonor.ts"
import type { GiftRequest, Reaction } from "../../kernel/reaction/Reactions.ts"
import { makeDisclosureKeeper } from "./DisclosureKeeper.ts"

/** What a donor is told: nothing of what was given, nor of how much is left. */
const overCap = () =>
  new InvalidInput({
    param: "amount_cents",
    reason: "over_cap",
    message:
      "amount_cents is more than can be taken: the law limits what one donor may give to a recipient here in a period. Give a smaller amount, or ask the recipient."
  })

/** What the caps make of a gift that is about to be paid: where the organisation set so, one over the cap is refused. law, section 4. */
export const capReactions = Effect.gen(function* () {
  const caps = yield* CapStore
  const store = yield* DisclosureStore
  const keeper = yield* makeDisclosureKeeper
  const findByEmail = yield* makeDonorByEmail

  const donorOf = Effect.fnUntraced(function* ({ donor, organisation_id }: GiftRequest) {
    if (donor === null) return null
    if ("id" in donor) return donor.id
    const found = yield* findByEmail(organisation_id, donor.email)
    return Option.isSome(found) ? found.value.id : null
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
      const donor_id = yield* donorOf(asked)
      const cap =
        donor_id === null
          ? { used_cents: 0, cap_cents: capOn(capsOf(reach, "ANY"), day)?.cap_cents ?? Infinity }
          : yield* keeper.capOn({ donor_id, jurisdiction, reach }, day, { organisation, at })
      if (cap === null || cap.used_cents + amount_cents <= cap.cap_cents) return
      yield* Effect.logWarning(
        `A gift to ${organisation_id} was refused: ${donor_id ?? "a new donor"} would be over the cap`
      )
      return yield* overCap()
    })
  }
  return reaction
})
