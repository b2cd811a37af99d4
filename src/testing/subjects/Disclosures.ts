import fc from "fast-check"
import { type Command, Disclosure, machine } from "../../domain/compliance/Disclosure.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"

/** Totals so small that they often equal the threshold. */
const cents = fc.integer({ min: 0, max: 4 })

const states: fc.Arbitrary<Disclosure> = fc
  .tuple(arbitraryOf(Disclosure), fc.integer({ min: 1, max: 4 }), cents)
  .map(([disclosure, threshold_cents, above]): Disclosure => {
    const total_cents = threshold_cents + above + (disclosure.comparison === "OVER" ? 1 : 0)
    return {
      ...disclosure,
      threshold_cents,
      total_cents: disclosure.status === "CANCELLED" ? 0 : total_cents,
      in_kind_cents: 0
    }
  })

const isOver = (
  { comparison, threshold_cents }: Disclosure,
  { total_cents }: { readonly total_cents: number }
): boolean => total_cents > threshold_cents || (comparison !== "OVER" && total_cents === threshold_cents)

/** Disclosures of every status, on both sides of their threshold, for the laws. */
export const disclosures: Subject<Disclosure, Command> = subjectOf(machine, {
  states,
  commandFields: { total_cents: cents, in_kind_cents: fc.constant(0) },
  // decisions, sections 5 and 11: Disclosure.
  rows: `
    * → PENDING [disclosure.created]
    Review: PENDING → REVIEW [disclosure.updated]
    Return: REVIEW → PENDING [disclosure.updated]
    Recount: PENDING, REVIEW → same [disclosure.updated] ?; total_cents, in_kind_cents, donation_ids
    Complete: PENDING, REVIEW → COMPLETED [disclosure.updated]; lodgement_reference, completed_at = at
    Cancel: PENDING, REVIEW → CANCELLED [disclosure.updated] ?; total_cents, in_kind_cents, donation_ids
    Supersede: PENDING, REVIEW, COMPLETED, CANCELLED → SUPERSEDED [disclosure.updated]
    completed_at: COMPLETED, SUPERSEDED or none`,
  when: { Recount: isOver, Cancel: (disclosure, command) => !isOver(disclosure, command) }
})
