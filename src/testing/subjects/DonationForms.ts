import fc from "fast-check"
import { type Changes, type Command, DonationForm, machine } from "../../domain/giving/DonationForm.ts"
import type { Settings } from "../../domain/giving/FormSettings.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { arbitraryOf, instant, patchOf } from "../Arbitraries.ts"
import { type ContractSubject, subjectOf } from "../SubjectOf.ts"

/** Amounts from a small range, so that minimum, default and maximum often meet or cross. */
const amount = fc.integer({ min: 1, max: 12 })

const amounts = fc
  .tuple(amount, amount, amount)
  .map(([a, b, c]) => [a, b, c].toSorted((x, y) => x - y))
  .chain(([minimum, preset, maximum]) =>
    fc.record({
      minimum_amount_cents: fc.constantFrom(minimum ?? null, null),
      default_amount_cents: fc.constantFrom(preset ?? null, null),
      maximum_amount_cents: fc.constantFrom(maximum ?? null, null)
    })
  )

const frequencies = fc.subarray(["WEEKLY", "MONTHLY", "ANNUALLY"] as const, { minLength: 1 })

const suggestions = fc.subarray([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], {
  minLength: 1,
  maxLength: Limits.formSuggestedAmounts
})

const label = fc.constantFrom("Winter appeal", "Spring appeal", "Été")

/** Any settings that follow the rules of a form. decisions, section 4: Forms. */
export const formSettings: fc.Arbitrary<Partial<Settings>> = fc
  .record({
    name: label,
    title: label,
    suggested_amounts_cents: suggestions,
    allow_recurring: fc.boolean(),
    recurring_frequencies: frequencies,
    amounts
  })
  .map(({ amounts: given, ...settings }) => ({ ...settings, ...given }))

const slug = fc.constantFrom("winter-appeal", "spring-appeal")

const states: fc.Arbitrary<DonationForm> = fc
  .tuple(arbitraryOf(DonationForm), formSettings, fc.option(instant), instant)
  .map(([form, settings, activated, activated_at]): DonationForm => {
    const { status } = form
    const wasActive = status === "ACTIVE" || status === "PAUSED"
    return { ...form, ...settings, activated_at: wasActive ? activated_at : status === "ARCHIVED" ? activated : null }
  })

const changes: fc.Arbitrary<Changes> = patchOf({
  name: fc.constantFrom("Winter appeal", "Spring appeal", " "),
  description: fc.constantFrom(null, "For the winter"),
  slug,
  minimum_amount_cents: fc.option(amount),
  default_amount_cents: fc.option(amount),
  maximum_amount_cents: fc.option(amount),
  suggested_amounts_cents: fc.oneof(suggestions, fc.array(amount, { maxLength: 9 })),
  recurring_frequencies: fc.oneof(frequencies, fc.constant([]))
})

const ascends = (amounts: ReadonlyArray<number | null>): boolean => {
  const given = amounts.filter((amount) => amount !== null)
  return given.every((amount, index) => given.slice(index + 1).every((later) => amount <= later))
}

/** minimum ≤ default ≤ maximum; suggested amounts ascending, distinct, 1 to 8. decisions, section 4: Forms. */
const isSound = (form: Settings): boolean =>
  form.name.trim().length > 0 &&
  form.title.trim().length > 0 &&
  ascends([form.minimum_amount_cents, form.default_amount_cents, form.maximum_amount_cents]) &&
  ascends(form.suggested_amounts_cents) &&
  new Set(form.suggested_amounts_cents).size === form.suggested_amounts_cents.length &&
  [1, 2, 3, 4, 5, 6, 7, 8].includes(form.suggested_amounts_cents.length) &&
  !(form.allow_recurring && form.recurring_frequencies.length === 0)

/** Donation forms of every status, for the laws. */
export const donationForms: ContractSubject<DonationForm, Command> = subjectOf(machine, {
  states,
  stateFields: { slug },
  commandFields: { changes },
  // decisions, sections 4 and 5: Forms.
  rows: `
    * → DRAFT [donation_form.created]
    Activate: DRAFT → ACTIVE [donation_form.updated]; activated_at = at
    Pause: ACTIVE → PAUSED [donation_form.updated]
    Resume: PAUSED → ACTIVE [donation_form.updated]; activated_at = at
    Change: DRAFT, ACTIVE, PAUSED → same [donation_form.updated] ?; ...changes
    Archive: DRAFT, ACTIVE, PAUSED → ARCHIVED [donation_form.archived]; archived_at = at
    archived_at: ARCHIVED
    [*]: ...record, -organisation_id, -embed_token, -activated_at`,
  when: {
    Change: (form, { changes }) =>
      isSound({ ...form, ...changes }) && (form.activated_at === null || (changes.slug ?? form.slug) === form.slug)
  },
  invariants: { "a form keeps its rules": isSound }
})
