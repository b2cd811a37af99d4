import { DateTime } from "effect"
import fc from "fast-check"
import * as RecommendationSet from "../../domain/sharing/RecommendationSet.ts"
import { patchOf } from "../Arbitraries.ts"
import {
  again,
  changeCommand,
  charity,
  modelOf,
  noChange,
  patchFields,
  real,
  start,
  stateOf,
  timedCommand
} from "./Charity.ts"
import { linkedAccount } from "./RecipientAccounts.ts"

/** The one recipient is asked for 3: a floor above it breaks the rules of a FIXED set, and OPEN asks for nothing. */
const asked = 3

const changes = patchOf({
  name: fc.constantFrom("Winter", "Spring"),
  description: fc.constantFrom(null, "For the cold months."),
  amount_mode: fc.constantFrom("FIXED" as const, "SUGGESTED" as const, "OPEN" as const),
  min_total_cents: fc.constantFrom(null, 2, asked + 1),
  expires_at: fc.constantFrom(null, DateTime.add(start, { hours: 120 }))
})

/** Recommendation sets that are changed, deactivated, made active again and archived, beside their machine. */
export const recommendationSets = modelOf(RecommendationSet.machine, (driven) => ({
  commands: fc.oneof(
    { weight: 4, arbitrary: changeCommand("Change", changes) },
    { weight: 3, arbitrary: changeCommand("Reactivate", changes) },
    { weight: 3, arbitrary: timedCommand("Deactivate") },
    { weight: 1, arbitrary: timedCommand("Archive") }
  ),
  fields: ["description", "url_key", ...Object.keys(RecommendationSet.RecommendationSetRecord.fields)],
  shown: (set) => ({
    ...set,
    allocation_count: set.allocations.length,
    total_amount_cents: set.allocations.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
  }),
  open: async () => {
    const recommending = await charity(driven)
    const { state: link } = await linkedAccount(driven, recommending)
    const { archive, create, deactivate, read, update } = recommending.calls.recommendationSets
    const allocations = [{ recipient_org_account_link_id: link.id, amount_cents: asked }]
    const shown = await create({ name: "Winter", allocations })
    const hidden = { organisation_id: recommending.id, updated_at: DateTime.formatIso(start) }
    const born = stateOf(RecommendationSet.RecommendationSet, shown, hidden)
    return real(driven, recommending.calls, born, read, (command: RecommendationSet.Command) => {
      switch (command._tag) {
        case "Change":
          return update(born.id, command.changes)
        case "Reactivate":
          return update(born.id, { ...command.changes, is_active: true })
        case "Deactivate":
          return deactivate(born.id)
        case "Archive":
          return archive(born.id)
      }
    })
  },
  answers: (decides, state, command) => {
    const isArchived = state.archived_at !== null
    switch (command._tag) {
      case "Archive":
        return isArchived
          ? again(RecommendationSet.machine, "recommendation_set.archived", state, command)
          : decides(state, command)
      case "Deactivate":
        return !isArchived && !state.is_active ? noChange(state) : decides(state, command)
      default: {
        const changes = patchFields(state, command.changes)
        const isActivation = command._tag === "Reactivate" && !state.is_active
        if (isArchived || isActivation) return decides(state, { ...command, changes })
        return Object.keys(changes).length === 0
          ? noChange(state)
          : decides(state, { _tag: "Change", at: command.at, changes })
      }
    }
  },
  refusal: ({ _tag }) => (_tag === "GuardRefused" ? "InvalidInput" : "RecordArchived")
}))
