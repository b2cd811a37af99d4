import { DateTime } from "effect"
import fc from "fast-check"
import { type Changes, CheckoutLink, type Command } from "../../domain/giving/CheckoutLink.ts"
import { DonationId, DonorId } from "../../domain/kernel/Ids.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"

/** Instants by the hour within one day: `expires_at` and a command's time often coincide. */
const instant = fc
  .integer({ min: 0, max: 24 })
  .map((hours) => DateTime.makeUnsafe(Date.UTC(2026, 0, 1) + hours * 3_600_000))

/** Two gifts, so that a command's gift is often the one in progress, often another. */
const donationId = fc.constantFrom(
  DonationId.make("don_01h00000000000000000000001"),
  DonationId.make("don_01h00000000000000000000002")
)

const amount = fc.integer({ min: 1, max: 3 })

const standing = fc.record({
  pending: fc.option(donationId, { freq: 3 }),
  pending_bank_transfer: fc.boolean(),
  expires_at: fc.option(instant),
  archived_at: fc.option(instant, { freq: 2 }),
  amount_cents: amount,
  visit_count: fc.nat(100)
})

/** Links of which only ACTIVE ones have a gift in progress; archived ones have no bank transfer in progress. */
const states: fc.Arbitrary<CheckoutLink> = fc
  .tuple(arbitraryOf(CheckoutLink), standing, donationId)
  .map(([link, { pending, pending_bank_transfer, ...given }, donation_id]): CheckoutLink => {
    const pending_donation_id = link.status === "ACTIVE" ? pending : null
    return {
      ...link,
      ...given,
      donation_id: link.status === "COMPLETED" ? donation_id : null,
      pending_donation_id,
      pending_bank_transfer: pending_donation_id !== null && given.archived_at === null && pending_bank_transfer
    }
  })

const changes: fc.Arbitrary<Changes> = fc.record(
  {
    amount_cents: amount,
    description: fc.constantFrom(null, "Gala dinner"),
    expires_at: fc.option(instant),
    payment_methods: fc.subarray(["card", "payto", "bank_transfer"] as const, { minLength: 1 })
  },
  { requiredKeys: [] }
)

const tag = <T extends Command["_tag"]>(_tag: T): fc.Arbitrary<T> => fc.constant(_tag)

const commands: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    _tag: fc.constantFrom(
      "Visit" as const,
      "Expire" as const,
      "ExpireArchived" as const,
      "Cancel" as const,
      "Archive" as const
    ),
    at: instant
  }),
  fc.record({ _tag: tag("Change"), at: instant, changes }),
  fc.record({ _tag: tag("Begin"), at: instant, donation_id: donationId, is_bank_transfer: fc.boolean() }),
  fc.record({ _tag: tag("Release"), at: instant, donation_id: donationId }),
  fc.record({
    _tag: fc.constantFrom("Complete" as const, "CompleteArchived" as const),
    at: instant,
    donation_id: donationId,
    donor_id: arbitraryOf(DonorId)
  })
)

/** Checkout links of every status, archived and not, for the laws. */
export const checkoutLinks: Subject<CheckoutLink, Command> = { schema: CheckoutLink, states, commands }
