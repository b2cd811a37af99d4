import { type DateTime, Effect } from "effect"
import type { Donor } from "../../../domain/giving/Donor.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { ContactLogStore } from "../../../ports/giving/ContactLogStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"

/**
 * Everything that follows a donor who is merged into another. Whoever merges holds both donors, so that nothing new comes
 * to the duplicate meanwhile. decisions, section 4: Donors.
 */
export const donorReferences = Effect.gen(function* () {
  const stores = [yield* DonationStore, yield* ContactLogStore, yield* PaymentStore, yield* CheckoutLinkStore]
  return {
    /** Gives all that is the duplicate's to the survivor. */
    reassign: ({ duplicate, survivor }: { readonly duplicate: Donor; readonly survivor: Donor }, at: DateTime.Utc) =>
      Effect.forEach(stores, (store) => store.reassign(survivor.organisation_id, duplicate.id, survivor.id, at), {
        discard: true
      })
  } as const
})
