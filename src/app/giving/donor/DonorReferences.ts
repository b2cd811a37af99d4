import { Effect } from "effect"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { ContactLogStore } from "../../../ports/giving/ContactLogStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { type DonorMerge, Reactions } from "../../kernel/reaction/Reactions.ts"

/** Everything that moves with a donor who is merged into another. decisions, section 4: Donors. */
export const donorReferences = Effect.gen(function* () {
  const stores = [yield* DonationStore, yield* ContactLogStore, yield* CheckoutLinkStore]
  const reactions = yield* Reactions
  return {
    /** Gives everything that belongs to the duplicate to the survivor, in every context. */
    reassign: (merge: DonorMerge) => {
      const { at, duplicate, organisation_id, survivor } = merge
      return Effect.forEach(stores, (store) => store.reassign(organisation_id, duplicate, survivor, at), {
        discard: true
      }).pipe(Effect.andThen(reactions.donorMerged(merge)))
    }
  } as const
})
