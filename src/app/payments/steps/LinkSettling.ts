import { type DateTime, Effect } from "effect"
import type { Organisation } from "../../../domain/access/Organisation.ts"
import { type Command, completion, release } from "../../../domain/giving/CheckoutLink.ts"
import type { Donation } from "../../../domain/giving/Donation.ts"
import { makeCheckoutLinkChange } from "../../giving/steps/CheckoutLinkChange.ts"

const operation = "charges.settle"

/** Makes what writes on a checkout link how its gift has ended, in the surrounding transaction. */
export const makeLinkSettling = Effect.map(makeCheckoutLinkChange, (change) =>
  /**
   * Where a gift in progress on a link was confirmed, the link is COMPLETED; where it failed, the link is free again. Whoever
   * calls this holds the gift's charge and the gift.
   */
  Effect.fnUntraced(function* (
    organisation: Organisation,
    before: Donation | null,
    { checkout_link_id, donor_id, id: donation_id, status }: Donation,
    at: DateTime.Utc
  ) {
    if (checkout_link_id === null || before?.status !== "PENDING" || status === "PENDING") return
    // The link that a gift names is there: links are archived, not deleted.
    const held = yield* Effect.orDie(change.take(organisation, checkout_link_id))
    if (held.before.pending_donation_id !== donation_id) return
    const command: Command =
      status === "FAILED" ? release(at, donation_id) : completion(held.before, { at, donation_id, donor_id })
    yield* Effect.orDie(change.settle(operation, { ...held, at }, [command]))
  })
)
