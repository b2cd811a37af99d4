import { DateTime } from "effect"
import fc from "fast-check"
import { type Changes, CheckoutLink, type Command } from "../../domain/giving/CheckoutLink.ts"
import { DonationId, DonorId } from "../../domain/kernel/Ids.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { isReached } from "./Month.ts"

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

/** Links of which only ACTIVE and cancelled ones have a gift in progress, and no bank transfer but ACTIVE ones. */
const states: fc.Arbitrary<CheckoutLink> = fc
  .tuple(arbitraryOf(CheckoutLink), standing, donationId)
  .map(([link, { pending, pending_bank_transfer, ...given }, donation_id]): CheckoutLink => {
    const pending_donation_id = link.status === "ACTIVE" || link.status === "CANCELED" ? pending : null
    return {
      ...link,
      ...given,
      donation_id: link.status === "COMPLETED" ? donation_id : null,
      pending_donation_id,
      pending_bank_transfer:
        pending_donation_id !== null && link.status === "ACTIVE" && given.archived_at === null && pending_bank_transfer
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

const free = { pending_donation_id: null, pending_bank_transfer: false }

/** What a payment that succeeded changes, whether the link is archived or not. */
const completed = (
  _: CheckoutLink,
  {
    at,
    donation_id,
    donor_id
  }: Pick<Extract<Command, { readonly _tag: "Complete" }>, "at" | "donation_id" | "donor_id">
) => ({ ...free, status: "COMPLETED" as const, donation_id, donor_id, updated_at: at })

/** Checkout links of every status, archived and not, for the laws. */
export const checkoutLinks: Subject<CheckoutLink, Command> = {
  schema: CheckoutLink,
  states,
  commands,
  // service-spec, Checkout link; decisions, sections 4 and 5: Checkout links.
  expect: {
    Visit: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      changes: ({ visit_count }, { at }) => ({ visit_count: visit_count + 1, last_visited_at: at })
    },
    Begin: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      when: (link, { at }) => link.pending_donation_id === null && !isReached(link.expires_at, at),
      changes: (_, { donation_id, is_bank_transfer }) => ({
        pending_donation_id: donation_id,
        pending_bank_transfer: is_bank_transfer
      })
    },
    Release: {
      from: ["ACTIVE", "CANCELED", "ARCHIVED"],
      to: "same",
      when: ({ pending_donation_id }, { donation_id }) => pending_donation_id === donation_id,
      changes: () => ({ pending_donation_id: null, pending_bank_transfer: false })
    },
    // money, section 4: money that came first wins.
    Complete: {
      from: ["ACTIVE", "CANCELED"],
      to: "COMPLETED",
      events: ["checkout_link.updated"],
      when: ({ pending_donation_id }, { donation_id }) => pending_donation_id === donation_id,
      changes: completed
    },
    CompleteArchived: {
      from: ["ARCHIVED"],
      to: "ARCHIVED",
      events: ["checkout_link.updated"],
      when: ({ pending_donation_id }, { donation_id }) => pending_donation_id === donation_id,
      changes: completed
    },
    Change: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      events: ["checkout_link.updated"],
      when: (link, { at, changes }) =>
        (link.pending_donation_id !== null || !isReached(link.expires_at, at)) &&
        !(link.pending_bank_transfer && (changes.amount_cents ?? link.amount_cents) !== link.amount_cents),
      changes: (_, { at, changes }) => ({ ...changes, updated_at: at })
    },
    Expire: {
      from: ["ACTIVE"],
      to: "EXPIRED",
      events: ["checkout_link.updated"],
      when: (link, { at }) => link.pending_donation_id === null && isReached(link.expires_at, at),
      changes: (_, { at }) => ({ updated_at: at })
    },
    ExpireArchived: {
      from: ["ARCHIVED"],
      to: "ARCHIVED",
      events: ["checkout_link.updated"],
      when: (link, { at }) =>
        link.status === "ACTIVE" && link.pending_donation_id === null && isReached(link.expires_at, at),
      changes: (_, { at }) => ({ status: "EXPIRED", updated_at: at })
    },
    Cancel: {
      from: ["ACTIVE"],
      to: "CANCELED",
      events: ["checkout_link.cancelled"],
      when: (link, { at }) =>
        (link.pending_donation_id !== null || !isReached(link.expires_at, at)) && !link.pending_bank_transfer,
      changes: (_, { at }) => ({ updated_at: at })
    },
    Archive: {
      from: ["ACTIVE", "COMPLETED", "EXPIRED", "CANCELED"],
      to: "ARCHIVED",
      events: ["checkout_link.archived"],
      when: ({ pending_bank_transfer }) => !pending_bank_transfer,
      changes: (_, { at }) => ({ archived_at: at, updated_at: at })
    }
  },
  invariants: {
    "only a link with a gift in progress has a bank transfer in progress": (link) =>
      !link.pending_bank_transfer || link.pending_donation_id !== null
  },
  steps: {
    "an amount stays while a bank transfer is in progress": ({ after, before }) =>
      !before.pending_bank_transfer || after.amount_cents === before.amount_cents,
    "archiving is final": ({ after, before }) => before.archived_at === null || after.archived_at === before.archived_at
  }
}
