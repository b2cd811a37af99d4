import { Effect, Option } from "effect"
import type { CheckoutLink } from "../../../domain/giving/CheckoutLink.ts"
import type { CheckoutLinkId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { GuardRefused } from "../../../domain/kernel/Machine.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { DonationStore } from "../../../ports/giving/DonationStore.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { Reactions } from "../../kernel/reaction/Reactions.ts"

/** A gift, or another one, began on the link since it was read. */
const overtaken = { _tag: "Overtaken" } as const

/** Cancellation of the gift in progress on a link. money, section 4: Link with a gift in progress. */
export const makePendingGiftCancellation = Effect.gen(function* () {
  const links = yield* CheckoutLinkStore
  const donations = yield* DonationStore
  const reactions = yield* Reactions
  const transaction = yield* Transaction

  /**
   * Locks the charge of the gift in progress, where there is one, and then the link, for the rest of the surrounding
   * transaction: charges are settled in this order, too. `gives` chooses the links whose gift is cancelled, with its
   * charge. Fails with {@link GuardRefused} where its money may still arrive without the donor.
   */
  return (
    organisation_id: OrganisationId,
    id: CheckoutLinkId,
    gives: (link: CheckoutLink) => boolean
  ): Effect.Effect<void, GuardRefused> => {
    const once = Effect.gen(function* () {
      const seen = yield* links.find(organisation_id, id)
      if (Option.isNone(seen) || !gives(seen.value)) return
      const { pending_donation_id: pending } = seen.value
      const gift = pending === null ? Option.none() : yield* donations.find(organisation_id, pending)
      const charge_id = Option.match(gift, { onNone: () => null, onSome: (found) => found.charge_id })
      if (charge_id !== null) yield* reactions.givingWay({ organisation_id, charge_id, at: yield* organisationNow })
      const held = yield* links.findForUpdate(organisation_id, id)
      const now = Option.match(held, { onNone: () => null, onSome: (found) => found.pending_donation_id })
      if (now !== null && now !== pending) return yield* Effect.fail(overtaken)
    })
    return transaction.run(once).pipe(
      // The savepoint is undone, with its locks.
      Effect.retry({ while: ({ _tag }) => _tag === "Overtaken" }),
      Effect.catchTag("Overtaken", Effect.die)
    )
  }
})
