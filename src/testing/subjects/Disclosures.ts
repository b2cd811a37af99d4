import fc from "fast-check"
import { type Command, Disclosure, machine } from "../../domain/compliance/Disclosure.ts"
import { Duty } from "../../domain/compliance/Duty.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"

const endings = ["LODGED", "ACTED", "NOT_NEEDED", "MOVED"] as const

/** Few duties, mostly over, in one way or another. */
const duties = fc.array(
  fc
    .tuple(arbitraryOf(Duty), fc.constantFrom(...endings, null))
    .map(([duty, end]): Duty => ({ ...duty, end, closed_at: end === null ? null : duty.opened_at })),
  { maxLength: 2 }
)

const states: fc.Arbitrary<Disclosure> = fc
  .tuple(arbitraryOf(Disclosure), duties)
  .map(([disclosure, own]): Disclosure => ({ ...disclosure, duties: own }))

interface WithDuties {
  readonly duties: ReadonlyArray<{ readonly closed_at: unknown; readonly end: string | null }>
}

const openOf = (command: WithDuties): boolean => command.duties.some(({ closed_at }) => closed_at === null)

const lodgedOf = (command: WithDuties): boolean =>
  command.duties.some(({ end }) => end !== null && ["LODGED", "ACTED"].includes(end))

const sets = `regime, threshold_cents, comparison, total_cents, in_kind_cents, cap_cents, cap_used_cents, crossed_at, due_at, donation_ids, duties,
      lodged_gifts, lodgement_reference`

/** Disclosures of every status, with and without open duties, for the laws. */
export const disclosures: Subject<Disclosure, Command> = subjectOf(machine, {
  states,
  commandFields: { duties },
  // decisions, section 5: Disclosure; law, section 4.
  rows: `
    * → PENDING [disclosure.created]
    Review: PENDING → REVIEW [disclosure.updated]
    Return: REVIEW → PENDING [disclosure.updated]
    Recount: PENDING, REVIEW, COMPLETED, CANCELLED → same [disclosure.updated] ?; ${sets}
    Reopen: COMPLETED, CANCELLED → PENDING [disclosure.updated] ?; ${sets}, completed_at = null
    Complete: PENDING, REVIEW → COMPLETED [disclosure.updated] ?; ${sets}, completed_at = at
    Cancel: PENDING, REVIEW → CANCELLED [disclosure.updated] ?; ${sets}
    Supersede: PENDING, REVIEW, COMPLETED, CANCELLED → SUPERSEDED [disclosure.updated] ?; ${sets}`,
  when: {
    Recount: ({ status }, command) => openOf(command) === ["PENDING", "REVIEW"].includes(status),
    Reopen: (_, command) => openOf(command),
    Complete: (_, command) => !openOf(command) && lodgedOf(command),
    Cancel: (_, command) => !openOf(command) && !lodgedOf(command),
    Supersede: (_, command) => !openOf(command)
  }
})
