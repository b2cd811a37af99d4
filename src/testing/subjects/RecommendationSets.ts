import fc from "fast-check"
import * as RecipientAccount from "../../domain/sharing/RecipientAccount.ts"
import * as RecommendationSet from "../../domain/sharing/RecommendationSet.ts"
import { arbitraryOf, patchOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { subjectOf } from "../SubjectOf.ts"
import { hourWithin } from "./Month.ts"

const instant = hourWithin(48)

const floor = fc.integer({ min: 1, max: 12 })

const amountsOf = (mode: RecommendationSet.RecommendationSet["amount_mode"]): fc.Arbitrary<number> =>
  mode === "OPEN" ? fc.constant(0) : fc.integer({ min: 1, max: 3 })

const allocationsOf = (amounts: fc.Arbitrary<number>): fc.Arbitrary<ReadonlyArray<RecommendationSet.Allocation>> =>
  fc
    .uniqueArray(arbitraryOf(RecommendationSet.Allocation), {
      selector: (each) => each.recipient_org_account_link_id,
      minLength: 1,
      maxLength: 4
    })
    .chain((allocations) =>
      fc
        .tuple(...allocations.map(() => amounts))
        .map((drawn) => allocations.map((each, index) => ({ ...each, amount_cents: drawn[index] ?? 0 })))
    )

/** Amounts that keep all rules, in every mode: floors are none, the least, about the total or any. */
const lawfulAmounts = fc.constantFrom(...RecommendationSet.AmountMode.literals).chain((amount_mode) =>
  fc
    .tuple(allocationsOf(amountsOf(amount_mode)), fc.constantFrom("none", "least", "total", "above", "any"), floor)
    .map(([allocations, about, any]) => {
      const total = Math.max(1, RecommendationSet.totalCents(allocations))
      const floors = { none: null, least: 1, total, above: total + 1, any }
      const min_total_cents = floors[about]
      return {
        amount_mode,
        allocations,
        min_total_cents:
          min_total_cents !== null && amount_mode === "FIXED" ? Math.min(min_total_cents, total) : min_total_cents
      }
    })
)

const statuses = ["ACTIVE", "DEACTIVATED", "ARCHIVED"] as const

const states: fc.Arbitrary<RecommendationSet.RecommendationSet> = fc
  .record({
    given: arbitraryOf(RecommendationSet.RecommendationSet),
    amounts: lawfulAmounts,
    status: fc.constantFrom(...statuses),
    at: instant,
    expires_at: fc.option(instant)
  })
  .map(({ amounts, at, expires_at, given, status }) => ({
    ...given,
    ...amounts,
    expires_at,
    is_active: status === "ACTIVE",
    archived_at: status === "ARCHIVED" ? at : null
  }))

/** Changes, of which some keep the rules of most sets and others break them. */
const changes: fc.Arbitrary<RecommendationSet.Changes> = patchOf({
  name: fc.constantFrom("Harvest", "Winter appeal"),
  description: fc.constantFrom(null, "For the valley"),
  amount_mode: fc.constantFrom(...RecommendationSet.AmountMode.literals),
  min_total_cents: fc.option(floor),
  allocations: allocationsOf(fc.integer({ min: 0, max: 3 })),
  expires_at: fc.option(instant)
})

/** Changes that leave the floor as it is, where the others bear on it. */
const floorless: fc.Arbitrary<RecommendationSet.Changes> = patchOf({
  description: fc.constantFrom(null, "For the valley"),
  amount_mode: fc.constantFrom(...RecommendationSet.AmountMode.literals)
})

/** 1 to 100 allocations, one for each link; 0 cents each in an OPEN set, else 1 or more; a floor that can be met. */
const isSound = ({ allocations, amount_mode, min_total_cents }: RecommendationSet.RecommendationSet): boolean => {
  const links = allocations.map((each) => each.recipient_org_account_link_id)
  const total = allocations.reduce((sum, each) => sum + each.amount_cents, 0)
  return (
    links.length >= 1 &&
    links.length <= 100 &&
    links.every((link, index) => links.indexOf(link) === index) &&
    allocations.every(({ amount_cents }) => (amount_mode === "OPEN" ? amount_cents === 0 : amount_cents >= 1)) &&
    (min_total_cents === null || (min_total_cents >= 1 && (amount_mode !== "FIXED" || min_total_cents <= total)))
  )
}

const isSoundAfter = (
  set: RecommendationSet.RecommendationSet,
  { changes }: { readonly changes: RecommendationSet.Changes }
): boolean => isSound({ ...set, ...changes })

/** The sums that an event tells beside the record. */
const totals = ({ allocations }: RecommendationSet.RecommendationSet) => ({
  allocation_count: allocations.length,
  total_amount_cents: allocations.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
})

/** Recommendation sets of every status whose amounts keep the rules, for the laws. */
export const recommendationSets: Subject<RecommendationSet.RecommendationSet, RecommendationSet.Command> = subjectOf(
  RecommendationSet.machine,
  {
    states,
    commandFields: { at: instant, changes: fc.oneof(changes, { arbitrary: floorless, weight: 2 }, lawfulAmounts) },
    // decisions, sections 4 and 5: Recommendation sets.
    rows: `
      * → ACTIVE [recommendation_set.created]
      Change: ACTIVE, DEACTIVATED → same [recommendation_set.updated] ?; ...changes
      Deactivate: ACTIVE → DEACTIVATED [recommendation_set.deactivated]
      Reactivate: DEACTIVATED → ACTIVE [recommendation_set.updated] ?; ...changes
      Archive: ACTIVE, DEACTIVATED → ARCHIVED [recommendation_set.archived]; archived_at = at, is_active = false
      [*]: id, name, slug, is_active, archived_at, expires_at, amount_mode, min_total_cents, created_at, *`,
    when: { Change: isSoundAfter, Reactivate: isSoundAfter },
    data: { "*": totals },
    invariants: { "a set keeps the rules for amounts": isSound }
  }
)

/** Links to recipient accounts, active and not, for the laws. */
export const recipientAccounts: Subject<RecipientAccount.RecipientAccount, RecipientAccount.Command> = subjectOf(
  RecipientAccount.machine,
  {
    states: fc
      .tuple(arbitraryOf(RecipientAccount.RecipientAccount), instant)
      .map(([given, at]) => ({ ...given, deactivated_at: given.is_active ? given.deactivated_at : at })),
    // decisions, sections 4 and 5: Recipient account link.
    rows: `
    * → ACTIVE [recipient_org_account_link.created]
    * → ACTIVE
    Deactivate: ACTIVE → INACTIVE [recipient_org_account_link.deactivated]; deactivated_at = at
    Reactivate: INACTIVE → ACTIVE [recipient_org_account_link.updated]
    Introduce: ACTIVE, INACTIVE → ACTIVE; introduction_id
    Rename: ACTIVE, INACTIVE → same [recipient_org_account_link.updated]; label
    [recipient_org_account_link.created]: id, label, recipient_org_name, recipient_org_slug, recipient_account_label,
      is_active, created_at, introduction_id
    [recipient_org_account_link.updated, recipient_org_account_link.deactivated]: id, label, recipient_org_name,
      recipient_org_slug, recipient_account_label, is_active, created_at`
  }
)
