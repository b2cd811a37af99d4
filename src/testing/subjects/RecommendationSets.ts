import { DateTime } from "effect"
import fc from "fast-check"
import * as RecommendationSet from "../../domain/sharing/RecommendationSet.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"

/** Instants by the hour within two days: `expires_at` and a command's time often coincide. */
const instant = fc
  .integer({ min: 0, max: 48 })
  .map((hours) => DateTime.makeUnsafe(Date.UTC(2026, 0, 1) + hours * 3_600_000))

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

/** Amounts that keep all rules, in every mode. */
const lawfulAmounts = fc.constantFrom(...RecommendationSet.AmountMode.literals).chain((amount_mode) =>
  fc
    .tuple(allocationsOf(amountsOf(amount_mode)), fc.option(fc.integer({ min: 1, max: 12 })))
    .map(([allocations, floor]) => ({
      amount_mode,
      allocations,
      min_total_cents:
        floor !== null && amount_mode === "FIXED" ? Math.min(floor, RecommendationSet.totalCents(allocations)) : floor
    }))
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
const changes: fc.Arbitrary<RecommendationSet.Changes> = fc.record(
  {
    name: fc.constantFrom("Harvest", "Winter appeal"),
    description: fc.constantFrom(null, "For the valley"),
    amount_mode: fc.constantFrom(...RecommendationSet.AmountMode.literals),
    min_total_cents: fc.option(fc.integer({ min: 1, max: 12 })),
    allocations: allocationsOf(fc.integer({ min: 0, max: 3 })),
    expires_at: fc.option(instant)
  },
  { requiredKeys: [] }
)

const commands: fc.Arbitrary<RecommendationSet.Command> = fc
  .tuple(arbitraryOf(RecommendationSet.Command), instant, fc.oneof(changes, lawfulAmounts))
  .map(
    ([command, at, changes]): RecommendationSet.Command =>
      "changes" in command ? { ...command, at, changes } : { ...command, at }
  )

/** Recommendation sets of every status whose amounts keep the rules, for the laws. */
export const recommendationSets: Subject<RecommendationSet.RecommendationSet, RecommendationSet.Command> = {
  schema: RecommendationSet.RecommendationSet,
  states,
  commands
}
