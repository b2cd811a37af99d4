import fc from "fast-check"
import { type Changes, CheckoutLink, type Command, machine } from "../../domain/giving/CheckoutLink.ts"
import { DonationId } from "../../domain/kernel/Ids.ts"
import { arbitraryOf, patchOf } from "../Arbitraries.ts"
import { isReached } from "../InTime.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { hourWithin } from "./Month.ts"

const instant = hourWithin(24)

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

const changes: fc.Arbitrary<Changes> = patchOf({
  amount_cents: amount,
  description: fc.constantFrom(null, "Gala dinner"),
  expires_at: fc.option(instant),
  payment_methods: fc.subarray(["card", "payto", "bank_transfer"] as const, { minLength: 1 })
})

const isPending = (
  { pending_donation_id }: CheckoutLink,
  { donation_id }: { readonly donation_id: DonationId }
): boolean => pending_donation_id === donation_id

/** An archived link whose time runs out tells that it expired, before that is written. decisions, section 5: Checkout link. */
const statusThen = (link: CheckoutLink, command: Command | null) => ({
  status:
    link.status === "ACTIVE" &&
    link.pending_donation_id === null &&
    isReached(link.expires_at, command?.at ?? link.created_at)
      ? "EXPIRED"
      : link.status
})

/** Checkout links of every status, archived and not, for the laws. */
export const checkoutLinks: Subject<CheckoutLink, Command> = subjectOf(machine, {
  states,
  commandFields: { at: instant, donation_id: donationId, changes },
  // service-spec, Checkout link; decisions, sections 4 and 5: Checkout links; money, section 4. What came first wins.
  rows: `
    * → ACTIVE [checkout_link.created]
    Visit: ACTIVE → ACTIVE; visit_count + 1, last_visited_at = at, undated
    Begin: ACTIVE → ACTIVE ?; pending_donation_id = donation_id, pending_bank_transfer = is_bank_transfer, undated
    Release: ACTIVE, CANCELED, ARCHIVED → same ?; pending_donation_id = null, pending_bank_transfer = false, undated
    Complete: ACTIVE, CANCELED → COMPLETED [checkout_link.updated] ?; donation_id, donor_id,
      pending_donation_id = null, pending_bank_transfer = false
    CompleteArchived: ARCHIVED → ARCHIVED [checkout_link.updated] ?; status = "COMPLETED", donation_id, donor_id,
      pending_donation_id = null, pending_bank_transfer = false
    Change: ACTIVE → ACTIVE [checkout_link.updated] ?; ...changes
    Expire: ACTIVE → EXPIRED [checkout_link.updated] ?
    ExpireArchived: ARCHIVED → ARCHIVED [checkout_link.updated] ?; status = "EXPIRED"
    Cancel: ACTIVE → CANCELED [checkout_link.cancelled] ?
    Archive: ACTIVE, COMPLETED, EXPIRED, CANCELED → ARCHIVED [checkout_link.archived] ?; archived_at = at
    [*]: ...record, -organisation_id, -pending_donation_id, -pending_bank_transfer, -code, *`,
  when: {
    Begin: (link, { at }) => link.pending_donation_id === null && !isReached(link.expires_at, at),
    Release: isPending,
    Complete: isPending,
    CompleteArchived: isPending,
    Change: (link, { at, changes }) =>
      (link.pending_donation_id !== null || !isReached(link.expires_at, at)) &&
      !(link.pending_bank_transfer && (changes.amount_cents ?? link.amount_cents) !== link.amount_cents),
    Expire: (link, { at }) => link.pending_donation_id === null && isReached(link.expires_at, at),
    ExpireArchived: (link, { at }) =>
      link.status === "ACTIVE" && link.pending_donation_id === null && isReached(link.expires_at, at),
    Cancel: (link, { at }) =>
      (link.pending_donation_id !== null || !isReached(link.expires_at, at)) && !link.pending_bank_transfer,
    Archive: ({ pending_bank_transfer }) => !pending_bank_transfer
  },
  data: { "*": statusThen },
  invariants: {
    "only a link with a gift in progress has a bank transfer in progress": (link) =>
      !link.pending_bank_transfer || link.pending_donation_id !== null
  },
  steps: {
    "an amount stays while a bank transfer is in progress": ({ after, before }) =>
      !before.pending_bank_transfer || after.amount_cents === before.amount_cents
  }
})
