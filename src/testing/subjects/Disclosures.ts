import fc from "fast-check"
import { type Command, Disclosure, machine } from "../../domain/compliance/Disclosure.ts"
import { Duty } from "../../domain/compliance/Duty.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { millis } from "./Month.ts"

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

/** The percent of a cap from which each level holds. decisions, section 11: Cap levels. */
const levels = [
  ["NONE", 0],
  ["AMBER", 60],
  ["RED", 90],
  ["CRITICAL", 98]
] as const

const levelOf = (used: number, cap: number): string =>
  used > cap ? "OVER" : (levels.findLast(([, percent]) => used * 100 >= cap * percent)?.[0] ?? "NONE")

/** When a duty is due, the latest where nothing says so. */
const dueOf = ({ due_at }: Duty): number => (due_at === null ? Infinity : millis(due_at))

/** The parts of a disclosure that are shown otherwise than they are kept. decisions, section 11: Record; law, section 4. */
const shownOf = ({ cap_cents, cap_used_cents, duties, donation_ids }: Disclosure) => {
  const open = duties.filter(({ closed_at }) => closed_at === null)
  const over = duties.filter(({ closed_at }) => closed_at !== null)
  return {
    donation_ids: donation_ids.slice(-1_000),
    duties: [
      ...open.toSorted((a, b) => (dueOf(a) === dueOf(b) ? a.number - b.number : dueOf(a) - dueOf(b))),
      ...over.toSorted((a, b) => b.number - a.number)
    ].slice(0, 100),
    cap_remaining_cents: cap_cents === null || cap_used_cents === null ? null : Math.max(0, cap_cents - cap_used_cents),
    cap_level: cap_cents === null || cap_used_cents === null ? null : levelOf(cap_used_cents, cap_cents)
  }
}

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
    Supersede: PENDING, REVIEW, COMPLETED, CANCELLED → SUPERSEDED [disclosure.updated] ?; ${sets}
    [*]: ...record, -organisation_id, -comparison, -lodged_gifts, -regime, *`,
  data: { "*": shownOf },
  when: {
    Recount: ({ status }, command) => openOf(command) === ["PENDING", "REVIEW"].includes(status),
    Reopen: (_, command) => openOf(command),
    Complete: (_, command) => !openOf(command) && lodgedOf(command),
    Cancel: (_, command) => !openOf(command) && !lodgedOf(command),
    Supersede: (_, command) => !openOf(command)
  }
})
