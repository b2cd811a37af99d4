import fc from "fast-check"
import { type Command, Disclosure } from "../../domain/compliance/Disclosure.ts"
import { DonationId } from "../../domain/kernel/Ids.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { instant } from "../Generators.ts"
import type { Subject } from "../Laws.ts"

/** Totals so small that they often equal the threshold. */
const cents = fc.integer({ min: 0, max: 4 })

const states: fc.Arbitrary<Disclosure> = fc
  .tuple(arbitraryOf(Disclosure), fc.integer({ min: 1, max: 4 }), cents, instant)
  .map(([disclosure, threshold_cents, above, completed_at]): Disclosure => {
    const total_cents = threshold_cents + above + (disclosure.comparison === "OVER" ? 1 : 0)
    return {
      ...disclosure,
      threshold_cents,
      total_cents: disclosure.status === "CANCELLED" ? 0 : total_cents,
      in_kind_cents: 0,
      completed_at: disclosure.status === "COMPLETED" ? completed_at : null
    }
  })

const recount = {
  at: instant,
  total_cents: cents,
  in_kind_cents: fc.constant(0),
  donation_ids: fc.array(arbitraryOf(DonationId), { maxLength: 2 })
}

const commands: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ _tag: fc.constantFrom("Review" as const, "Return" as const, "Supersede" as const), at: instant }),
  fc.record({
    _tag: fc.constant("Complete" as const),
    at: instant,
    lodgement_reference: fc.constantFrom(null, "AEC-2027-1")
  }),
  fc.record({
    _tag: fc.constantFrom("Recount" as const, "Cancel" as const),
    ...recount
  })
)

const events = ["disclosure.updated"]

const isOver = (
  { comparison, threshold_cents }: Disclosure,
  { total_cents }: { readonly total_cents: number }
): boolean => total_cents > threshold_cents || (comparison !== "OVER" && total_cents === threshold_cents)

/** Disclosures of every status, on both sides of their threshold, for the laws. */
export const disclosures: Subject<Disclosure, Command> = {
  schema: Disclosure,
  states,
  commands,
  // decisions, sections 5 and 11: Disclosure.
  expect: {
    Review: { from: ["PENDING"], to: "REVIEW", events, changes: (_, { at }) => ({ updated_at: at }) },
    Return: { from: ["REVIEW"], to: "PENDING", events, changes: (_, { at }) => ({ updated_at: at }) },
    Recount: {
      from: ["PENDING", "REVIEW"],
      to: "same",
      events,
      when: isOver,
      changes: (_, { _tag, at, ...sums }) => ({ ...sums, updated_at: at })
    },
    Complete: {
      from: ["PENDING", "REVIEW"],
      to: "COMPLETED",
      events,
      changes: (_, { at, lodgement_reference }) => ({ lodgement_reference, completed_at: at, updated_at: at })
    },
    Cancel: {
      from: ["PENDING", "REVIEW"],
      to: "CANCELLED",
      events,
      when: (disclosure, command) => !isOver(disclosure, command),
      changes: (_, { _tag, at, ...sums }) => ({ ...sums, updated_at: at })
    },
    Supersede: {
      from: ["PENDING", "REVIEW", "COMPLETED", "CANCELLED"],
      to: "SUPERSEDED",
      events,
      changes: (_, { at }) => ({ updated_at: at })
    }
  },
  steps: {
    "a threshold that was crossed stays what it was": ({ after, before }) =>
      after.threshold_cents === before.threshold_cents && after.comparison === before.comparison
  }
}
