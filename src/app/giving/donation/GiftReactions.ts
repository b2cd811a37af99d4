import { Context, Effect, Layer } from "effect"
import type { Donation } from "../../../domain/giving/Donation.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"

/** What follows from gifts, in the transaction in which they are written. Asked for by contexts that must not know what follows. */
export class GiftReactions extends Context.Service<
  GiftReactions,
  {
    /** Writes a gift, new or changed, and what follows from it. */
    readonly withGift: (gift: Donation, write: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("almoner/app/GiftReactions") {}

/**
 * The store of gifts, whose writes are followed by what follows from gifts: whoever records, refunds or settles one cannot
 * forget it.
 */
export const followedDonations = Layer.effect(
  DonationStore,
  Effect.gen(function* () {
    const store = yield* DonationStore
    const { withGift } = yield* GiftReactions
    return {
      ...store,
      insert: (gift) => withGift(gift, store.insert(gift)),
      update: (gift) => withGift(gift, store.update(gift))
    }
  })
)
