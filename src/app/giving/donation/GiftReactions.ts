import { Context, Effect, Layer } from "effect"
import type { Donation } from "../../../domain/giving/Donation.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"

/** What follows from gifts, in the transaction in which they are written. Asked for by contexts that must not know what follows. */
export class GiftReactions extends Context.Service<
  GiftReactions,
  {
    /** A gift was recorded, or is another than it was. */
    readonly giftWritten: (gift: Donation) => Effect.Effect<void>
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
    const { giftWritten } = yield* GiftReactions
    return {
      ...store,
      insert: (gift) => Effect.andThen(store.insert(gift), giftWritten(gift)),
      update: (gift) => Effect.andThen(store.update(gift), giftWritten(gift))
    }
  })
)
